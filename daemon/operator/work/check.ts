import { checkIntegrity, type CheckDepth, type Finding } from '../../../core/index.ts'
import type { Options } from '../operator-command.ts'
import { openManifests } from '../../open-stores.ts'
import { OperatorFailure } from '../operator-failure.ts'
import { count } from './amounts.ts'
import { everySecond } from './pace.ts'
import type { Work } from './work.ts'

/** `depositd check`: a line on standard output for each finding, and a count at the end. */
export const check: Work = async ({ parts, home }, options, { tell, signal }) => {
  const progress = everySecond((done: number, all: number) =>
    tell('progress', `Checked ${done} of ${count(all, 'blob')}`),
  )
  const counts = { damage: 0, garbage: 0, strange: 0 }
  const depth = depthOf(options)
  const manifests = await openManifests(home)
  const quarantine = options['quarantine'] !== 'false'
  for await (const finding of checkIntegrity(
    { ...parts, manifests },
    { depth, quarantine, progress, signal },
  )) {
    counts[finding.kind] += 1
    tell('result', toLine(finding))
  }
  const { blobs } = await parts.database.upkeep.checkTotals()
  const { damage, garbage, strange } = counts
  tell(
    'note',
    damage + garbage + strange === 0
      ? `All is well: ${count(blobs, 'blob')}, and all rows (${depth}).`
      : `${count(blobs, 'blob')} (${depth}): ${damage} damaged, ${strange} strange, ${garbage} garbage.`,
  )
  return damage + strange > 0 ? 'failed' : 'done'
}

function depthOf({ depth = 'full' }: Options): CheckDepth {
  if (depth === 'quick' || depth === 'incremental' || depth === 'full') return depth
  throw new OperatorFailure(`There is no check "${depth}": it is quick, incremental or full.`)
}

/** Fields between tabs: kind, subject, name, message, and where it is used. */
function toLine({ kind, subject, name, message, uses = [] }: Finding): string {
  const places = uses.map(
    ({ deposit = 'no deposit', record, key }) =>
      `${deposit}${record === undefined ? '' : ` (record ${record})`}: ${key}`,
  )
  return [kind, subject, name, message, ...places].join('\t')
}

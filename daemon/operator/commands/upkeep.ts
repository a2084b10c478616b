import { checkIntegrity, collectGarbage } from '../../../core/index.ts'
import type { CheckDepth, Finding, JsonObject, Kept } from '../../../core/index.ts'
import { kindOfPlace } from '../../stores/other-users.ts'
import { openManifests } from '../../stores/storages.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { count, formatBytes } from '../../../core/base/amounts.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { advice } from '../../advice.ts'
import type { Home } from '../../home/home.ts'
import { describePlace } from '../../home/place.ts'
import type { Flags, OperatorCommand, Options, Work } from '../command/operator-command.ts'

/** `depositd check`: a line on standard output for each finding, and a count at the end. */
const check: Work = async ({ parts, home, isReadOnly }, options, { tell, signal }) => {
  const progress = everySecond((done: number, all: number) =>
    tell('progress', `Checked ${done} of ${count(all, 'blob')}`),
  )
  const findings: JsonObject[] = []
  const counts = { damage: 0, garbage: 0, strange: 0 }
  const depth = depthOf(options)
  await using manifests = await openManifests(home)
  const quarantine = options['quarantine'] !== 'false' && !isReadOnly
  for await (const finding of checkIntegrity(
    { ...parts, manifests },
    { depth, quarantine, progress, signal },
  )) {
    counts[finding.kind] += 1
    findings.push(toData(finding))
    tell('result', toLine(finding))
  }
  const { blobs } = await parts.database.upkeep.checkTotals()
  const { damage, garbage, strange } = counts
  const where = describePlace(home)
  tell(
    'note',
    damage + garbage + strange === 0
      ? `All is well: ${count(blobs, 'blob')}, and all rows (${depth}) in ${where}.`
      : `${count(blobs, 'blob')} (${depth}) in ${where}: ${damage} damaged, ${strange} strange, ${garbage} garbage.`,
  )
  return {
    ending: damage + strange > 0 ? 'failed' : 'done',
    data: { depth, blobs, damage, garbage, strange, findings },
  }
}

function depthOf({ depth = 'full' }: Options): CheckDepth {
  if (depth === 'quick' || depth === 'incremental' || depth === 'full') return depth
  throw new OperatorFailure(`"${depth}" is not a check: use quick, incremental or full.`)
}

/** Fields between tabs: kind, subject, name, message, and where it is used. */
function toLine({ kind, subject, name, message, uses = [] }: Finding): string {
  const places = uses.map(
    ({ deposit = 'no deposit', record, key }) =>
      `${deposit}${record === undefined ? '' : ` (record ${record})`}: ${key}`,
  )
  return [kind, subject, name, message, ...places].join('\t')
}

function toData({ kind, subject, name, message, uses = [] }: Finding): JsonObject {
  const used = uses.map(({ deposit, record, key }) => ({
    deposit: deposit ?? null,
    record: record ?? null,
    key,
  }))
  return { kind, subject, name, message, uses: used }
}

export const checkCommand: OperatorCommand = {
  name: 'check',
  summary: 'look for damage; prints a line for each finding, and exits with 1 if there is damage',
  options: [
    {
      flags: '--full',
      summary: 'read every byte (the default)',
      conflicts: ['quick', 'incremental'],
    },
    { flags: '--quick', summary: 'compare the sizes of files only', conflicts: ['incremental'] },
    { flags: '--incremental', summary: 'read only bytes that were not read for 30 days' },
    { flags: '--no-quarantine', summary: 'leave damaged files in place' },
  ],
  toOptions: ({ quick, incremental, quarantine }: Flags) => ({
    depth: quick ? 'quick' : incremental ? 'incremental' : 'full',
    quarantine: String(quarantine),
  }),
  onlyReads: true,
  kind: 'long',
  run: check,
}

/** `depositd gc`: prints the ids of the blobs it removed. */
const gc: Work = async ({ parts, home }, _options, { tell, signal }) => {
  const removed: string[] = []
  const told = (id: string): void => {
    removed.push(id)
    tell('result', id)
  }
  await using manifests = await openManifests(home)
  const collected = await collectGarbage({ ...parts, manifests }, told, signal)
  const { blobs, young, kept } = collected
  const amount = `${count(blobs, 'blob')} without a row (${formatBytes(collected.size)})`
  tell('note', `Removed ${amount} from ${describePlace(home)}.`)
  if (young > 0) tell('note', `Left ${count(young, 'blob')} younger than a day.`)
  for (const text of tellKept(kept, home)) tell('note', text)
  const { size: bytes, ...others } = kept
  return {
    ending: kept.damaged.length > 0 ? 'failed' : 'done',
    data: { removed, bytes: collected.size, young, kept: { bytes, ...others } },
  }
}

/** Lines about published files that the rows do not know: they may be all that is left of a record. */
function* tellKept({ blobs, size, manifests, such, damaged }: Kept, home: Home): Generator<string> {
  if (such === undefined) return
  const amount = `${count(blobs, 'blob')} (${formatBytes(size)})`
  if (damaged.length > 0) {
    const named = `${damaged.slice(0, mostNamed).join(', ')}${damaged.length > mostNamed ? ', …' : ''}`
    yield `Kept ${amount}, which may be files of records that the database does not have: their manifests are damaged (${named}). ${advice.mendManifest()}`
  }
  const said = `The database does not have the records or revisions of ${count(manifests, 'manifest')}, such as ${such}: they were published with other rows, which are newer than these or of another copy.`
  const files = damaged.length > 0 || blobs === 0 ? '' : ` Kept their files: ${amount}.`
  yield `${said}${files} ${advice.useOtherRows(kindOfPlace(home))}`
}

/** Damaged manifests that are named. */
const mostNamed = 5

export const gcCommand: OperatorCommand = {
  name: 'gc',
  summary:
    'remove bytes that had no row for a day, but none of published records; prints their ids',
  kind: 'long',
  run: gc,
}

/** `depositd reindex`: makes the search index again from the rows. */
const reindex: Work = async ({ parts, home }, _options, { tell, signal }) => {
  const { database, search } = parts
  await search?.reset()
  let deposits = 0
  for await (const { id, indexed } of database.read.deposits.each({ of: 'deposits' })) {
    signal.throwIfAborted()
    deposits += 1
    if (!indexed) await database.write((unit) => unit.deposits.markIndexed(id, true))
  }
  const records = await database.read.records.count()
  const when = search ? 'is made again' : 'is made when the daemon first needs it'
  tell(
    'note',
    `The index of ${count(deposits, 'deposit')} and ${count(records, 'record')} in ${describePlace(home)} ${when}.`,
  )
  return { ending: 'done', data: { deposits, records } }
}

export const reindexCommand: OperatorCommand = {
  name: 'reindex',
  summary: 'rebuild the search index from the rows',
  kind: 'long',
  run: reindex,
}

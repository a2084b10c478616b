import { count, formatBytes } from '../../../core/base/amounts.ts'
import { advice } from '../../advice.ts'
import { describePlace } from '../../home/place.ts'
import type { OperatorCommand, Work } from '../command/operator-command.ts'
import { isWithoutRoom, OperatorFailure } from '../command/operator-failure.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { exportRoot } from '../ocfl/export-root.ts'

/** `depositd export-ocfl DIR`: prints the path; faults and damaged records make it fail. */
const exportOcfl: Work = async (context, options, { tell, signal }) => {
  const target = options['target']
  if (target === undefined) throw new OperatorFailure('The folder of the storage root is missing.')
  const progress = everySecond((objects: number, versions: number, bytes: number) =>
    tell(
      'progress',
      `Looked at ${count(objects, 'record')}, wrote ${count(versions, 'version')}, ${formatBytes(bytes)}`,
    ),
  )
  const share = options['copy'] !== 'true'
  const note = (text: string): void => tell('note', text)
  const purges = options['removeDestroyed'] === 'true'
  const asked = { target, share, purges, progress, note, signal }
  const exporting = exportRoot(context, asked)
  const made = await exporting.catch((error: unknown) => {
    if (!isWithoutRoom(error)) throw error
    throw new OperatorFailure(
      `There is no room in ${target}; the records that are there are whole.`,
    )
  })
  const { faults, damaged, keeping, isRefused, objects, changed, versions, bytes } = made
  for (const { path, code, message } of faults) tell('result', `${path}\t${code}\t${message}`)
  for (const { record, message } of damaged) tell('result', `${record}\t${message}`)
  const data = {
    path: target,
    objects,
    changed,
    versions,
    bytes,
    damaged: damaged.map((each) => ({ ...each })),
    keeping: keeping.map((each) => ({ ...each })),
    faults: faults.map((each) => ({ ...each })),
  }
  if (isRefused) {
    tell('note', `${target} has ${count(faults.length, 'fault')}, and was not changed.`)
    return { ending: 'failed', data }
  }
  const amount = `${count(versions, 'version')} of ${count(changed, 'record')}, ${formatBytes(bytes)}`
  tell('note', `Wrote ${amount}, of ${describePlace(context.home)}.`)
  for (const { record, folder } of keeping)
    tell(
      'note',
      `The files of ${record} were destroyed; older versions in ${folder} have them still.`,
    )
  if (keeping.length > 0) tell('note', advice.removeDestroyed(target))
  if (faults.length > 0)
    tell('note', 'What is named above was left as it is; all other records were written.')
  if (damaged.length > 0)
    tell('note', `${count(damaged.length, 'record')} could not be written whole.`)
  const isWhole = faults.length === 0 && damaged.length === 0
  if (isWhole) tell('result', target)
  return { ending: isWhole ? 'done' : 'failed', data }
}

export const exportOcflCommand: OperatorCommand = {
  name: 'export-ocfl',
  summary: 'write all records to an OCFL 1.1 storage root, or what is new; prints its path',
  arguments: [
    { name: 'target', summary: 'folder of the storage root; made if missing', isPath: true },
  ],
  options: [
    { flags: '--copy', summary: 'copy every file instead of hard-linking it' },
    {
      flags: '--remove-destroyed',
      summary: 'write objects anew without older versions, if their files were destroyed',
    },
  ],
  onlyReads: true,
  kind: 'long',
  run: exportOcfl,
}

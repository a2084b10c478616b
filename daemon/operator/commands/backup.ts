import { makeBackup } from '../backup/make-backup.ts'
import { isWithoutRoom, OperatorFailure } from '../command/operator-failure.ts'
import { count, formatBytes } from '../../../core/base/amounts.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { describePlace } from '../../home/place.ts'
import type { OperatorCommand, Work } from '../command/operator-command.ts'

/** `depositd backup DIR`: prints the path; damaged blobs are named, and make it fail. */
const backup: Work = async (context, options, { tell, signal }) => {
  const target = options['target']
  if (target === undefined) throw new OperatorFailure('The folder for the backup is missing.')
  const progress = everySecond((done: number, copied: number) =>
    tell('progress', `Copied ${count(done, 'blob')}, ${formatBytes(copied)}`),
  )
  const share = options['copy'] !== 'true'
  const note = (text: string): void => tell('note', text)
  const made = await makeBackup(context, { target, share, progress, note, signal }).catch(
    explainFull,
  )
  for (const id of made.damaged) tell('note', `Blob ${id} is damaged, and not in the backup.`)
  const amount = `${count(made.blobs, 'blob')}, ${formatBytes(made.size)}, and the database`
  tell('note', `Backed up ${amount} of ${describePlace(context.home)}.`)
  tell('result', target)
  const { blobs, size: bytes, damaged, created } = made
  return {
    ending: damaged.length > 0 ? 'failed' : 'done',
    data: { path: target, created, blobs, bytes, damaged },
  }
}

export const backupCommand: OperatorCommand = {
  name: 'backup',
  summary: 'make a backup, while the daemon runs or not; prints its path',
  arguments: [{ name: 'target', summary: 'new folder for the backup', isPath: true }],
  options: [{ flags: '--copy', summary: 'copy every file instead of hard-linking it' }],
  onlyReads: true,
  kind: 'long',
  run: backup,
}

function explainFull(error: unknown): never {
  if (!isWithoutRoom(error)) throw error
  throw new OperatorFailure('There is no room for the backup; its folder is incomplete.')
}

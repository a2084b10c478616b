import { makeBackup } from '../../backup/make-backup.ts'
import { OperatorFailure } from '../operator-failure.ts'
import { count, size } from './amounts.ts'
import { everySecond } from './pace.ts'
import type { Work } from './work.ts'

/** `depositd backup DIR`: prints the path; damaged blobs are named, and make it fail. */
export const backup: Work = async (context, options, { tell, signal }) => {
  const target = options['target']
  if (target === undefined) throw new OperatorFailure('Where the backup is to be is missing.')
  const progress = everySecond((done: number, copied: number) =>
    tell('progress', `Copied ${count(done, 'blob')}, ${size(copied)}`),
  )
  const share = options['share'] !== 'false'
  const made = await makeBackup(context, { target, share, progress, signal }).catch(explainFull)
  for (const id of made.damaged) tell('note', `Blob ${id} is damaged, and not in the backup.`)
  tell('note', `Backed up ${count(made.blobs, 'blob')}, ${size(made.size)}, and the database.`)
  tell('result', target)
  return made.damaged.length > 0 ? 'failed' : 'done'
}

function explainFull(error: unknown): never {
  const text = error instanceof Error ? error.message : ''
  if (/ENOSPC|EDQUOT|system error -122|SQLITE_FULL|database or disk is full/.test(text)) {
    throw new OperatorFailure('There is no room for the backup; what there is of it is incomplete.')
  }
  throw error
}

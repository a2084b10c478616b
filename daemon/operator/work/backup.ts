import { makeBackup } from '../../backup/make-backup.ts'
import { OperatorFailure } from '../operator-failure.ts'
import { everySecond } from './pace.ts'
import type { Work } from './work.ts'

/** `depositd backup DIR`: prints the path; damaged blobs are named, and make it fail. */
export const backup: Work = async (context, options, { tell, signal }) => {
  const target = options['target']
  if (target === undefined) throw new OperatorFailure('Where the backup is to be is missing.')
  const progress = everySecond((done: number, size: number) =>
    tell('progress', `Copied ${done} blobs, ${size} bytes`),
  )
  const share = options['share'] !== 'false'
  const made = await makeBackup(context, { target, share, progress, signal }).catch(explainFull)
  for (const id of made.damaged) tell('note', `Blob ${id} is damaged, and not in the backup.`)
  tell('note', `Backed up ${made.blobs} blobs, ${made.size} bytes, and the database.`)
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

import { restoreBackup } from '../../backup/restore-backup.ts'
import { OperatorFailure } from '../operator-failure.ts'
import { count } from './amounts.ts'
import { everySecond } from './pace.ts'
import type { OfflineWork } from './offline.ts'

/** `depositd restore DIR`: into an empty home, while no daemon runs there. */
export const restore: OfflineWork = async (home, options, { tell, signal }) => {
  const source = options['source']
  if (source === undefined) throw new OperatorFailure('Which backup is to be restored is missing.')
  const progress = everySecond((done: number, all: number) =>
    tell('progress', `Restored ${done} of ${count(all, 'file')}`),
  )
  const withTokens = options['withTokens'] === 'true'
  const { blobs, created, damaged } = await restoreBackup(home, source, {
    withTokens,
    progress,
    signal,
  })
  for (const id of damaged) tell('note', `Blob ${id} was damaged already when it was backed up.`)
  tell('note', `Restored ${count(blobs, 'blob')} and the database of ${created}.`)
  if (!withTokens) tell('note', 'Tokens were left out: everybody signs in anew.')
  return 'done'
}

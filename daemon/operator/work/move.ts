import { move as moveHome } from '../../move/move.ts'
import { targetOf } from '../../move/target.ts'
import { OperatorFailure } from '../operator-failure.ts'
import type { OfflineWork } from './offline.ts'
import { everySecond } from './pace.ts'

/**
 * `depositd move`: copies the home to PostgreSQL, to S3 or back into a folder, and compares every
 * digest. Damaged blobs are lines on standard output, and make it fail.
 */
export const move: OfflineWork = async (home, options, { tell, signal }) => {
  const progress = everySecond((text: string) => tell('progress', text))
  const report = (error: unknown): void => tell('note', String(error))
  const target = await targetOf(home, options)
  const moved = await moveHome(home, target, { progress, report, signal }).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error
      throw new OperatorFailure('The move was stopped before its end: run it again to go on.')
    },
  )
  for (const id of moved.damaged) tell('result', `damage\tblob\t${id}\twas damaged already`)
  for (const fault of moved.faults) tell('result', `damage\t${fault}`)
  if (target.takesBytes) tell('note', `Copied ${moved.blobs} blobs, ${moved.manifests} manifests.`)
  if (target.takesRows) tell('note', `Copied ${moved.rows} rows.`)
  tell('note', 'What was here is as it was. Start the daemon on what is there, then remove it.')
  return moved.damaged.length + moved.faults.length > 0 ? 'failed' : 'done'
}

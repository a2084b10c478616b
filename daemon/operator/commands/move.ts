import { advice } from '../../advice.ts'
import { move as moveHome } from '../backup/move.ts'
import { targetOf } from '../backup/target.ts'
import { StartFailure } from '../../start-failure.ts'
import { areFilesAway, isProblem } from '../../../core/index.ts'
import { describePlace, placeOf, rememberPlace, storageAddress } from '../../home/place.ts'
import type { OfflineWork, OperatorCommand } from '../command/operator-command.ts'
import { everySecond } from '../command/terminal-voice.ts'

/**
 * `depositd move`: copies the home to PostgreSQL, to S3 or back into a folder, and compares every
 * digest. Damaged blobs are lines on standard output, and make it fail.
 */
const move: OfflineWork = async (home, options, { tell, signal }) => {
  const progress = everySecond((text: string) => tell('progress', text))
  const report = (error: unknown): void => tell('note', String(error))
  const target = await targetOf(home, options)
  const moved = await moveHome(home, target, { progress, report, signal }).catch(
    (error: unknown) => {
      // The source was read just before, so the target is the one that is away.
      if (!isProblem(error, 'storage_unavailable')) throw error
      const said = error.cause instanceof Error ? error.cause.message : 'no answer'
      const { storage, database } = placeOf(target.home)
      const place = areFilesAway(error) ? storage : database
      throw new StartFailure('unavailable', `${place} cannot be reached: ${said}.`, {
        cause: error,
      })
    },
  )
  for (const id of moved.damaged) tell('result', `damage\tblob\t${id}\twas damaged already`)
  for (const fault of moved.faults) tell('result', `damage\t${fault}`)
  if (target.takesBytes) tell('note', `Copied ${moved.blobs} blobs, ${moved.manifests} manifests.`)
  if (target.takesRows) tell('note', `Copied ${moved.rows} rows.`)
  const [from, to] = [describePlace(home), describePlace(target.home)]
  tell('note', `${from} was not changed. ${advice.startThere(to)}`)
  const { blobs, manifests, rows, damaged, faults } = moved
  const isWhole = damaged.length + faults.length === 0
  // The stores that commands on the home use from now on.
  if (isWhole) await rememberPlace(target.home)
  return {
    ending: isWhole ? 'done' : 'failed',
    data: { blobs, manifests, rows, damaged, faults, target: { ...placeOf(target.home) } },
    notedIn: target.home,
  }
}

export const moveCommand: OperatorCommand = {
  name: 'move',
  summary: 'copy the home to PostgreSQL, to S3, or back into a folder',
  options: [
    {
      flags: '--to <place>',
      summary: 'postgres://…, or the folder of a home: the new place of the rows',
    },
    { flags: '--storage <url>', summary: `${storageAddress.words}…: the new place of the bytes` },
  ],
  kind: 'alone',
  // It may be run again from where everything was, to compare.
  takesAnyStores: true,
  run: move,
}

import { readBackup } from '../backup/read-backup.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { count } from '../../../core/base/amounts.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { describePlace } from '../../home/place.ts'
import { markRestored } from '../../stores/last-folder.ts'
import type { OfflineWork, OperatorCommand, Options } from '../command/operator-command.ts'

/** `depositd restore DIR`: into an empty home, while no daemon runs there. */
const restore: OfflineWork = async (home, options, { tell, signal }) => {
  const source = options['source']
  if (source === undefined) throw new OperatorFailure('The folder of the backup is missing.')
  const progress = everySecond((done: number, all: number) =>
    tell('progress', `Restored ${done} of ${count(all, 'file')}`),
  )
  const withTokens = options['withTokens'] === 'true'
  const { blobs, created, damaged } = await restoreBackup(home, source, {
    withTokens,
    progress,
    signal,
  })
  // Another disk in the place of this folder is not the one that was restored.
  await markRestored(home).catch((error: unknown) =>
    tell('note', `The folder ${home.blobs} has no mark of this restore: ${String(error)}`),
  )
  for (const id of damaged) tell('note', `Blob ${id} was already damaged in the backup.`)
  tell(
    'note',
    `Restored ${count(blobs, 'blob')} and the database of ${created} into ${describePlace(home)}.`,
  )
  tell(
    'note',
    `Records that were withdrawn after ${created} are public again, and bytes destroyed since are back: withdraw them once more before anybody reaches the service (deposit-withdrawal(7)).`,
  )
  if (!withTokens) tell('note', 'Tokens were left out: all users have to sign in again.')
  return { ending: 'done', data: { source, created, blobs, damaged } }
}

/** Without a backup no home is made. */
async function requireBackup(options: Options): Promise<Options> {
  await readBackup(options['source'] ?? '')
  return options
}

export const restoreCommand: OperatorCommand = {
  name: 'restore',
  summary: 'restore a backup into an empty home',
  arguments: [{ name: 'source', summary: 'folder of the backup', isPath: true }],
  options: [
    {
      flags: '--with-tokens',
      summary: 'restore tokens, clients and the keys of the issuer as well',
    },
  ],
  before: requireBackup,
  makesHome: true,
  kind: 'alone',
  run: restore,
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { advice, listed } from '../../advice.ts'
import { move as moveHome } from '../backup/move.ts'
import { settingsOf, targetOf, type Target } from '../backup/target.ts'
import { toAway } from '../../store-failure.ts'
import { areFilesAway, isProblem, type LeftBehind } from '../../../core/index.ts'
import { count } from '../../../core/base/amounts.ts'
import {
  describePlace,
  placeOf,
  rememberPlace,
  requireLatestSource,
  storageAddress,
} from '../../home/place.ts'
import type { Home } from '../../home/home.ts'
import { kindOfPlace } from '../../stores/other-users.ts'
import type { OfflineWork, OperatorCommand } from '../command/operator-command.ts'
import { everySecond } from '../command/terminal-voice.ts'

/**
 * `depositd move`: copies the home to PostgreSQL, to S3 or back into a folder, and compares every
 * digest. Damaged blobs are lines on standard output, and make it fail.
 */
const move: OfflineWork = async (home, options, { tell, signal }) => {
  const progress = everySecond((text: string) => tell('progress', text))
  const report = (error: unknown): void => tell('note', String(error))
  const target = targetOf(home, options)
  await requireLatestSource(home, target.home)
  const moved = await moveHome(home, target, { progress, report, signal }).catch(
    (error: unknown) => {
      // The source was read just before, so the target is the one that is away.
      if (!isProblem(error, 'storage_unavailable')) throw error
      const { storage, database } = placeOf(target.home)
      throw toAway(error, areFilesAway(error) ? storage : database)
    },
  )
  const { blobs, manifests, rows, hadRows, damaged, faults, left } = moved
  for (const id of damaged) tell('result', `damage\tblob\t${id}\twas damaged already`)
  for (const fault of faults) tell('result', `damage\t${fault}`)
  if (target.takesBytes) {
    tell('note', `Copied ${count(blobs, 'blob')}, ${count(manifests, 'manifest')}.`)
  }
  if (target.takesRows) {
    const all = count(rows, 'row')
    tell('note', hadRows ? `An earlier move has copied ${all}.` : `Copied ${all}.`)
  }
  if (faults.length > 0) {
    const to = describePlace(target.home)
    tell('note', `The rows in ${to} have faults: go on with ${describePlace(home)} as before.`)
  } else {
    if (damaged.length > 0) {
      const left = count(damaged.length, 'damaged file')
      tell(
        'note',
        `The bytes of ${left} were left out; what is left of them is at the old place alone.`,
      )
    }
    const said = hadRows ? 'The move is complete. ' : ''
    tell('note', `${said}${whatMoved(home, target)} ${howToGoOn(home, target, left)}`)
    // The stores that commands on the home use from now on.
    const hasOtherRows = target.takesRows && target.home.databaseUrl === undefined
    await rememberPlace(target.home, hasOtherRows)
  }
  return {
    ending: damaged.length + faults.length === 0 ? 'done' : 'failed',
    data: {
      blobs,
      manifests,
      rows,
      damaged,
      faults,
      left: { ...left },
      target: { ...placeOf(target.home) },
    },
    notedIn: target.home,
  }
}

function whatMoved(from: Home, { home, takesBytes, takesRows }: Target): string {
  const [before, after] = [placeOf(from), placeOf(home)]
  const rows = takesRows ? `are now in ${after.database}` : `stay in ${before.database}`
  const bytes = takesBytes ? `are now in ${after.storage}` : `stay in ${before.storage}`
  if (takesBytes && takesRows) {
    return `The rows ${rows}, the bytes ${bytes}; those in ${describePlace(from)} were not changed.`
  }
  return takesBytes
    ? `The bytes ${bytes}; the rows ${rows}.`
    : `The rows ${rows}; the bytes ${bytes}.`
}

function howToGoOn(from: Home, target: Target, left: LeftBehind): string {
  const settings = settingsOf(from, target.home)
  const { storage } = placeOf(from)
  if (left.blobs > 0) {
    const place = from.storageUrl === undefined ? from.root : storage
    const said = `The database does not have the records or revisions of ${count(left.manifests, 'manifest')}, such as ${left.such}: their files, ${count(left.blobs, 'blob')}, were not copied.`
    return `${said} ${advice.keepSource(settings, place, kindOfPlace(from))}`
  }
  const [leftovers, kept] = leftoversOf(from, target)
  // Others that use a bucket cannot all be seen: on a machine that is off, say.
  const isShared = target.takesBytes && from.storageUrl !== undefined
  return advice.startThere(settings, leftovers, kept, isShared ? storage : undefined)
}

/** Everything that the daemon does not need any more, and what looks as if it were. */
function leftoversOf(
  from: Home,
  { home, takesBytes, takesRows }: Target,
): readonly [leftovers: string, kept: string] {
  const { root } = from
  const { database, storage } = placeOf(from)
  const isElsewhere = home.root !== root
  const rows = from.databaseUrl === undefined ? rowsIn(root) : [database]
  const bytes =
    from.storageUrl === undefined
      ? bytesIn(root)
      : ['blobs', 'records'].map((folder) => `${storage.replace(/\/$/, '')}/${folder}/`)
  const parts = [
    ...(isElsewhere ? [root] : []),
    ...(takesRows && !(isElsewhere && from.databaseUrl === undefined) ? rows : []),
    ...(takesBytes && !(isElsewhere && from.storageUrl === undefined) ? bytes : []),
  ]
  const kept = isElsewhere ? '' : `; keep everything else in ${root}`
  return [listed(parts), kept]
}

const rowsIn = (root: string): readonly string[] =>
  thoseIn(root, ['deposit.db', 'deposit.db-wal', 'deposit.db-shm'])

const bytesIn = (root: string): readonly string[] =>
  thoseIn(root, ['blobs', 'records', 'small-blobs.db', 'small-blobs.db-wal', 'small-blobs.db-shm'])

const thoseIn = (root: string, names: readonly string[]): readonly string[] =>
  names.map((name) => join(root, name)).filter((path) => existsSync(path))

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

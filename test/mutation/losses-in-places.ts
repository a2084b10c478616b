import type { Rows } from './guards.ts'

/** Guards without which a move or a new home would mix with the data of others, or be removed with its source. */
export const lossesInPlaces: Rows = {
  'daemon/operator/backup/fit-target.ts': [
    [
      'a move makes no copy in the home, which is removed afterwards',
      'if (isWithin(target, place))',
      'operator/move-target',
    ],
    [
      'a move makes no copy around the home',
      'if (isWithin(place, target))',
      'operator/move-target',
    ],
    [
      'symbolic links lead no move into the home',
      ['const target = await realPath(to)', 'const target = to'],
      'operator/move-target',
    ],
    [
      'a move mixes nothing into a folder of others',
      ['if (foreign === undefined) return', 'return'],
      'operator/move-target',
    ],
    [
      'a move fills no disk that takes no writes',
      ['if (takesBytes) await requireWritableFolders(home)', ''],
      'operator/new-disks',
    ],
    [
      'a move makes no rows beside the tables of others',
      ['if (table === undefined) return', 'return'],
      'operator/move-target',
    ],
  ],
  'daemon/home/empty-home.ts': [
    [
      'a folder of files that has any is no new home',
      ['if (foreign !== undefined && !isOwn(held))', 'if (false)'],
      'operator/new-disks',
    ],
    [
      'no bytes are sent along a link',
      ['|| !(await lstat(join(root, name))).isDirectory()', ''],
      'operator/new-disks',
    ],
  ],
  'daemon/operator/backup/restore-backup.ts': [
    [
      'a restore that was interrupted removes no bytes but its own',
      ['wasInterrupted && held.includes(unfinishedRestore)', 'wasInterrupted'],
      'operator/new-disks',
    ],
  ],
  'daemon/operator/commands/migrate.ts': [
    [
      'a new home notes no bucket of another service',
      ['requires: requireNewBucket,', ''],
      'operator/init-bytes',
    ],
    [
      'no rows are made beside bytes that have lost theirs',
      ['\n  await requireOwnStore(home, newRows)\n', '\n'],
      'operator/init-bytes',
    ],
  ],
}

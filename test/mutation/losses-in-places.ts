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
      'a move makes no rows beside the tables of others',
      ['if (table === undefined) return', 'return'],
      'operator/move-target',
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

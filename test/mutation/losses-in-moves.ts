import type { Rows } from './guards.ts'

/** Guards of moves and rebuilds against losing data. */
export const lossesInMoves: Rows = {
  'daemon/operator/commands/rebuild.ts': [
    [
      'a rebuild takes no rows that are being moved there',
      "if (earlier?.kind === 'move')",
      'operator/killed-move',
    ],
    [
      'a rebuild is resumed from where its records come from',
      [' || earlier.root !== root', ''],
      'operator/killed-rebuild',
    ],
    [
      'a rebuild that is kept off the bytes makes no service',
      "await requireUnusedStore(home, 'depositd rebuild', false)",
      'operator/rebuild-beside-others',
    ],
  ],
  'daemon/operator/commands/migrate.ts': [
    [
      'a database is not said to be migrated whose rows are unfinished',
      'await requireAllRows(database)',
      'operator/killed-rebuild',
    ],
    [
      'a move that has not ended is not called a service',
      'await requireAllRows(rows)',
      'operator/killed-move',
    ],
  ],
  'daemon/operator/commands/move.ts': [
    [
      'files that a move leaves behind are not said to be removed',
      'if (left.blobs > 0)',
      'operator/move-beside-others',
    ],
  ],
  'daemon/operator/backup/move.ts': [
    [
      'bytes that were at the target of a move before are not said to be removed',
      'if (mark && !isForAnybody(mark)) return rows',
      'operator/killed-move',
    ],
    [
      'a move to the rows of another service is not resumed',
      "if (earlier?.kind === 'move' && earlier.service !== id) throw unfinished(earlier)",
      'operator/killed-move',
    ],
    [
      'bytes are not moved away from under a daemon',
      "await requireUnusedStore(from, 'depositd move')",
      'operator/store-trace',
    ],
    [
      'the bytes of a daemon are not moved with a copy of its rows',
      ['!source.isShared || ', ''],
      'operator/move-beside-others',
    ],
    [
      'a move that is refused for bytes in use makes no service',
      [
        "await requireUnusedStore(home, 'depositd move')\n  await requireClaimable",
        'await requireClaimable',
      ],
      'operator/move-beside-others',
    ],
    [
      'a move that is refused for the bytes of others makes no service',
      'await requireClaimable(home, source)',
      'operator/move-beside-others',
    ],
    [
      'the place of moved bytes is that of their service',
      'await claimTarget(home, source, takesRows ? undefined : storage)',
      'operator/store-owner',
      'operator/store-trace',
    ],
    [
      'older rows are not moved with bytes that were used since',
      'await requireLatestStore(from)',
      'operator/copied-home',
    ],
  ],
}

import type { Rows } from './guards.ts'

/** Guards without which rows would be lost, or a search index taken for level that has missed changes. */
export const lossesInRows: Rows = {
  'core/adapters/database/deposit-rows.ts': [
    [
      'a unit that waited for another sees what that has changed, on PostgreSQL',
      [".forUpdate('deposits')", ''],
      'ports/postgres-local-units',
    ],
  ],
  'core/service/write-manifests.ts': [
    [
      'manifests are not tried again after a failed sync',
      "if (isProblem(error, 'storage_failed', 'storage_degraded'))",
      'operator/many-manifests',
    ],
  ],
  'daemon/stores/upkeep.ts': [
    [
      'a daemon has written all manifests when it ends',
      ['\n      write()\n', '\n'],
      'operator/manifests',
    ],
  ],
  'core/adapters/blobs/manifest-worker.ts': [
    [
      'manifests are durable before they have their names',
      ['for (const { file } of drafts) fsyncSync(file)', ''],
      'ports/folder-manifests.failures',
    ],
    [
      'names of manifests are durable',
      ['for (const folder of folders) syncFolder(folder)', ''],
      'ports/folder-manifests.failures',
    ],
    ['folders of manifests are durable', 'if (isAnyNew)', 'ports/folder-manifests.failures'],
  ],
  'core/adapters/blobs/folder-manifest-store.ts': [
    [
      'folders of manifests that are found are durable',
      ['begun ??= syncFound(root)', 'begun ??= Promise.resolve()'],
      'ports/folder-manifests.failures',
    ],
    [
      'no manifest is written after a failed sync',
      ['health.requireSound()\n      const path', 'const path'],
      'ports/folder-manifests.failures',
    ],
    [
      'no manifests are written together after a failed sync',
      ['health.requireSound()\n      const texts', 'const texts'],
      'ports/folder-manifests.failures',
    ],
  ],
  'core/adapters/storage-health.ts': [
    [
      'a failed sync degrades the storage, whatever its error',
      ['|| isOfSync(error)', ''],
      'ports/folder-manifests.failures',
    ],
  ],
  'core/service/change-deposit.ts': [
    [
      'no upload is begun of a draft that another daemon publishes, on PostgreSQL',
      ['{ deposits: { find: deposits.lock }, pids }', '{ deposits, pids }'],
      'several/publish-at-once',
    ],
  ],
  'core/adapters/database/answer-rows.ts': [
    [
      'a change with a key is made once by several daemons',
      [".where('answers.created', '<=', since)", ''],
      'several/several-daemons',
      'several/publish-at-once',
    ],
  ],
  'core/adapters/postgres/unit-connection.ts': [
    [
      'files added at the same time leave no user more than there is room for, on PostgreSQL',
      ['this.#waiting.push(...this.#room)', ''],
      'ports/postgres-local-units',
    ],
    [
      'an announced upload counts for files added at the same time, on PostgreSQL',
      ['this.#last.push(blindChange(touchUsage, [owner]))', ''],
      'ports/postgres-local-units',
    ],
    [
      'a change without an answer that failed fails its unit, on PostgreSQL',
      ['[...this.#blind, committed]', '[committed]'],
      'ports/postgres-local-units',
      'ports/postgres-database',
    ],
  ],
  'core/adapters/postgres/merged-inserts.ts': [
    [
      'a local unit changes a deposit only at the revision that it was told, on PostgreSQL',
      ['demands.length > 0', 'false'],
      'ports/postgres-asked-ahead',
    ],
  ],
  'core/adapters/postgres/postgres-database.ts': [
    [
      'a unit that decides upon more than its deposit is serializable, on PostgreSQL',
      "if (level !== 'serializable')",
      'ports/postgres-local-units',
    ],
  ],
  'core/adapters/database/snapshot-file.ts': [
    [
      'nothing is sent after a restore before it was compared',
      "if (hasTable(sqlite, 'identifiers'))",
      'operator/restored-dois',
    ],
  ],
  'core/adapters/database/identifier-rows.ts': [
    [
      'what waits for the operator goes on waiting',
      [".where('identifier_pauses.reason', '<>', 'restored')", ''],
      'ports/sqlite-database',
    ],
  ],
  'core/adapters/database/blob-rows.ts': [
    [
      'the bytes of a deleted file stay as long as it can be brought back',
      [".where((row) => isUnreferenced(row, 'trashed_files'))", ''],
      'spec/38-deleted-files',
      'ports/sqlite-database',
    ],
  ],
  'core/adapters/sqlite/group-commit.ts': [
    [
      'a unit that fails leaves nothing that it wrote',
      'if (this.#steps.changes() !== before)',
      'ports/sqlite-database',
    ],
    ['no read sees what is not durable', ['reader.hold()', ''], 'ports/sqlite-database'],
  ],
  // Search
  'core/adapters/database/sqlite-database.ts': [
    ['rows lose their mark with a change', 'fileSeal.break()', 'ports/sealed-index'],
    [
      'rows get no mark after a change that their index has missed',
      ['this.#isSealWithheld = true', ''],
      'ports/sealed-index',
    ],
  ],
  'core/adapters/sqlite/file-seal.ts': [
    [
      'a mark that a rollback has kept is taken off again',
      ['else this.set(0)', 'else { this.set(0); this.#isBroken = true }'],
      'ports/sealed-index',
    ],
  ],
  'core/adapters/search/fts/fts-index.ts': [
    [
      'an index with another mark is compared with the rows',
      ['if (found === mark)', 'if (found >= 0)'],
      'ports/sealed-index',
    ],
    [
      'an index that is not level gets no mark',
      ['this.isLevel ? (this.#options.seal?.next() ?? 0) : 0', 'this.#options.seal?.next() ?? 0'],
      'ports/sealed-index',
    ],
  ],
  'core/adapters/search/fts/fts-worker.ts': [
    [
      'an index that has missed a change gets no mark',
      ['task.close !== 0 && hasAll', 'task.close !== 0'],
      'ports/sealed-index',
    ],
  ],
  // The store of bytes
  'core/service/collect-garbage.ts': [
    [
      'garbage is no file that a manifest without a row names',
      ['|| strange.blobs.has(id)', ''],
      'operator/copied-home',
    ],
    [
      'nothing is garbage while a manifest without a row cannot be read',
      ['strange.damaged.length > 0 ||', ''],
      'operator/copied-home',
    ],
    [
      'a file that was published elsewhere is not left by a crash',
      ['if (!(await isKept(id))) await blobs.remove(id)', 'await blobs.remove(id)'],
      'durability/published-elsewhere',
    ],
  ],
  'core/service/sweep-uploads.ts': [
    [
      'an expired upload keeps its bytes that were published elsewhere',
      'if (current && isPublished)',
      'durability/published-elsewhere',
    ],
    [
      'the files of a deletion stay that were published elsewhere',
      ['if (!(await isKept(id))) await removeBlobs', 'await removeBlobs'],
      'durability/published-elsewhere',
    ],
  ],
  'daemon/stores/store-owner.ts': [
    [
      'the bytes of another service are not used',
      ['if (service === own) {', 'if (true) {'],
      'operator/store-owner',
    ],
    [
      'new rows do not use a store with records',
      "await requireKnownRecords(home, database)\n  return 'no mark'",
      'operator/store-owner',
    ],
    [
      'rows with files use no place without a mark that lacks them',
      ['2 * (await countHeld(home, newest)) >= newest.length', 'true'],
      'operator/store-trace',
    ],
    [
      'rows whose store was marked use no copy without a mark',
      ['&& (await wasMarked(database))', '&& false'],
      'operator/store-trace',
    ],
    [
      'rows use no place with records of others that has no mark',
      ['if (!(await database.read.records.find(name.value)))', 'if (false)'],
      'operator/store-trace',
    ],
    [
      'bytes that were moved are not used at their old place',
      ['if (elsewhere === undefined || elsewhere === mayBeAt) return', 'return'],
      'operator/store-trace',
    ],
    [
      'a place that bytes are moved to is not used before they are there',
      ['...(elsewhere !== undefined && { elsewhere })', ''],
      'operator/store-trace',
    ],
  ],
  'daemon/operator/run-command.ts': [
    [
      'a command does not use older rows with bytes that were used since',
      'await requireLatestStore(home)',
      'operator/copied-home',
    ],
  ],
  'daemon/stores/store-use.ts': [
    [
      'rows on a server are not used beside those of a home',
      ['if (isBeside && renewed === -Infinity)', 'if (false)'],
      'operator/copied-home',
    ],
    [
      'a home does not use bytes that were used with rows on a server since',
      ['if (isBeside) await', 'if (false) await'],
      'operator/copied-home',
    ],
    [
      'a mark tells which daemon used the bytes last',
      'await noteLast(home, marks, own, run)',
      'operator/copied-home',
    ],
    [
      'a daemon that was frozen does not go on with older rows',
      ['renewed === -Infinity ? known : [...known, run]', 'renewed === -Infinity ? known : []'],
      'operator/store-copies',
    ],
    [
      'a rebuild takes no bytes that a daemon begins to use at the same moment',
      [
        'or has seen the new mark.\n      await requireUnused(home, marks)',
        'or has seen the new mark.',
      ],
      'operator/store-owner',
    ],
    [
      'a daemon does not use bytes that were taken over',
      ['if (mark && !isForAnybody(mark)) await requireOwn(', 'if (false) await requireOwn('],
      'operator/store-owner',
    ],
    [
      'a daemon with a copy of the rows does not use bytes in use',
      'if (now - renewed > goneMs)',
      'operator/store-owner',
    ],
    [
      'a rebuild is not resumed on bytes that others have since',
      'if (taking.isResumed && isTold)',
      'operator/rebuild-beside-others',
    ],
  ],
  'daemon/stores/other-users.ts': [
    [
      'older rows are not used with bytes that were used since',
      ['if (!last || runs.length === 0 || runs.includes(last.run)) return', 'return'],
      'operator/copied-home',
    ],
    [
      'a rebuild takes no bytes that a daemon uses',
      ['if (!latest) return crashed', 'return crashed'],
      'operator/store-owner',
    ],
    [
      'a rebuild is not resumed on bytes that were used with a copy of its home',
      ['service === own ? last === undefined', 'service === own ? true'],
      'operator/rebuild-beside-others',
    ],
    [
      'a rebuild that took no bytes yet takes none that were used since it began',
      [': stateOf(mark) === before', ': true'],
      'operator/rebuild-beside-others',
    ],
  ],
  'daemon/stores/unfinished-rows.ts': [
    [
      'nobody uses rows of a rebuild that has not ended',
      ['if (!begun) return', 'return'],
      'operator/killed-rebuild',
    ],
    [
      'nobody uses rows that a move has not brought yet',
      ['if (!begun) return', "if (begun?.kind !== 'rebuild') return"],
      'operator/killed-move',
    ],
  ],
  'core/adapters/database/copy-rows.ts': [
    [
      'rows that changed after a move are not taken for moved ones',
      'if (!isThere)',
      'operator/move-again',
    ],
  ],
  'core/service/limits.ts': [
    [
      'the quota counts the rows of a file',
      ['const more = size + ofRows - counted', 'const more = size - counted'],
      'spec/40-quota-of-rows',
    ],
  ],
  'core/service/run-action.ts': [
    [
      'the quota counts the rows that a new version copies',
      ['documentSize(saved.metadata) + ofRows', 'documentSize(saved.metadata)'],
      'spec/40-quota-of-rows',
    ],
  ],
}

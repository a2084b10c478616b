import type { Rows } from './guards.ts'

/** Guards without which data would be lost, or a limit passed. */
export const losses: Rows = {
  // States
  'core/service/trash.ts': [
    [
      'a file that was not confirmed is not confirmed by the trash',
      'if (trashed.isUnconfirmed)',
      'foreign/rdm-unconfirmed',
    ],
  ],
  'core/actions/publish.ts': [
    [
      'a deposit with unfinished uploads is not published',
      'if (unfinished.length > 0)',
      'uploads/protocol',
    ],
    [
      'a deposit with a file that was not confirmed is not published',
      'if (unconfirmed.length > 0)',
      'foreign/rdm-api',
    ],
    ['an invalid document is not published', 'if (faults.length > 0)', 'spec/04-deposit-actions'],
    ['a conflict is not published', "if ('conflicts' in result)", 'spec/04-deposit-actions'],
  ],
  'core/actions/new-version.ts': [
    [
      'a new version loses no change of an edit',
      'if (await isChanged(draft, record, latest, context))',
      'spec/04-deposit-actions',
    ],
  ],
  'core/service/files.ts': [
    [
      'a file is deleted only while it is the one that If-Match names',
      'requireMeant?.(file.latest, deposit)',
      'spec/21-conditional-files',
    ],
    [
      'a new name confirms no file',
      ['await unit.announcedFiles.add(deposit.id, [to], now)', ''],
      'foreign/rdm-api',
    ],
  ],
  'core/service/announced-files.ts': [
    [
      'a draft whose announced files were not sent is not published',
      'if ((await unit.announcedFiles.list(id)).length > 0)',
      'foreign/rdm-api',
    ],
  ],
  'core/service/deposits.ts': [
    [
      'a deposit that was published is not deleted',
      "requireNeverPublished(deposit, 'delete')",
      'spec/02-states',
    ],
  ],

  // Bytes
  'core/service/put-file.ts': [
    [
      'a file that is replaced is kept among the deleted ones if that is asked',
      ['put.trashesReplaced === true', 'false'],
      'spec/38-replaced-files',
    ],
    [
      'a file has the checksum that was given',
      'if (computed !== checksum.toLowerCase())',
      'spec/16-bucket',
    ],
  ],
  'daemon/api/deposit-uploads.ts': [
    [
      'an empty upload is never an unfinished one',
      ['const isEmpty = total === 0', 'const isEmpty = false'],
      'several/publish-at-once',
    ],
  ],
  'core/service/append-upload.ts': [
    [
      'an upload is a file before HEAD says that all its bytes are there',
      ['!isToBeFile(status)', 'true'],
      'uploads/all-bytes-there',
    ],
    [
      'no later request stops an upload whose bytes are all there',
      ['if (!piece.signal?.aborted ||', 'if (true ||'],
      'uploads/all-bytes-there',
    ],
    [
      'bytes that a crash left among the files are made one',
      ['const isEnd =', 'const isEnd = false &&'],
      'uploads/all-bytes-there',
    ],
  ],
  'core/service/finish-upload.ts': [
    [
      'an upload has the checksum that was given',
      'requireChecksum(parts, upload, staged)',
      'uploads/protocol',
    ],
    [
      'an upload replaces no file unless it says so',
      'if (!upload.replaces && (await database.read.files.find(bucket, upload.key)))',
      'uploads/protocol',
    ],
  ],
  'core/service/concatenate-uploads.ts': [
    [
      'joined uploads have the checksum that was given',
      'if (computed !== checksum)',
      'uploads/extensions',
    ],
    ['an upload that lacks bytes is not joined', 'if (offset < upload.size)', 'uploads/extensions'],
    [
      'joined uploads are still there',
      'requireStillThere(parts, deposit, ids)',
      'uploads/extensions',
    ],
  ],
  // Identifiers
  'core/identifiers/known-outside.ts': [
    [
      'a draft whose DOI is registered is not given up',
      'if (all.some(({ registered }) => registered !== undefined))',
      'operator/restored-dois',
    ],
    [
      'no reserved DOI is given up before it was compared after a restore',
      ['all.some(({ provider }) => paused.has(provider)) ? notCompared : undefined', 'undefined'],
      'operator/restored-dois',
    ],
  ],
  'daemon/operator/commands/doi-commands.ts': [
    [
      'reserved DOIs are compared after a restore',
      ["options['all'] === 'true' || paused.size > 0", "options['all'] === 'true'"],
      'operator/restored-dois',
    ],
    [
      'a reserved DOI that is known outside is kept',
      'await database.write((unit) => unit.identifiers.meet(known, parts.clock.now()))',
      'operator/restored-dois',
    ],
    [
      'nothing is sent while records may have been withdrawn',
      "if (reason !== '')",
      'operator/restored-dois',
    ],
  ],
  'core/actions/withdraw.ts': [
    [
      'destroyed bytes stay in no trash',
      ['await unit.trash.removeSharing(bucket)', '[]'],
      'spec/38-deleted-files',
    ],
  ],
  'core/service/limits.ts': [
    [
      'room that others take while one asks for some is counted',
      ['used: found.used + sum() - kept', 'used: found.quota - left - kept'],
      'core/quota-claims',
    ],
    [
      'changes at once pass no quota of metadata',
      ['if (!isUnit(rows) || room.quota - room.used > atOnce) return room', 'return room'],
      'several/metadata-quota',
    ],
    ['the quota holds', 'if (!(await isReleasable(rows, user, missing)))', 'durability/limits'],
    [
      'the number of files holds',
      'if ((totals?.count ?? 0) + further > settings.maxFiles)',
      'durability/limits',
    ],
  ],
  'core/service/answer-allowance.ts': [
    [
      'answers kept pass a full quota by a bounded number of bytes',
      ['if (used + bytes - room.quota <= answersBeyondQuota) return', 'return'],
      'durability/kept-answers',
    ],
  ],
  'daemon/api/attempts.ts': [
    [
      'a change of metadata that is sent again with its key is made once',
      ['if (idempotencyKey(request) === undefined) {', 'if (change) {'],
      'durability/repeated-changes',
    ],
  ],
  'core/service/collect-garbage.ts': [
    [
      'garbage is not removed early by a clock that is ahead of the store',
      [' + Math.min(0, blobs.clockAheadMs ?? 0)', ''],
      'operator/garbage-clock',
    ],
    [
      'bytes that got a row since are not garbage',
      'if (await isNamed(database, id))',
      'durability/second-looks',
    ],
    [
      'bytes on their way to a row are not garbage',
      ['if (age >= graceMs)', 'if (true)'],
      'durability/second-looks',
    ],
  ],
  'core/service/sweep-uploads.ts': [
    [
      'no deleted draft is removed for good whose DOI is registered',
      'if (await whyKept(unit, hidden.deposit))',
      'durability/kept-deletions',
    ],
    [
      'a deposit that was brought back is not purged',
      'if (!hidden || hidden.since >= before)',
      'durability/second-looks',
      'durability/undone-deletions',
    ],
    [
      'only a deleted deposit is purged',
      "if (pid?.status !== 'D')",
      'durability/second-looks',
      'durability/undone-deletions',
    ],
  ],
  'core/adapters/blobs/held-removals.ts': [
    [
      'bytes are kept until the last reader is done',
      ['if (this.#holders > 0) return', ''],
      'ports/folder-blob-store',
    ],
    [
      'bytes are kept while they are read',
      ['if (this.#holders > 0) this', 'if (false) this'],
      'ports/folder-blob-store',
    ],
  ],
  'core/adapters/blobs/read-whole.ts': [
    [
      'a file is read with the digest it was kept with',
      'if (sha256 !== blob.sha256)',
      'ports/folder-blob-store',
    ],
  ],
  'core/adapters/blobs/blob-reader.ts': [
    [
      'damaged bytes are not sent to their end',
      'this.#measuring?.requireGood()',
      'ports/folder-blob-store',
    ],
  ],
  'core/adapters/blobs/blob-folder.ts': [
    ['a file takes the place of no other', 'if (await this.find(id))', 'ports/folder-blob-store'],
    [
      'no file is kept in a folder that took the place of its own',
      [
        'if (!this.#hasOtherMark && (await fileIdentity(this.#path)) === this.#identity) return',
        'return',
      ],
      'operator/blobs-away',
    ],
  ],
  'core/adapters/blobs/folder-blob-store.ts': [
    [
      'a store that failed takes no bytes',
      'this.#parts.health.requireSound()',
      'ports/small-blobs',
    ],
  ],
  'core/adapters/blobs/folder-upload-store.ts': [
    [
      'a piece is written where the last ended',
      'if (part.size !== offset)',
      'ports/folder-upload-store',
    ],
  ],
  'daemon/api/uploads/upload-locks.ts': [
    [
      'two daemons take no bytes of one upload at once',
      ['if (this.#shared) await', 'if (false) await'],
      'several/uploads-at-once',
    ],
    [
      'bytes are not acknowledged when their lock was lost',
      ['if (!(await held.release())) throw', 'await held.release(); if (false) throw'],
      'ports/postgres-locks',
    ],
  ],
  'core/adapters/storage-health.ts': [
    [
      'bytes leave the reserve of the disk',
      ["if (bytes > this.#left) throw problem('storage_full')", ''],
      'ports/folder-blob-store.failures',
      'spec/14-full-disk',
    ],
    [
      'rows leave the reserve of the disk',
      ["if (this.#isRowsShareUsed) throw problem('storage_full')", ''],
      'spec/14-full-disk',
    ],
  ],
  'core/adapters/blobs/receive.ts': [
    ['a body is not longer than it may be', 'if (total > limit)', 'ports/folder-blob-store'],
  ],
  'core/adapters/blobs/small-blobs.ts': [
    [
      'a newer file of small blobs is not opened',
      'if (found > schemaVersion)',
      'ports/small-blobs',
    ],
  ],
  'core/adapters/blobs/s3/verified-bytes.ts': [
    [
      'an object has the bytes that were kept',
      "if (all.length !== blob.size || hash('sha256', all, 'hex') !== blob.sha256)",
      'ports/s3-blob-store',
    ],
  ],
  'core/adapters/blobs/s3/s3-upload-store.ts': [
    [
      'an object is written where the last piece ended',
      'if (arrived.size !== offset)',
      'ports/s3-blob-store',
    ],
    [
      'an upload that another may write is not written',
      ['requireTurn?.()\n      await parts.keep', 'await parts.keep'],
      'ports/s3-blob-store',
    ],
  ],

  // Copies for preservation
  'daemon/operator/ocfl/export-root.ts': [
    [
      'an export takes no damaged bytes',
      ['(await fileDigest(path)) === sha256', 'true'],
      'operator/export-ocfl',
    ],
    [
      'a storage root with faults is not written to',
      'if (faults.length > 0)',
      'operator/export-ocfl',
    ],
  ],
  'daemon/operator/ocfl/import-root.ts': [
    [
      'a rebuild takes no damaged object',
      [' || faults.length > 0', ''],
      'operator/rebuild-from-ocfl',
    ],
  ],
  // At repositories of others
  'cli/remote/pull.ts': [
    [
      'what was deleted in a pulled draft is not fetched again',
      "if (isOld && journal.versions.at(-1)?.at !== undefined) return { draft, did: 'nothing' }",
      'cli/remote/pulled-again',
    ],
  ],
  'cli/remote/work-there.ts': [
    [
      'a record that was pulled and is pushed back gets no second one',
      'if (copy && isIt)',
      'cli/remote/pulled-again',
    ],
    [
      'a push with the token of another account makes no second record of a draft there',
      'if (found === undefined && current)',
      'cli/remote/other-token',
    ],
    [
      'a record that was withdrawn there gets no second one',
      'throw refuse.isWithdrawn(withdrawal, { doi, url }, this.#refusing)',
      'cli/remote/withdrawn-there',
    ],
    [
      'a version that others published there is not overwritten',
      'throw refuse.isOfOthers(found, newest, this.#refusing)',
      'cli/remote/others-versions',
    ],
    [
      'what somebody is editing there is not overwritten',
      'if (open) throw refuse.isEdited(open, this.#refusing)',
      'cli/remote/corrected-record',
    ],
    [
      'metadata that others changed in a record are not overwritten',
      'if (!isKept && this.#named === undefined) throw refuse.isChanged(found, this.#refusing)',
      'cli/remote/changed-there',
    ],
    [
      'the draft of a new version of others is not taken over',
      'throw refuse.isBegunByOthers(draft, this.#refusing)',
      'cli/remote/changed-there',
    ],
    [
      'a draft that others opened of a record is not overwritten',
      'if (current?.published && this.#named === undefined)',
      'cli/remote/others-versions',
    ],
    [
      'a journal that came with a folder continues no other work',
      'if (this.#isStrange(copy))',
      'cli/remote/others-versions',
    ],
  ],
}

import { metadataWithRows } from './schema/0044-rows-counted.ts'

/** Something that must be true of every row of a table. */
export interface Invariant {
  readonly table: string
  readonly message: string
  /** Selects the ids of the rows of which it is not. */
  readonly sql: string
}

/**
 * States that no unit of work leaves behind, even after a crash. The SQL runs on every database.
 */
export const invariants: readonly Invariant[] = [
  {
    table: 'deposits',
    message: 'has no identifier',
    sql: `SELECT id FROM deposits WHERE NOT EXISTS
      (SELECT 1 FROM pids WHERE pids.pid_type = deposits.pid_type AND pid_value = deposits.id)`,
  },
  {
    table: 'deposits',
    message: 'is neither a draft nor published',
    sql: `SELECT id FROM deposits WHERE status NOT IN ('draft', 'published')`,
  },
  {
    table: 'deposits',
    message: 'is published, but has no record',
    sql: `SELECT id FROM deposits WHERE status = 'published' AND record_value IS NULL`,
  },
  {
    table: 'deposits',
    message: 'names a revision of a record that is not there',
    sql: `SELECT id FROM deposits WHERE record_value IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM record_revisions r WHERE r.pid_type = deposits.record_type
        AND r.pid_value = deposits.record_value AND r.revision = deposits.record_revision)`,
  },
  {
    table: 'pids',
    message: 'leads to no deposit',
    sql: `SELECT pid_type || ':' || pid_value FROM pids
      WHERE pid_type = 'depid' AND status NOT IN ('D', 'M')
      AND NOT EXISTS (SELECT 1 FROM deposits WHERE id = pid_value)`,
  },
  {
    table: 'pids',
    message: 'leads to no record',
    sql: `SELECT pid_type || ':' || pid_value FROM pids
      WHERE pid_type <> 'depid' AND object_type <> 'concept' AND status NOT IN ('D', 'M', 'N')
      AND NOT EXISTS (SELECT 1 FROM record_revisions r
        WHERE r.pid_type = pids.pid_type AND r.pid_value = pids.pid_value)
      AND NOT EXISTS (SELECT 1 FROM deposits
        WHERE deposits.pid_type = pids.pid_type AND id = pid_value)`,
  },
  {
    table: 'pids',
    message: 'has an unknown status',
    sql: `SELECT pid_type || ':' || pid_value FROM pids
      WHERE status NOT IN ('N', 'K', 'R', 'M', 'D')`,
  },
  {
    table: 'pids',
    message: 'is the concept of nothing',
    sql: `SELECT pid_type || ':' || pid_value FROM pids
      WHERE object_type = 'concept' AND status NOT IN ('D', 'M')
      AND NOT EXISTS (SELECT 1 FROM versions WHERE concept = pid_value)`,
  },
  {
    table: 'deposits',
    message: 'belongs to no concept',
    sql: `SELECT id FROM deposits WHERE NOT EXISTS
      (SELECT 1 FROM versions WHERE deposit_id = id AND record IS NOT DISTINCT FROM record_value)`,
  },
  {
    table: 'deposits',
    message: 'has no number',
    sql: `SELECT id FROM deposits WHERE NOT EXISTS (SELECT 1 FROM numbers WHERE deposit_id = id)`,
  },
  {
    table: 'versions',
    message: 'is a version of a concept that has no identifier, or of no deposit',
    sql: `SELECT deposit_id FROM versions WHERE NOT EXISTS (SELECT 1 FROM deposits WHERE id = deposit_id)
      OR NOT EXISTS (SELECT 1 FROM pids WHERE pid_type = 'recid' AND pid_value = concept
        AND object_type = 'concept' AND status <> 'D')
      OR (number IS NULL) <> (record IS NULL)`,
  },
  {
    table: 'record_revisions',
    message: 'does not follow the version before it, so that its versions are no chain',
    sql: `SELECT pid_value FROM (SELECT pid_value, predecessor, (SELECT earlier.record
          FROM versions AS earlier WHERE earlier.concept = versions.concept
          AND earlier.number < versions.number ORDER BY earlier.number DESC LIMIT 1) AS before
        FROM versions JOIN record_revisions ON pid_value = record WHERE latest = 1) AS placed
      WHERE predecessor IS DISTINCT FROM before AND (before IS NOT NULL OR EXISTS
        (SELECT 1 FROM versions WHERE record = predecessor))`,
  },
  {
    table: 'record_revisions',
    message:
      'is not marked as it should be: a version that a later one has superseded, or the newest',
    sql: `SELECT pid_value || '@' || revision FROM (SELECT pid_value, revision, superseded,
        EXISTS (SELECT 1 FROM versions AS later JOIN pids ON pid_type = 'recid'
          AND pids.pid_value = later.record WHERE later.concept = versions.concept
          AND later.number > versions.number AND status NOT IN ('M', 'D')) AS is_hidden,
        EXISTS (SELECT 1 FROM versions AS later JOIN pids ON pid_type = 'recid'
          AND pids.pid_value = later.record WHERE later.concept = versions.concept
          AND later.number > versions.number AND status <> 'D') AS may_be_hidden
        FROM record_revisions JOIN versions ON record = pid_value
        WHERE NOT EXISTS (SELECT 1 FROM pids WHERE pid_type = 'recid' AND status IN ('M', 'D')
          AND pids.pid_value = record_revisions.pid_value)) AS marked
      WHERE (superseded = 0 AND is_hidden) OR (superseded = 1 AND NOT may_be_hidden)`,
  },
  {
    table: 'deposits',
    message: 'does not agree with the identifier of its record on whether that was withdrawn',
    sql: `SELECT id FROM deposits JOIN pids ON pids.pid_type = record_type
      AND pids.pid_value = record_value
      WHERE (withdrawal IS NOT NULL AND pids.status NOT IN ('M', 'D'))
      OR (withdrawal IS NULL AND pids.status = 'D')`,
  },
  {
    table: 'deposits',
    message: 'waits for reviewers, but is no draft, or has no review',
    sql: `SELECT id FROM deposits WHERE submitted IS NOT NULL
      AND (status <> 'draft' OR review IS NULL)`,
  },
  {
    table: 'deposits',
    message: 'is published, but names those who changed its draft',
    sql: `SELECT id FROM deposits WHERE makers IS NOT NULL AND status <> 'draft'`,
  },
  {
    table: 'review_comments',
    message: 'is a comment on no deposit',
    sql: `SELECT id FROM review_comments WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE deposits.id = deposit_id)`,
  },
  {
    table: 'announced_files',
    message: 'was announced for no deposit',
    sql: `SELECT deposit_id || ' ' || key FROM announced_files WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE deposits.id = deposit_id)`,
  },
  {
    table: 'record_revisions',
    message: 'has no identifier',
    sql: `SELECT DISTINCT pid_value FROM record_revisions r WHERE NOT EXISTS
      (SELECT 1 FROM pids WHERE pids.pid_type = r.pid_type AND pids.pid_value = r.pid_value)`,
  },
  {
    table: 'record_revisions',
    message: 'does not have every revision from 0 on, or not exactly one that is the latest',
    sql: `SELECT pid_value FROM record_revisions GROUP BY pid_value
      HAVING count(*) <> max(revision) + 1 OR min(revision) <> 0 OR sum(latest) <> 1
        OR max(CASE WHEN latest = 1 THEN revision END) IS DISTINCT FROM max(revision)`,
  },
  {
    table: 'record_revisions',
    message: 'has a bucket that no deposit has',
    sql: `SELECT pid_value || '@' || revision FROM record_revisions r
      WHERE NOT EXISTS (SELECT 1 FROM deposits WHERE deposits.bucket_id = r.bucket_id)`,
  },
  {
    table: 'files',
    message: 'lies in a bucket that no deposit has',
    sql: `SELECT id FROM files WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE deposits.bucket_id = files.bucket_id)`,
  },
  {
    table: 'files',
    message: 'names a blob that has no row',
    sql: `SELECT id FROM files WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.id = blob_id)`,
  },
  {
    table: 'file_versions',
    message: 'is a version of no file',
    sql: `SELECT version_id FROM file_versions
      WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.id = file_id)
      AND NOT EXISTS (SELECT 1 FROM trashed_files WHERE trashed_files.id = file_id)`,
  },
  {
    table: 'trashed_files',
    message: 'was deleted from a bucket that no deposit has, or is not deleted',
    sql: `SELECT id FROM trashed_files WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE deposits.bucket_id = trashed_files.bucket_id)
      OR EXISTS (SELECT 1 FROM files WHERE files.id = trashed_files.id)`,
  },
  {
    table: 'trashed_files',
    message: 'names a blob that has no row',
    sql: `SELECT id FROM trashed_files WHERE NOT EXISTS
      (SELECT 1 FROM blobs WHERE blobs.id = blob_id)`,
  },
  {
    table: 'file_versions',
    message: 'names a blob that has no row',
    sql: `SELECT version_id FROM file_versions WHERE NOT EXISTS
      (SELECT 1 FROM blobs WHERE blobs.id = blob_id)`,
  },
  {
    table: 'buckets',
    message: 'has totals that are not those of its files',
    sql: `SELECT buckets.id FROM buckets LEFT JOIN
      (SELECT bucket_id, count(*) AS files, sum(size) AS bytes
        FROM files JOIN blobs ON blobs.id = blob_id GROUP BY bucket_id) AS totals ON bucket_id = buckets.id
      WHERE file_count <> coalesce(files, 0) OR byte_count <> coalesce(bytes, 0)`,
  },
  {
    table: 'buckets',
    message: 'has files, but no totals',
    sql: `SELECT DISTINCT bucket_id FROM files WHERE NOT EXISTS
      (SELECT 1 FROM buckets WHERE buckets.id = bucket_id)`,
  },
  {
    table: 'blobs',
    message: 'has a size or a digest that cannot be',
    sql: `SELECT id FROM blobs WHERE size < 0 OR length(sha256) <> 64
      OR rtrim(sha256, '0123456789abcdef') <> ''`,
  },
  {
    table: 'metadata_usage',
    message: 'is not the sum of the metadata that there are',
    sql: `SELECT owner FROM (SELECT owner, -byte_count AS bytes FROM metadata_usage
        UNION ALL ${metadataWithRows}) AS metadata GROUP BY owner HAVING sum(bytes) <> 0`,
  },
  {
    table: 'history',
    message: 'is a change of no deposit, or of a revision that is yet to come',
    sql: `SELECT deposit_id || '@' || n FROM history WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE id = deposit_id AND n <= revision AND since < n)`,
  },
  {
    table: 'deposit_people',
    message: 'finds a deposit that is not shown so',
    sql: `SELECT user_id || ' ' || deposit_id FROM deposit_people AS people WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE id = deposit_id AND hidden IS NULL AND owner <> user_id
        AND deposits.status = people.status AND deposits.updated >= people.updated
        AND deposits.pid_type = people.pid_type)`,
  },
  {
    table: 'links',
    message: 'is a link to no deposit',
    sql: `SELECT id FROM links WHERE NOT EXISTS
      (SELECT 1 FROM deposits WHERE deposits.id = deposit_id)`,
  },
  {
    table: 'tokens',
    message: 'is a token of nobody',
    sql: `SELECT id FROM tokens WHERE NOT EXISTS
      (SELECT 1 FROM accounts WHERE accounts.id = account_id)`,
  },
]

/** Invariants of SQLite alone: of JSON kept as text, and of counts kept by triggers. */
export const sqliteInvariants: readonly Invariant[] = [
  {
    table: 'deposits',
    message: 'has owners that cannot be read, or that do not begin with its owner',
    sql: `SELECT id FROM deposits WHERE CASE WHEN json_valid(owners)
      THEN coalesce(json_extract(owners, '$[0]'), created_by) IS NOT owner ELSE 1 END`,
  },
  {
    table: 'deposits',
    message: 'has a review that cannot be read, or that does not agree on whether it waits',
    sql: `SELECT id FROM deposits WHERE CASE WHEN json_valid(coalesce(review, '{}'))
      THEN CASE json_extract(review, '$.state') WHEN 'submitted' THEN json_extract(review, '$.at') END
        IS NOT submitted ELSE 1 END`,
  },
  {
    table: 'deposits',
    message: 'has makers that cannot be read',
    sql: `SELECT id FROM deposits WHERE NOT json_valid(coalesce(makers, '[]'))`,
  },
  {
    table: 'deposits',
    message: 'has people who do not find it, or are not those with a role',
    sql: `SELECT id FROM deposits WHERE people IS NOT NULL AND CASE WHEN json_valid(people)
      THEN hidden IS NULL AND (SELECT count(*) FROM json_each(people)) <>
        1 + (SELECT count(*) FROM deposit_people WHERE deposit_id = id) ELSE 1 END`,
  },
  {
    table: 'record_revisions',
    message: 'has a dump of its deposit that cannot be read',
    sql: `SELECT pid_value || '@' || revision FROM record_revisions WHERE NOT json_valid(deposit)`,
  },
  {
    table: 'blobs',
    message: 'has digests that cannot be read',
    sql: 'SELECT id FROM blobs WHERE NOT json_valid(digests)',
  },
  {
    table: 'kept_counts',
    message: 'is not the number that there are',
    sql: `SELECT kind FROM kept_counts WHERE count <> CASE kind
      WHEN 'records' THEN (SELECT count(*) FROM record_revisions WHERE latest = 1)
      WHEN 'newest' THEN
        (SELECT count(*) FROM record_revisions WHERE latest = 1 AND superseded = 0)
      ELSE (SELECT count(*) FROM deposits WHERE hidden IS NULL AND status = kind) END`,
  },
]

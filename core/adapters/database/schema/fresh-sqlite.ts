/** What all migrations leave on SQLite. Not written by hand: `index.ts` says how. */
export const freshSqlite = `
CREATE TABLE "accounts" ("id" text primary key, "email" text not null unique, "admin" integer not null, "disabled" integer not null, "created" text not null, "issuer" text, "subject" text, "quota" bigint, "name" text, "claimed_admin" integer, "roles" text, "claimed_roles" text);
CREATE TABLE "tokens" ("id" text primary key, "hash" text not null unique, "account_id" text not null references "accounts" ("id"), "name" text not null, "scopes" text not null, "deposit_id" text, "created" text not null, "expires" text, "parent_id" text);
CREATE INDEX "tokens_by_account_id_created" on "tokens" ("account_id", "created");
CREATE TABLE "pids" ("pid_type" text not null, "pid_value" text not null, "object_type" text not null, "object_uuid" text not null, "status" text not null, "redirect_type" text, "redirect_value" text, constraint "pids_primary" primary key ("pid_type", "pid_value"));
CREATE TABLE "deposits" ("id" text primary key, "bucket_id" text not null unique, "status" text not null, "owner" text not null, "owners" text not null, "created_by" text not null, "schema_path" text, "document" text not null, "digest" text not null, "revision" integer not null, "base_revision" integer, "record_type" text, "record_value" text, "record_revision" integer, "predecessor" text, "indexed" integer not null, "hidden" text, "created" text not null, "updated" text not null, "pid_type" text default 'depid' not null, "withdrawal" text, "people" text, "offer" text, "review" text, "submitted" text, "makers" text);
CREATE INDEX "deposits_by_owner_hidden_updated_id" on "deposits" ("owner", "hidden", "updated" desc, "id");
CREATE INDEX "deposits_by_owner_hidden_status_updated_id" on "deposits" ("owner", "hidden", "status", "updated" desc, "id");
CREATE INDEX "deposits_by_hidden_updated_id" on "deposits" ("hidden", "updated" desc, "id");
CREATE INDEX "deposits_by_hidden_status_updated_id" on "deposits" ("hidden", "status", "updated" desc, "id");
CREATE TABLE "buckets" ("id" text primary key, "file_count" integer not null, "byte_count" bigint not null);
CREATE TABLE "blobs" ("id" text primary key, "size" bigint not null, "sha256" text not null, "digests" text not null, "checked" text, "damage" text, "owner" text, "crc32" bigint);
CREATE TABLE "files" ("id" text primary key, "bucket_id" text not null, "key" text not null, "position" integer not null, "published_position" integer, "version_id" text not null, "blob_id" text not null references "blobs" ("id"), "storage_class" text not null, "created" text not null, constraint "files_key" unique ("bucket_id", "key"));
CREATE TABLE "file_versions" ("version_id" text primary key, "file_id" text not null, "ordinal" integer not null, "blob_id" text not null references "blobs" ("id"), "storage_class" text not null, "created" text not null);
CREATE INDEX "files_by_bucket_id_position" on "files" ("bucket_id", "position");
CREATE INDEX "files_by_blob_id" on "files" ("blob_id");
CREATE INDEX "file_versions_by_file_id_ordinal" on "file_versions" ("file_id", "ordinal");
CREATE INDEX "file_versions_by_blob_id" on "file_versions" ("blob_id");
CREATE TABLE "record_revisions" ("pid_type" text not null, "pid_value" text not null, "revision" integer not null, "latest" integer not null, "bucket_id" text not null, "schema_path" text, "document" text not null, "digest" text not null, "deposit" text not null, "predecessor" text, "created" text not null, "updated" text not null, "manifested" integer default 0 not null, "superseded" integer default 0 not null, "made" text, constraint "record_revisions_primary" primary key ("pid_value", "revision"));
CREATE INDEX "record_revisions_by_latest_updated_pid_value" on "record_revisions" ("latest", "updated" desc, "pid_value");
CREATE INDEX "record_revisions_by_bucket_id_latest" on "record_revisions" ("bucket_id", "latest");
CREATE INDEX "record_revisions_by_predecessor" on "record_revisions" ("predecessor");
CREATE INDEX "blobs_by_checked" on "blobs" ("checked", "id");
CREATE INDEX "blobs_damaged" on "blobs" ("damage") where "damage" is not null;
CREATE INDEX "record_revisions_unmanifested" on "record_revisions" ("pid_value", "revision") where "manifested" = 0;
CREATE UNIQUE INDEX "accounts_by_issuer_subject" on "accounts" ("issuer", "subject");
CREATE TABLE "passphrases" ("account_id" text primary key references "accounts" ("id"), "hashed" text not null);
CREATE TABLE "issuer_entries" ("kind" text not null, "hash" text not null, "payload" text not null, "grant_id" text, "user_code" text, "consumed" integer, "expires" text not null, "account_id" text, constraint "issuer_entries_primary" primary key ("kind", "hash"));
CREATE INDEX "issuer_entries_by_grant" on "issuer_entries" ("grant_id");
CREATE UNIQUE INDEX "issuer_entries_by_user_code" on "issuer_entries" ("user_code");
CREATE INDEX "issuer_entries_by_expires" on "issuer_entries" ("expires");
CREATE TABLE "uploads" ("id" text primary key, "deposit_id" text not null, "owner" text not null, "key" text not null, "size" bigint not null, "replaces" integer not null, "checksum" text, "metadata" text not null, "created" text not null, "finished" text, "concat" text, "length_deferred" integer);
CREATE INDEX "uploads_by_deposit" on "uploads" ("deposit_id", "finished", "created");
CREATE INDEX "uploads_by_owner" on "uploads" ("owner", "finished", "size");
CREATE TABLE "answers" ("account_id" text not null, "key" text not null, "request" text not null, "answer" text not null, "created" text not null, constraint "answers_primary" primary key ("account_id", "key"));
CREATE INDEX "answers_by_created" on "answers" ("created");
CREATE TABLE "usage" ("owner" text primary key, "byte_count" bigint not null);
CREATE TABLE "shared_secrets" ("name" text primary key, "value" text not null);
CREATE TABLE "guesses" ("key" text primary key, "points" integer default 0 not null, "expire" bigint);
CREATE TABLE "intents" ("blob_id" text primary key, "renewed" text not null, "given_up" integer not null);
CREATE INDEX "intents_by_renewed" on "intents" ("renewed");
CREATE TABLE "kept_counts" ("kind" text primary key, "count" integer not null);
CREATE TRIGGER deposits_count_inserted AFTER INSERT ON deposits
    BEGIN UPDATE kept_counts SET count = count + (new.hidden IS NULL) WHERE kind = new.status; END;
CREATE TRIGGER deposits_count_deleted AFTER DELETE ON deposits
    BEGIN UPDATE kept_counts SET count = count + (-(old.hidden IS NULL)) WHERE kind = old.status; END;
CREATE TRIGGER deposits_count_updated AFTER UPDATE OF status, hidden ON deposits
    WHEN old.status <> new.status OR old.hidden IS NOT new.hidden
    BEGIN UPDATE kept_counts SET count = count + (-(old.hidden IS NULL)) WHERE kind = old.status;
      UPDATE kept_counts SET count = count + (new.hidden IS NULL) WHERE kind = new.status; END;
CREATE TRIGGER records_count_inserted AFTER INSERT ON record_revisions WHEN new.latest = 1
    BEGIN UPDATE kept_counts SET count = count + (1) WHERE kind = 'records'; END;
CREATE TRIGGER records_count_deleted AFTER DELETE ON record_revisions WHEN old.latest = 1
    BEGIN UPDATE kept_counts SET count = count + (-1) WHERE kind = 'records'; END;
CREATE TRIGGER records_count_updated AFTER UPDATE OF latest ON record_revisions
    WHEN old.latest <> new.latest
    BEGIN UPDATE kept_counts SET count = count + (new.latest - old.latest) WHERE kind = 'records'; END;
CREATE INDEX "deposits_predecessor" on "deposits" ("predecessor", "created") where "predecessor" is not null;
CREATE TABLE "clients" ("id" text primary key, "name" text not null, "secret_hash" text, "account_id" text references "accounts" ("id"), "scopes" text not null, "uses" text not null, "redirect_uris" text not null, "created" text not null);
CREATE INDEX "deposits_of_further_endpoints" on "deposits" ("pid_type", "updated" desc, "id") where "pid_type" <> 'depid';
CREATE TABLE "metadata_usage" ("owner" text not null, "slot" integer not null, "byte_count" bigint not null, constraint "metadata_usage_primary" primary key ("owner", "slot"));
CREATE TRIGGER deposits_metadata_inserted AFTER INSERT ON deposits BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.owner, 0, octet_length(new.document) WHERE new.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER deposits_metadata_deleted AFTER DELETE ON deposits BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT old.owner, 0, -(octet_length(old.document) + coalesce(
  (SELECT sum(octet_length(document)) FROM record_revisions
   WHERE bucket_id = old.bucket_id), 0)) WHERE old.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER deposits_metadata_updated AFTER UPDATE OF document ON deposits WHEN old.owner = new.owner AND octet_length(new.document) - octet_length(old.document) <> 0 BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.owner, 0, octet_length(new.document) - octet_length(old.document) WHERE new.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER deposits_metadata_moved AFTER UPDATE ON deposits WHEN NOT (old.owner = new.owner) BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT old.owner, 0, -(octet_length(old.document) + coalesce(
  (SELECT sum(octet_length(document)) FROM record_revisions
   WHERE bucket_id = old.bucket_id), 0)) WHERE old.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count;
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.owner, 0, octet_length(new.document) + coalesce(
  (SELECT sum(octet_length(document)) FROM record_revisions
   WHERE bucket_id = new.bucket_id), 0) WHERE new.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER record_revisions_metadata_inserted AFTER INSERT ON record_revisions BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE bucket_id = new.bucket_id), 0, octet_length(new.document) WHERE (SELECT owner FROM deposits WHERE bucket_id = new.bucket_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER record_revisions_metadata_deleted AFTER DELETE ON record_revisions BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE bucket_id = old.bucket_id), 0, -(octet_length(old.document)) WHERE (SELECT owner FROM deposits WHERE bucket_id = old.bucket_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER record_revisions_metadata_updated AFTER UPDATE OF document ON record_revisions WHEN old.bucket_id = new.bucket_id AND octet_length(new.document) - octet_length(old.document) <> 0 BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE bucket_id = new.bucket_id), 0, octet_length(new.document) - octet_length(old.document) WHERE (SELECT owner FROM deposits WHERE bucket_id = new.bucket_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER record_revisions_metadata_moved AFTER UPDATE ON record_revisions WHEN NOT (old.bucket_id = new.bucket_id) BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE bucket_id = old.bucket_id), 0, -(octet_length(old.document)) WHERE (SELECT owner FROM deposits WHERE bucket_id = old.bucket_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count;
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE bucket_id = new.bucket_id), 0, octet_length(new.document) WHERE (SELECT owner FROM deposits WHERE bucket_id = new.bucket_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE INDEX "tokens_by_parent_id" on "tokens" ("parent_id");
CREATE TABLE "versions" ("deposit_id" text primary key, "concept" text not null, "number" integer, "record" text);
CREATE UNIQUE INDEX versions_by_record ON versions (record);
CREATE UNIQUE INDEX versions_by_concept ON versions (concept, number);
CREATE INDEX "record_revisions_newest" on "record_revisions" ("updated" desc, "pid_value") where latest = 1 and superseded = 0;
CREATE TRIGGER newest_count_inserted AFTER INSERT ON record_revisions WHEN (new.latest = 1 AND new.superseded = 0)
    BEGIN UPDATE kept_counts SET count = count + (1) WHERE kind = 'newest'; END;
CREATE TRIGGER newest_count_deleted AFTER DELETE ON record_revisions WHEN (old.latest = 1 AND old.superseded = 0)
    BEGIN UPDATE kept_counts SET count = count + (-1) WHERE kind = 'newest'; END;
CREATE TRIGGER newest_count_updated AFTER UPDATE OF latest, superseded ON record_revisions
    WHEN (old.latest = 1 AND old.superseded = 0) <> (new.latest = 1 AND new.superseded = 0)
    BEGIN UPDATE kept_counts SET count = count + ((new.latest = 1 AND new.superseded = 0) - (old.latest = 1 AND old.superseded = 0)) WHERE kind = 'newest'; END;
CREATE TABLE "numbers" ("number" integer primary key, "deposit_id" text not null unique);
CREATE TABLE "identifiers" ("value" text primary key, "provider" text not null, "scheme" text not null, "url" text not null, "object" text not null, "subject" text not null, "deposit_id" text not null, "status" text not null, "message" text, "field" text, "registered" text, "updated" text not null);
CREATE UNIQUE INDEX "identifiers_by_subject" on "identifiers" ("subject", "provider");
CREATE INDEX "identifiers_by_deposit" on "identifiers" ("deposit_id");
CREATE INDEX "identifiers_by_status" on "identifiers" ("status", "value");
CREATE TABLE "identifier_outbox" ("value" text primary key, "change" integer not null, "attempts" integer not null, "unsure" integer not null, "due" text not null, "holder" text, "held_until" text);
CREATE INDEX "identifier_outbox_by_due" on "identifier_outbox" ("due");
CREATE TABLE "identifier_pauses" ("provider" text primary key, "reason" text not null, "message" text not null, "since" text not null, "until" text);
CREATE INDEX "pids_unlisted" on "pids" ("pid_type", "pid_value") where status in ('M', 'D') and object_type = 'rec';
CREATE TABLE "deposit_people" ("user_id" text not null, "deposit_id" text not null, "pid_type" text not null, "status" text not null, "updated" text not null, constraint "deposit_people_primary" primary key ("deposit_id", "user_id"));
CREATE INDEX "deposit_people_by_user_id_updated" on "deposit_people" ("user_id", "updated" desc, "deposit_id");
CREATE INDEX "deposit_people_by_user_id_status_updated" on "deposit_people" ("user_id", "status", "updated" desc, "deposit_id");
CREATE TABLE "links" ("id" text primary key, "deposit_id" text not null, "hash" text not null unique, "role" text not null, "label" text not null, "anonymous" integer not null, "created_by" text not null, "created" text not null, "expires" text not null, "revoked" text);
CREATE INDEX "links_by_deposit" on "links" ("deposit_id");
CREATE TABLE "invitations" ("email" text primary key, "account_id" text not null unique, "created" text not null, "invited_by" text);
CREATE TABLE "audit" ("id" text primary key, "at" text not null, "who" text, "token" text, "from_address" text, "what" text not null, "path" text, "deposit_id" text, "was" integer, "revision" integer, "object" text, "files" text, "status" integer, "failed" text, "request_id" text, "times" integer) without rowid;
CREATE INDEX "audit_by_who" on "audit" ("who", "id");
CREATE INDEX "audit_by_deposit" on "audit" ("deposit_id", "id") where "deposit_id" is not null;
CREATE INDEX "deposits_withdrawn" on "deposits" ("updated") where "withdrawal" is not null;
CREATE TABLE "history" ("deposit_id" text not null, "n" integer not null, "ordinal" integer not null, "total" bigint not null, "since" integer not null, "at" text not null, "made_by" text not null, "action" text not null, "undone_to" integer, "record_revision" integer, "patch" text not null, "undo" text not null, constraint "history_primary" primary key ("deposit_id", "n"));
CREATE INDEX "history_by_at" on "history" ("at");
CREATE TABLE "trashed_files" ("id" text primary key, "bucket_id" text not null, "key" text not null, "position" integer not null, "version_id" text not null, "blob_id" text not null references "blobs" ("id"), "storage_class" text not null, "created" text not null, "deleted" text not null, "deleted_by" text not null, "unconfirmed" integer default 0 not null);
CREATE INDEX "trashed_files_by_bucket_id_deleted" on "trashed_files" ("bucket_id", "deleted");
CREATE INDEX "trashed_files_by_blob_id" on "trashed_files" ("blob_id");
CREATE INDEX "trashed_files_by_deleted" on "trashed_files" ("deleted");
CREATE TRIGGER history_metadata_inserted AFTER INSERT ON history
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE id = new.deposit_id), 0, octet_length(new.patch) + octet_length(new.undo) WHERE (SELECT owner FROM deposits WHERE id = new.deposit_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER history_metadata_deleted AFTER DELETE ON history
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT (SELECT owner FROM deposits WHERE id = old.deposit_id), 0, -(octet_length(old.patch) + octet_length(old.undo)) WHERE (SELECT owner FROM deposits WHERE id = old.deposit_id) IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER history_metadata_moved AFTER UPDATE OF owner ON deposits
    WHEN old.owner <> new.owner BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT old.owner, 0, -coalesce((SELECT sum(octet_length(patch) + octet_length(undo)) FROM history
    WHERE deposit_id = old.id), 0) WHERE old.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count;
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.owner, 0, coalesce((SELECT sum(octet_length(patch) + octet_length(undo)) FROM history
    WHERE deposit_id = new.id), 0) WHERE new.owner IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TABLE "vocabulary_loads" ("vocabulary" text primary key, "load" integer not null, "terms" integer not null, "source" text not null, "loaded" text not null);
CREATE TABLE "terms" ("vocabulary" text not null, "load" integer not null, "id" text not null, "title" text not null, "body" text not null, constraint "terms_key" primary key ("vocabulary", "load", "id"));
CREATE INDEX "terms_by_title" on "terms" ("vocabulary", "load", "title");
CREATE TABLE "term_words" ("vocabulary" text not null, "load" integer not null, "word" text not null, "id" text not null, constraint "term_words_key" primary key ("vocabulary", "load", "word", "id"));
CREATE INDEX "deposits_submitted" on "deposits" ("submitted", "id") where "submitted" is not null;
CREATE INDEX "deposits_submitted_by_owner" on "deposits" ("owner", "submitted", "id") where "submitted" is not null;
CREATE TABLE "review_comments" ("id" text primary key, "deposit_id" text not null, "at" text not null, "account_id" text not null, "text" text not null, "action" text, "revision" integer not null);
CREATE INDEX "review_comments_by_deposit" on "review_comments" ("deposit_id", "id");
CREATE TABLE "announced_files" ("deposit_id" text not null, "key" text not null, "at" text not null, constraint "announced_files_key" primary key ("deposit_id", "key"));
CREATE INDEX "invitations_by_invited_by" on "invitations" ("invited_by");
CREATE INDEX "deposits_offered" on "deposits" ("id") where "offer" is not null;
CREATE INDEX "review_comments_by_account" on "review_comments" ("account_id");
CREATE TRIGGER review_comments_metadata_inserted AFTER INSERT ON review_comments
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT id, 0, octet_length(new.text) FROM accounts
    WHERE id = new.account_id AND new.text <> '' ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER review_comments_metadata_deleted AFTER DELETE ON review_comments
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT id, 0, -octet_length(old.text) FROM accounts
    WHERE id = old.account_id AND old.text <> '' ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER review_comments_metadata_moved AFTER UPDATE OF account_id ON review_comments
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT id, 0, -octet_length(old.text) FROM accounts
    WHERE id = old.account_id AND old.text <> '' ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT id, 0, octet_length(new.text) FROM accounts
    WHERE id = new.account_id AND new.text <> '' ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER accounts_comments_left AFTER DELETE ON accounts BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT account_id, 0, -sum(octet_length(text)) FROM review_comments
    WHERE account_id = old.id GROUP BY account_id ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE INDEX "issuer_entries_by_account" on "issuer_entries" ("account_id");
CREATE INDEX "identifier_outbox_untried" on "identifier_outbox" ("due") where "attempts" = 0;
CREATE TRIGGER answers_metadata_inserted AFTER INSERT ON answers BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.account_id, 64, octet_length(new.answer) WHERE new.account_id IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER answers_metadata_deleted AFTER DELETE ON answers BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT old.account_id, 64, -(octet_length(old.answer)) WHERE old.account_id IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER answers_metadata_updated AFTER UPDATE OF answer ON answers WHEN old.account_id = new.account_id AND octet_length(new.answer) - octet_length(old.answer) <> 0 BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.account_id, 64, octet_length(new.answer) - octet_length(old.answer) WHERE new.account_id IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER answers_metadata_moved AFTER UPDATE ON answers WHEN NOT (old.account_id = new.account_id) BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT old.account_id, 64, -(octet_length(old.answer)) WHERE old.account_id IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count;
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT new.account_id, 64, octet_length(new.answer) WHERE new.account_id IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER files_row_inserted AFTER INSERT ON files
      BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, 512 + octet_length(new.key) FROM deposits WHERE bucket_id = new.bucket_id ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER files_row_deleted AFTER DELETE ON files
      BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, -(512 + octet_length(old.key)) FROM deposits WHERE bucket_id = old.bucket_id ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER trashed_files_row_inserted AFTER INSERT ON trashed_files
      BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, 512 + octet_length(new.key) FROM deposits WHERE bucket_id = new.bucket_id ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER trashed_files_row_deleted AFTER DELETE ON trashed_files
      BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, -(512 + octet_length(old.key)) FROM deposits WHERE bucket_id = old.bucket_id ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER files_row_renamed AFTER UPDATE OF key ON files
    WHEN octet_length(old.key) <> octet_length(new.key)
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, octet_length(new.key) - octet_length(old.key) FROM deposits WHERE bucket_id = new.bucket_id ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER file_versions_row_inserted AFTER INSERT ON file_versions
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, 512 FROM deposits WHERE bucket_id = coalesce(
    (SELECT bucket_id FROM files WHERE id = new.file_id),
    (SELECT bucket_id FROM trashed_files WHERE id = new.file_id)) ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER file_versions_row_deleted AFTER DELETE ON file_versions
    BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, -512 FROM deposits WHERE bucket_id = coalesce(
    (SELECT bucket_id FROM files WHERE id = old.file_id),
    (SELECT bucket_id FROM trashed_files WHERE id = old.file_id)) ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
CREATE TRIGGER deposits_rows_moved AFTER UPDATE OF owner ON deposits
    WHEN old.owner <> new.owner BEGIN 
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT side.owner, 0, sign * bytes FROM (SELECT coalesce(
    (SELECT sum(512 + octet_length(key)) FROM files WHERE bucket_id = new.bucket_id), 0) + 512 * (SELECT count(*) FROM file_versions
    WHERE file_id IN (SELECT id FROM files WHERE bucket_id = new.bucket_id)) + coalesce(
    (SELECT sum(512 + octet_length(key)) FROM trashed_files WHERE bucket_id = new.bucket_id), 0) + 512 * (SELECT count(*) FROM file_versions
    WHERE file_id IN (SELECT id FROM trashed_files WHERE bucket_id = new.bucket_id)) AS bytes) AS moved,
    (SELECT old.owner AS owner, -1 AS sign UNION ALL SELECT new.owner, 1) AS side
    WHERE bytes > 0 ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count; END;
INSERT INTO "kept_counts" VALUES ('draft', 0);
INSERT INTO "kept_counts" VALUES ('published', 0);
INSERT INTO "kept_counts" VALUES ('records', 0);
INSERT INTO "kept_counts" VALUES ('newest', 0);
`

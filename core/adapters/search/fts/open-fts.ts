import type Sqlite from 'better-sqlite3'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { connect } from '../../sqlite/connect.ts'
import { codeOf } from '../../../base/errno.ts'

/**
 * Bytes that `words` buffers in memory before it writes them. Each write makes work for later; with a
 * much larger buffer FTS5 takes many times as long to find the place of each token.
 */
const gatheredBytes = 2 * 1024 * 1024

/**
 * Raised with each change of what is stored below: a file of another version is built again. Programs
 * of version 2 left the mark of `file-seal.ts` on rows that they changed.
 */
const version = 3

/**
 * `words` holds no text of its own, and takes every token we give it as it is: its tokenizer parts
 * at signs of ASCII, which no token has. Ranges are answered from `field_values`.
 */
const schema = `
  CREATE VIRTUAL TABLE words USING fts5(
    title, text, fields, content='', contentless_delete=1, tokenize='ascii'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
  CREATE TABLE facts (
    n INTEGER PRIMARY KEY, -- document-number.ts
    id TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL, -- milliseconds since 1970
    updated INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE bodies (n INTEGER PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE field_values (
    field INTEGER NOT NULL, kind TEXT NOT NULL, value REAL NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (field, kind, value, n)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO words (words, rank) VALUES ('hashsize', ${gatheredBytes});
  PRAGMA user_version = ${version};
`

/** Opens the index in the file at `path`; one that cannot be used is replaced by an empty one. */
export function openFts(path: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const present = openPresent(path)
  if (present) return present
  removeFts(path)
  const sqlite = openFile(path)
  sqlite.exec(schema)
  return sqlite
}

/** The index that is there; undefined where it is damaged, or of another version. */
function openPresent(path: string): Sqlite.Database | undefined {
  let sqlite: Sqlite.Database | undefined
  try {
    sqlite = openFile(path)
    if (sqlite.pragma('user_version', { simple: true }) === version) return touch(sqlite)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  sqlite?.close()
  return undefined
}

/** Reads a little of each table: SQLite finds damage where it looks, and not before. */
function touch(sqlite: Sqlite.Database): Sqlite.Database {
  for (const table of ['words', 'vocabulary', 'facts', 'bodies', 'field_values']) {
    sqlite.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get()
  }
  return sqlite
}

/** Removes the file with what SQLite keeps beside it. */
export function removeFts(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true })
}

function openFile(path: string): Sqlite.Database {
  const sqlite = connect(path)
  sqlite.pragma('journal_mode = wal')
  // Changes lost in a power cut are found missing at the next start.
  sqlite.pragma('synchronous = normal')
  sqlite.pragma('temp_store = memory')
  sqlite.pragma('cache_size = -16384')
  sqlite.pragma('trusted_schema = 0')
  return sqlite
}

/** True of an error that only building the index again can mend. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB'
}

import type Sqlite from 'better-sqlite3'
import { openWriter } from '../../core/adapters/database/sqlite-database.ts'
import { parseUserId } from '../../core/index.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { Maker, ownersOf, type Owners } from './filling.ts'
import { ownerEmail } from './home.ts'
import { rowsOf } from './million/rows.ts'

/** What the deposits of a home are. */
export type Seeded = 'drafts' | 'records'

/**
 * Settings while rows are inserted. Identifiers are random, so the pages of all indexes stay in
 * memory. New pages go into the file and into no log.
 */
const bulk = ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -2000000'] as const

/** Settings afterwards: the file is as a daemon leaves it, and lies on the disk. */
const usual = ['synchronous = FULL', 'journal_mode = WAL'] as const

/**
 * Fills a home with `count` deposits, owned as {@link ownersOf} says. Records have no files, and
 * their manifests count as written, so that the daemon does not write them first.
 *
 * Only this part of a measurement bypasses HTTP, since a million requests take hours. The functions
 * of the program make the rows; `seed.test.ts` compares them with those of requests.
 */
export function seed(home: string, count: number, kind: Seeded = 'drafts'): void {
  insertInto(home, (into, sqlite) => insertAll(into, sqlite, count, kind))
}

/** Inserts rows into the database of a home whose daemon does not run. */
export function insertInto(
  home: string,
  insert: (into: Inserts, sqlite: Sqlite.Database) => void,
): void {
  using writer = openWriter(homeAt(home).database)
  const { sqlite } = writer
  for (const pragma of bulk) sqlite.pragma(pragma)
  sqlite.transaction(() => insert(new Inserts(sqlite), sqlite))()
  for (const pragma of usual) sqlite.pragma(pragma)
}

function insertAll(into: Inserts, sqlite: Sqlite.Database, count: number, kind: Seeded): void {
  const owners = addOwners(sqlite, into, count)
  const maker = new Maker()
  const isPublished = kind === 'records'
  for (let index = 0; index < count; index += 1) {
    const made = maker.make(index, { owner: owners.of(index), isPublished, revision: 0 })
    const { deposit, pids, version, record } = rowsOf(made)
    for (const pid of pids) into.table('pids', pid)
    into.table('deposits', deposit)
    into.table('versions', version)
    into.table('numbers', { deposit_id: deposit.id })
    if (record) into.table('record_revisions', record)
  }
}

function addOwners(sqlite: Sqlite.Database, into: Inserts, count: number): Owners {
  const find = sqlite.prepare<[string], { id: string }>('SELECT id FROM accounts WHERE email = ?')
  const account = find.get(ownerEmail)
  if (!account) throw new Error(`the home has no ${ownerEmail}`)
  const owners = ownersOf(parseUserId(account.id), count)
  for (const other of owners.accounts) into.table('accounts', other)
  return owners
}

/** A prepared statement for each table, by the columns of its first row. */
export class Inserts {
  readonly #sqlite: Sqlite.Database
  readonly #statements = new Map<string, Sqlite.Statement>()

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
  }

  table(name: string, row: object): void {
    const statement = this.#statements.get(name) ?? this.#prepare(name, Object.keys(row))
    statement.run(Object.values(row))
  }

  #prepare(table: string, columns: readonly string[]): Sqlite.Statement {
    const places = columns.map(() => '?').join()
    const sql = `INSERT INTO ${table} (${columns.join()}) VALUES (${places})`
    const statement = this.#sqlite.prepare(sql)
    this.#statements.set(table, statement)
    return statement
  }
}

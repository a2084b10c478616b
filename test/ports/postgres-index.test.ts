import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRow } from '../../core/adapters/database/deposit-row.ts'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { PostgresIndex } from '../../core/adapters/search/postgres/postgres-index.ts'
import { replaceRows, WordStore } from '../../core/adapters/search/postgres/projection.ts'
import { toSearchRow } from '../../core/adapters/search/postgres/search-row.ts'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import type { DepositId } from '../../core/pid/deposit-pid.ts'
import type { IndexedDocument, Visibility } from '../../core/ports/search-index.ts'
import { loadDocuments, loadDocumentsById } from '../../core/service/load-documents.ts'
import { parseSearchRequest } from '../../core/search/request.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { sampleDraft } from '../support/rows.ts'
import { Rows } from '../support/rows-to-index.ts'
import { searchIndexContract, type SearchFixture } from './search-index.contract.ts'

const deposits: Visibility = { of: 'deposits' }
/** The registry of the suite's documents, which show the addresses of their schemas. */
const registry = 'https://example.org/schemas/'
const schemaUrl = (path: string): string => registry + path

describe.skipIf(!hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server[Symbol.asyncDispose]())

  /** The tables of one database, emptied for each test: making a database takes long. */
  async function openFixture(url: string): Promise<SearchFixture> {
    await using stack = new AsyncDisposableStack()
    const db = stack.adopt(openPostgres(url, { connections: 1 }), (open) => open.destroy())
    for (const table of ['search_deposits', 'search_records', 'search_words']) {
      await sql`truncate ${sql.table(table)}`.execute(db)
    }
    await sql`truncate search_deposits_values, search_records_values`.execute(db)
    await db.deleteFrom('deposits').execute()
    await sql`insert into search_state values ('deposits'), ('records') on conflict do nothing`.execute(
      db,
    )
    const rows = new Rows()
    const index = stack.use(
      new PostgresIndex({
        url,
        load: rows.load,
        loadById: async (kind, ids) =>
          [...rows.documents.values()].filter(
            (row) => row.kind === kind.slice(0, -1) && ids.includes(row.id),
          ),
        schemaUrl,
      }),
    )
    const write = async (document: IndexedDocument, made: readonly IndexedDocument[]) => {
      const kind = document.kind === 'record' ? 'records' : 'deposits'
      const stored = made.map(asStored)
      if (kind === 'deposits') await storeTime(db, document, made.length > 0)
      await new WordStore(db).add(stored.flatMap(({ words }) => words))
      await replaceRows(db, kind, [document.id], stored)
    }
    const owned = stack.move()
    return {
      // Scans of all rows are tried below, with rows that a database can have.
      index: {
        start: index.start,
        put: index.put,
        remove: index.remove,
        search: index.search,
        ready: index.ready,
        reset: async () => {},
        [Symbol.asyncDispose]: async () => {},
      },
      store: async (document) => {
        rows.add(document)
        await write(document, [document])
      },
      erase: async (document) => {
        rows.remove(document)
        await write(document, [])
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }

  let shared: Promise<string> | undefined
  const sharedDatabase = async (): Promise<string> => {
    const url = await server.database(randomUUID())
    await (await openPostgresDatabase(url, () => {}))[Symbol.asyncDispose]()
    return url
  }
  searchIndexContract('PostgreSQL', async () => openFixture(await (shared ??= sharedDatabase())), {
    runs: 60,
  })

  /** A database with an index over it, as one daemon has them. */
  async function openBoth(url: string) {
    await using stack = new AsyncDisposableStack()
    const database = stack.use(
      await openPostgresDatabase(url, (error) => expect.fail(String(error))),
    )
    const index = stack.use(
      new PostgresIndex({
        url,
        load: loadDocuments(database.read, schemaUrl),
        loadById: loadDocumentsById(database.read, schemaUrl),
        schemaUrl,
      }),
    )
    const owned = stack.move()
    return {
      database,
      index,
      find: async (q: string, visibility: Visibility = deposits) =>
        (await index.search(parseSearchRequest({ q, size: '50' }), visibility)).ids.toSorted(),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }

  describe('that several daemons search', () => {
    it('shows each the commits of the others, and nothing that was rolled back', async () => {
      const url = await server.database(randomUUID())
      await using one = await openBoth(url)
      await using two = await openBoth(url)
      await one.index.start()
      const draft = sampleDraft({ metadata: { title: 'needle' } })
      const undone = one.database.write(async (unit) => {
        await unit.deposits.insert(sampleDraft({ metadata: { title: 'needle' } }))
        throw new Error('stop')
      })
      await expect(undone).rejects.toThrow('stop')
      expect(await two.find('needle')).toEqual([])
      await one.database.write((unit) => unit.deposits.insert(draft))
      expect(await two.find('needle')).toEqual([draft.id])
      const saved = await two.database.write((unit) =>
        unit.deposits.save({ ...draft, metadata: { title: 'hay' } }, draft.updated),
      )
      expect(await one.find('needle OR title:hay')).toEqual([draft.id])
      expect(await one.find('needle')).toEqual([])
      await one.database.write((unit) => unit.deposits.hide(saved.id, saved.updated))
      expect(await two.find('hay')).toEqual([])
      await two.database.write((unit) => unit.deposits.show(saved.id))
      expect(await one.find('hay')).toEqual([draft.id])
      await one.database.write((unit) => unit.deposits.remove(saved.id))
      expect(await two.find('hay')).toEqual([])
    })

    it('lets them write the same new words at the same time', async () => {
      const url = await server.database(randomUUID())
      await using one = await openBoth(url)
      await using two = await openBoth(url)
      await one.index.start()
      await Promise.all(
        Array.from({ length: 40 }, (_, number) =>
          (number % 2 ? one : two).database.write((unit) =>
            unit.deposits.insert(sampleDraft({ metadata: { title: `needle n${number % 7}` } })),
          ),
        ),
      )
      expect(await one.find('needle')).toHaveLength(40)
      expect(await two.find('nedle~1')).toHaveLength(40)
    })
  })

  it('answers from the rows until it is complete, and finds the same afterwards', async () => {
    const url = await server.database(randomUUID())
    await using opened = await openBoth(url)
    const drafts = Array.from({ length: 45 }, (_, number) =>
      sampleDraft({ metadata: { title: `needle n${number}` } }),
    )
    for (const draft of drafts) await opened.database.write((unit) => unit.deposits.insert(draft))
    await using db = openPostgres(url, { connections: 1 })
    const ids = drafts.map(({ id }) => String(id)).toSorted()
    await sql`delete from search_deposits where id < ${ids[30] ?? ''}`.execute(db)
    await sql`delete from search_words`.execute(db)
    await sql`insert into search_deposits select 'gone', status, owners, schema_path, created, updated, terms, runs from search_deposits limit 1`.execute(
      db,
    )
    expect(await opened.index.ready()).toBe(false)
    expect(await opened.find('needle')).toEqual(ids)
    await opened.index.start()
    expect(await opened.index.ready()).toBe(true)
    expect(await opened.find('needle')).toEqual(ids)
    expect(await opened.find('neddle~1')).toEqual(ids)
  })

  it('finds documents too long for the positions or the words of a tsvector', async () => {
    const url = await server.database(randomUUID())
    await using opened = await openBoth(url)
    await opened.index.start()
    const numbered = (count: number, word: string) =>
      Array.from({ length: count }, (_, number) => word + number).join(' ')
    const title = `${numbered(12_000, 'w')} end`
    const long = sampleDraft({ metadata: { title, keywords: ['needle one', 'two'] } })
    const often = sampleDraft({ metadata: { title: 'hay '.repeat(400), keywords: ['needle'] } })
    const huge = sampleDraft({ metadata: { description: numbered(90_000, 'word') } })
    await opened.database.write(async (unit) => {
      for (const draft of [long, often, huge]) await unit.deposits.insert(draft)
    })

    const { id } = long
    for (const q of [
      '"w11998 w11999 end"',
      'title:"w11999 end"',
      '"needle one"',
      'w119*',
      'en~1',
    ]) {
      expect(await opened.find(q), q).toContain(id)
    }
    for (const q of [
      '"one two"',
      'keywords:"one two"',
      '"end needle"',
      'title:needle',
      '"w2 w1"',
    ]) {
      expect(await opened.find(q), q).toEqual([])
    }
    expect(await opened.find('"hay hay"')).toEqual([often.id])
    expect(await opened.find('"word89998 word89999"')).toEqual([huge.id])
    expect(await opened.find('description:word8999*')).toEqual([huge.id])
    expect(await opened.find('_exists_:keywords NOT "needle one"')).toEqual([often.id])
  })

  it('finds schemas by their present address', async () => {
    const url = await server.database(randomUUID())
    await using opened = await openBoth(url)
    await opened.index.start()
    const draft = sampleDraft({ schema: 'deposits/a-v1.0.0.json' })
    const other = sampleDraft({ schema: null })
    await opened.database.write(async (unit) => {
      for (const made of [draft, other]) await unit.deposits.insert(made)
    })

    expect(await opened.find(String.raw`$schema:"${registry}deposits/a-v1.0.0.json"`)).toEqual([
      draft.id,
    ])
    expect(await opened.find('$schema:example')).toEqual([draft.id])
    expect(await opened.find('$schema:elsewhere')).toEqual([])
    expect(await opened.find('_exists_:$schema')).toEqual([draft.id])
  })
})

/** The time of a deposit is found by its row, which is made or removed. */
async function storeTime(
  db: ReturnType<typeof openPostgres>,
  { id, updated }: IndexedDocument,
  isMade: boolean,
): Promise<void> {
  await db.deleteFrom('deposits').where('id', '=', id).execute()
  if (!isMade) return
  const row = toRow(sampleDraft({ id: id as DepositId, updated }))
  await db.insertInto('deposits').values(row).execute()
}

/** As a row has it: with the path of its schema. */
function asStored(document: IndexedDocument) {
  const { $schema: schema, ...rest } = document.document
  const path = typeof schema === 'string' ? schema.replace(registry, '') : null
  return toSearchRow({ ...document, document: { ...rest, $schema: path } })
}

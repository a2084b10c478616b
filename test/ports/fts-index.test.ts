import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseUserId } from '../../core/access/caller.ts'
import { connect } from '../../core/adapters/sqlite/connect.ts'
import { giveWay } from '../../core/base/turns.ts'
import { FtsIndex, LargeIndexes } from '../../core/adapters/search/fts/fts-index.ts'
import { MiniSearchIndex } from '../../core/adapters/search/minisearch/minisearch-index.ts'
import type { Visibility } from '../../core/ports/search-index.ts'
import { parseSearchRequest } from '../../core/search/request.ts'
import { sampleDocument } from '../support/indexed-documents.ts'
import { Rows } from '../support/rows-to-index.ts'
import type { Json } from '../../core/base/json.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { searchIndexContract, type SearchFixture } from './search-index.contract.ts'

const deposits: Visibility = { of: 'deposits' }

interface LargeFixture extends SearchFixture {
  readonly rows: Rows
  readonly deposits: FtsIndex
  readonly reported: readonly unknown[]
  /** Resolves once the indexes have caught up. */
  readonly settled: () => Promise<void>
}

/** An index in `folder` that keeps almost nothing in memory. */
async function openLarge(
  folder: string,
  rows = new Rows(),
  pauseMs?: number,
): Promise<LargeFixture> {
  const reported: unknown[] = []
  const large = (of: 'deposits' | 'records'): FtsIndex =>
    new FtsIndex({
      path: join(folder, `${of}.db`),
      load: () => rows.load({ of }),
      maxDocument: 2 ** 20,
      report: (error) => reported.push(error),
      ...(pauseMs !== undefined && { pauseMs }),
    })
  const [deposits, records] = [large('deposits'), large('records')]
  const index = new MiniSearchIndex({
    load: rows.load,
    maxBytes: 1,
    large: new LargeIndexes({
      deposits,
      records,
      count: async (kind) => rows.count(kind),
      documents: 0,
      limit: 0,
    }),
  })
  return {
    index,
    rows,
    deposits,
    reported,
    settled: async () => {
      await index.start()
      await Promise.all([deposits.settled(), records.settled()])
    },
    store: async (document) => rows.add(document),
    erase: async (document) => rows.remove(document),
    [Symbol.asyncDispose]: () => index[Symbol.asyncDispose](),
  }
}

/** As the suite needs it: each search waits until the indexes have caught up. */
async function openFixture(): Promise<SearchFixture> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder()).path
  const { index, store, erase, settled } = stack.use(await openLarge(folder))
  const owned = stack.move()
  return {
    index: {
      start: index.start,
      put: index.put,
      remove: index.remove,
      reset: index.reset,
      ready: index.ready,
      search: async (request, visibility) => {
        await settled()
        return index.search(request, visibility)
      },
      [Symbol.asyncDispose]: () => index[Symbol.asyncDispose](),
    },
    store,
    erase,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

searchIndexContract('FTS5', openFixture, { runs: 30 })

describe('the large index', () => {
  const needle = (id: string, rest: Parameters<typeof sampleDocument>[0] = {}) =>
    sampleDocument({ id, ...rest, metadata: { title: 'needle', ...rest.metadata } })
  const found = async ({ index }: SearchFixture, q = 'needle', visibility: Visibility = deposits) =>
    (await index.search(parseSearchRequest({ q, size: '50' }), visibility)).ids.toSorted()

  it('is searched instead of the rows, for administrators and for owners of many documents', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    for (const id of ['d1', 'd2', 'd3']) large.rows.add(needle(id))
    await large.settled()
    const { read } = large.rows

    expect(await found(large)).toEqual(['d1', 'd2', 'd3'])
    expect(large.rows.read).toBe(read)
    expect(await found(large, 'needle', { of: 'owner', user: parseUserId('ada') })).toHaveLength(3)
    // After the second document the owner was known to have too much for memory.
    expect(large.rows.read).toBe(read + 1)
  })

  it('answers from the rows while it is built, which begins when there is too much for memory', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    for (const id of ['d1', 'd2']) large.rows.add(needle(id))

    expect(await found(large)).toEqual(['d1', 'd2'])
    expect(large.deposits.isLevel).toBe(false)
    await large.deposits.settled()
    expect(large.deposits.isLevel).toBe(true)
    expect(await found(large)).toEqual(['d1', 'd2'])
  })

  it('is built when the first document too long for memory is stored', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    const notes = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ')
    const [short, long] = [needle('d1'), needle('d2', { metadata: { notes } })]
    for (const document of [short, long]) {
      large.rows.add(document)
      await large.index.put(document)
    }
    await large.deposits.settled()
    const { read } = large.rows

    expect(await found(large)).toEqual(['d1', 'd2'])
    expect(large.rows.read).toBe(read)
  })

  it('finds at the next start the documents created, changed and removed without it', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    for (const id of ['d1', 'd2', 'd3', 'd4']) rows.add(needle(id))
    {
      await using before = await openLarge(folder.path, rows)
      await before.settled()
      await before.index.put(needle('gone'))
    }
    rows.add(needle('d1', { revision: 1, metadata: { title: 'hay' } }))
    rows.remove(needle('d2'))
    rows.add(needle('d5'))
    await using after = await openLarge(folder.path, rows)
    await after.settled()
    const { read } = rows

    expect(await found(after)).toEqual(['d3', 'd4', 'd5'])
    expect(await found(after, 'hay')).toEqual(['d1'])
    expect(rows.read).toBe(read)
  })

  it('applies puts and removals while it catches up', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    const { rows, index } = large
    for (let count = 0; count < 250; count += 1) rows.add(needle(`d${count}`))
    rows.between = async (read) => {
      if (read !== 150) return
      // The rows are not changed, so the next read of them is out of date.
      await index.put(needle('d200', { revision: 1, metadata: { title: 'hay' } }))
      await index.remove(needle('d210'))
      await index.put(needle('new'))
    }
    await large.settled()

    expect(large.deposits.isLevel).toBe(true)
    const { total } = await index.search(parseSearchRequest({ q: 'needle' }), deposits)
    expect(total).toBe(249)
    expect(await found(large, 'hay')).toEqual(['d200'])
    expect(await found(large, '_deposit.id:new')).toEqual(['new'])
  })

  it('is rebuilt when its file is damaged', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    for (const id of ['d1', 'd2']) rows.add(needle(id))
    await writeFile(join(folder.path, 'deposits.db'), 'this is no database, but it is long enough')
    await using large = await openLarge(folder.path, rows)
    await large.settled()

    expect(large.deposits.isLevel).toBe(true)
    expect(await found(large)).toEqual(['d1', 'd2'])
  })

  it('finds the same when any page of its file is damaged, and is rebuilt by the next start', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'deposits.db')
    const rows = new Rows()
    for (let count = 0; count < 30; count += 1) rows.add(needle(`d${count}`))
    const open = async () => {
      const large = await openLarge(folder.path, rows)
      await large.settled()
      return large
    }
    await (await open())[Symbol.asyncDispose]()
    const whole = await readFile(path)
    let met = 0
    for (let at = 4096; at < whole.length; at += 4096) {
      await writeFile(path, Buffer.from(whole).fill(0xff, at, at + 4096))
      await using large = await open()
      expect(await found(large)).toHaveLength(30)
      if (large.reported.length === 0) continue
      met += 1
      await large[Symbol.asyncDispose]()
      await using again = await open()
      expect(again.deposits.isLevel).toBe(true)
      expect(await found(again)).toHaveLength(30)
    }

    expect(met).toBeGreaterThan(0)
  })

  it('answers from the rows once a change of it has failed, and reports why', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    for (const id of ['d1', 'd2']) large.rows.add(needle(id))
    await large.settled()
    const impossible = needle('d3', { revision: 0.5 })
    large.rows.add(impossible)
    await large.index.put(impossible)

    await expect.poll(() => large.reported).toEqual([expect.any(Error)])
    expect(await found(large)).toEqual(['d1', 'd2', 'd3'])
  })

  it('catches up with a later search once the cause of its failure is gone', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path, new Rows(), 0)
    large.rows.add(needle('d1'))
    large.rows.add(needle('d2', { revision: 0.5 }))
    await large.settled()
    expect(large.deposits.isLevel).toBe(false)
    large.rows.add(needle('d2'))

    expect(await found(large)).toEqual(['d1', 'd2'])
    await large.deposits.settled()
    expect(large.deposits.isLevel).toBe(true)
    await large.index.put(needle('d3'))
    expect(await found(large)).toEqual(['d1', 'd2', 'd3'])
    expect(large.reported).toHaveLength(1)
  })

  it('reports a document that cannot be stored while the event loop is busy', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    large.rows.add(needle('d0', { revision: 0.5 }))
    for (let count = 1; count < 20; count += 1) large.rows.add(needle(`d${count}`))
    let isDone = false
    const busy = (async () => {
      while (!isDone) {
        await giveWay()
        const end = performance.now() + 10
        while (performance.now() < end);
      }
    })()
    await large.settled()
    isDone = true
    await busy

    expect(large.reported).toEqual([expect.any(Error)])
    expect(await found(large)).toHaveLength(20)
  })

  it('stops building when its index is closed', async () => {
    await using folder = await temporaryFolder()
    const large = await openLarge(folder.path)
    for (let count = 0; count < 500; count += 1) large.rows.add(needle(`d${count}`))
    large.rows.between = async (read) => {
      if (read === 120) void large[Symbol.asyncDispose]()
    }
    await large.settled()
    await large[Symbol.asyncDispose]()

    expect(large.rows.read).toBeLessThan(500)
    expect(large.reported).toEqual([])
  })

  it('indexes long lists at any depth, by their own field and the outermost', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    const nested = (depth: number): Json =>
      depth > 0 ? { a: nested(depth - 1) } : [...Array.from({ length: 5000 }, () => 0), 'needle', 7]
    large.rows.add(needle('d1', { metadata: { title: 'deep', list: nested(60) } }))
    await large.settled()
    const own = `list${'.a'.repeat(60)}`

    expect(await found(large)).toEqual(['d1'])
    expect(await found(large, 'list:needle')).toEqual(['d1'])
    expect(await found(large, `${own}:needle AND ${own}:[6 TO 8]`)).toEqual(['d1'])
    expect(await found(large, 'list:[8 TO 9]')).toEqual([])
  })

  it('skips a search whose turn comes too late', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    large.rows.add(needle('d1'))
    await large.settled()
    const request = parseSearchRequest({ q: 'needle' })

    expect(await large.deposits.search(request, deposits, -1)).toBeUndefined()
    expect(await large.deposits.search(request, deposits, 60_000)).toMatchObject({ ids: ['d1'] })
  })

  it('puts a document once more that is changed many times while it is put', async () => {
    await using folder = await temporaryFolder()
    const changes = 50
    {
      await using large = await openLarge(folder.path)
      large.rows.add(needle('d1'))
      await large.settled()
      for (let revision = 1; revision <= changes; revision += 1) {
        const title = `state${revision}`
        const changed = needle('d1', { revision, metadata: { title } })
        large.rows.add(changed)
        await large.index.put(changed)
      }
      const [last, before] = [`state${changes}`, `state${changes - 1}`]
      expect(await found(large, last)).toEqual(['d1'])
      expect(await found(large, before)).toEqual([])
    }
    const file = connect(join(folder.path, 'deposits.db'), { readonly: true })
    const { n } = file.prepare('SELECT max(n) AS n FROM facts').get() as { readonly n: number }
    file.close()

    // Each time that one is put, it gets a higher number.
    expect(n).toBeLessThan(changes)
  })

  it('answers each owner in turn, however much one of them searches', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    for (const user of ['ada', 'bob']) large.rows.add(needle(user, { owner: user }))
    await large.settled()
    const answered: string[] = []
    const search = async (user: string): Promise<void> => {
      const visibility: Visibility = { of: 'owner', user: parseUserId(user) }
      await large.deposits.search(parseSearchRequest({ q: 'needle' }), visibility, 60_000)
      answered.push(user)
    }
    await Promise.all(['ada', 'ada', 'ada', 'ada', 'bob'].map(search))

    expect(answered.slice(0, 2).toSorted()).toEqual(['ada', 'bob'])
  })

  it('finds near words among any number of words', async () => {
    await using folder = await temporaryFolder()
    await using large = await openLarge(folder.path)
    const title = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ')
    large.rows.add(needle('d1', { metadata: { title } }))
    large.rows.add(needle('d2', { metadata: { title: 'wxyz' } }))
    await large.settled()

    expect(await found(large, 'w29999~1')).toEqual(['d1'])
    expect(await found(large, 'title:wxyy~1')).toEqual(['d2'])
    expect(await found(large, 'wxyy~1 OR w99x~1')).toEqual(['d1', 'd2'])
  })
})

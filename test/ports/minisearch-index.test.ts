import { describe, expect, it } from 'vitest'
import { parseUserId } from '../../core/access/caller.ts'
import { MiniSearchIndex } from '../../core/adapters/search/minisearch/minisearch-index.ts'
import type { Visibility } from '../../core/ports/search-index.ts'
import type { SearchParameters } from '../../core/search/request.ts'
import { parseSearchRequest } from '../../core/search/request.ts'
import { sampleDocument } from '../support/indexed-documents.ts'
import { Rows } from '../support/rows-to-index.ts'
import type { SearchFixture } from './search-index.contract.ts'
import { searchIndexContract } from './search-index.contract.ts'

async function openFixture(): Promise<SearchFixture> {
  const rows = new Rows()
  const index = new MiniSearchIndex({ load: rows.load })
  return {
    index,
    store: async (document) => rows.add(document),
    erase: async (document) => rows.remove(document),
    [Symbol.asyncDispose]: () => index[Symbol.asyncDispose](),
  }
}

searchIndexContract('MiniSearch', () => openFixture())

const owner = (name: string): Visibility => ({ of: 'owner', user: parseUserId(name) })

function openRows(maxBytes: number, owners: readonly string[], each: number) {
  const rows = new Rows()
  for (const name of owners) {
    for (let count = 0; count < each; count += 1) {
      rows.add(
        sampleDocument({ id: `${name}${count}`, owner: name, metadata: { title: 'needle' } }),
      )
    }
  }
  const index = new MiniSearchIndex({ load: rows.load, maxBytes })
  const total = async (visibility: Visibility, parameters: SearchParameters = { q: 'needle' }) =>
    (await index.search(parseSearchRequest(parameters), visibility)).total
  return { rows, index, total }
}

describe('the MiniSearch index of an owner', () => {
  it('is built only from rows of that owner, once for searches that arrive together', async () => {
    const { rows, total } = openRows(1_000_000, ['ada', 'bob'], 5)
    const found = await Promise.all([total(owner('ada')), total(owner('ada')), total(owner('ada'))])
    expect(found).toEqual([5, 5, 5])
    expect(rows.loads).toEqual([owner('ada')])
    expect(rows.read).toBe(5)
  })

  it('applies puts, changes and removals while it is built', async () => {
    const { rows, index, total } = openRows(10_000_000, ['ada'], 100)
    const made = sampleDocument({ id: 'new', metadata: { title: 'needle' } })
    const changed = sampleDocument({ id: 'ada0', metadata: { title: 'hay' } })
    const gone = sampleDocument({ id: 'ada99', metadata: { title: 'needle' } })
    rows.between = async (read) => {
      if (read !== 50) return
      // The rows are not changed: the build reads those it began with.
      await index.put(made)
      await index.put(changed)
      await index.remove(gone)
    }
    expect(await total(owner('ada'))).toBe(99)
    expect(await total(owner('ada'), { q: 'hay' })).toBe(1)
  })

  it('is built again by the next search when building it failed', async () => {
    const { rows, total } = openRows(1_000_000, ['ada'], 3)
    rows.between = () => {
      throw new Error('the rows cannot be read')
    }
    await expect(total(owner('ada'))).rejects.toThrow('the rows cannot be read')
    rows.between = () => {}
    expect(await total(owner('ada'))).toBe(3)
  })

  it('is dropped when it is the least recently used and there are too many documents', async () => {
    const { rows, total } = openRows(70_000, ['ada', 'bob', 'eve'], 5)
    await total(owner('ada'))
    await total(owner('bob'))
    await total(owner('ada'))
    await total(owner('eve'))
    await total(owner('ada'))
    expect(rows.loads).toHaveLength(3)
    await total(owner('bob'))
    expect(rows.loads).toHaveLength(4)
  })

  it('is dropped and rebuilt when a change of it fails half-way', async () => {
    const { index, rows, total } = openRows(1_000_000, ['ada'], 3)
    await total(owner('ada'))
    const unreadable = { ...sampleDocument({ id: 'ada1' }) }
    Object.defineProperty(unreadable, 'document', {
      get: () => {
        throw new Error('unreadable')
      },
    })
    await expect(index.put(unreadable)).rejects.toThrow('unreadable')
    expect(await total(owner('ada'))).toBe(3)
    expect(rows.loads).toHaveLength(2)
  })

  it('scores the same whether it was kept up to date or rebuilt', async () => {
    const { index, rows } = openRows(1_000_000, ['ada'], 20)
    const request = parseSearchRequest({ q: 'needle OR hay OR straw', size: '50' })
    await index.search(request, owner('ada'))
    for (let count = 0; count < 9; count += 1) {
      const title = ['needle', 'hay needle', 'straw hay', 'straw'][count % 4] ?? ''
      const document = sampleDocument({ id: `ada${(count * 7) % 20}`, metadata: { title } })
      rows.add(document)
      await index.put(document)
    }
    const kept = await index.search(request, owner('ada'))
    await index.reset()
    expect(await index.search(request, owner('ada'))).toEqual(kept)
  })
})

describe('more documents than fit in memory', () => {
  it('are searched in the rows, with the same results', async () => {
    const { rows, index, total } = openRows(45_000, ['ada', 'bob'], 8)
    const found = await index.search(parseSearchRequest({ q: 'needle' }), { of: 'deposits' })
    expect(found.total).toBe(16)
    expect(found.ids.slice(0, 2)).toEqual(['ada0', 'ada1'])
    expect(found.facets).toEqual({ status: [{ key: 'draft', count: 16 }] })
    rows.add(sampleDocument({ id: 'new', metadata: { title: 'needle' } }))
    expect(await total({ of: 'deposits' })).toBe(17)
    expect(await total({ of: 'deposits', only: 'new' })).toBe(1)
  })

  it('are indexed again once there are fewer', async () => {
    const { rows, total } = openRows(45_000, ['ada'], 12)
    await total(owner('ada'))
    for (const document of [...rows.documents.values()].slice(5)) rows.remove(document)
    expect(await total(owner('ada'))).toBe(5)
    expect(await total(owner('ada'))).toBe(5)
    const { length } = rows.loads
    expect(await total(owner('ada'))).toBe(5)
    expect(rows.loads).toHaveLength(length)
  })
})

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseUserId } from '../../core/access/caller.ts'
import type { IndexedDocument, SearchIndex } from '../../core/ports/search-index.ts'
import { matches } from '../../core/search/match.ts'
import { parseQuery } from '../../core/search/query.ts'
import type { SearchParameters } from '../../core/search/request.ts'
import { depositSearch, parseSearchRequest } from '../../core/search/request.ts'
import type { Visibility } from '../../core/search/visibility.ts'
import { sampleDocument } from '../support/indexed-documents.ts'
import { documents, queries } from '../support/search-arbitraries.ts'

/** An index with the rows that it is built from. */
export interface SearchFixture extends AsyncDisposable {
  readonly index: SearchIndex
  /** Stores the row of a document, without telling the index. */
  readonly store: (document: IndexedDocument) => Promise<void>
  readonly erase: (document: IndexedDocument) => Promise<void>
}

const ada = { of: 'owner', user: parseUserId('ada') } satisfies Visibility
const bob = { of: 'owner', user: parseUserId('bob') } satisfies Visibility
const all = { of: 'deposits' } satisfies Visibility
const records = { of: 'records' } satisfies Visibility

const options = {
  ...depositSearch,
  sortOptions: {
    ...depositSearch.sortOptions,
    title: { title: 'Title', fields: ['title'], order: 3 },
    count: { title: 'Count', fields: ['count', '-title'], order: 4 },
  },
  facets: { ...depositSearch.facets, keywords: { field: 'keywords' } },
}

/**
 * The behaviour of every search index; run once for each adapter.
 *
 * @param runs number of indexes that are opened for random documents and queries
 */
export function searchIndexContract(
  name: string,
  open: () => Promise<SearchFixture>,
  { runs = 150 } = {},
): void {
  describe(`${name} search index`, () => {
    let fixture: SearchFixture
    beforeEach(async () => void (fixture = await open()))
    afterEach(() => fixture[Symbol.asyncDispose]())

    const search = (parameters: SearchParameters, visibility: Visibility = ada) =>
      fixture.index.search(parseSearchRequest(parameters, options), visibility)

    async function put(...added: readonly IndexedDocument[]): Promise<void> {
      for (const document of added) {
        await fixture.store(document)
        await fixture.index.put(document)
      }
    }

    async function remove(document: IndexedDocument): Promise<void> {
      await fixture.erase(document)
      await fixture.index.remove(document)
    }

    const titled = (id: string, title: string, rest: Parameters<typeof sampleDocument>[0] = {}) =>
      sampleDocument({ id, ...rest, metadata: { title, ...rest.metadata } })

    it('is ready', async () => {
      expect(await fixture.index.ready()).toBe(true)
    })

    it('finds nothing in an empty index', async () => {
      expect(await search({ q: 'x' })).toEqual({
        ids: [],
        total: 0,
        facets: { status: [], keywords: [] },
      })
    })

    it('finds documents stored before the first search, and those put later', async () => {
      await fixture.store(titled('d1', 'needle one'))
      await search({ q: 'needle' })
      await put(titled('d2', 'needle two'))
      expect((await search({ q: 'needle' })).ids.toSorted()).toEqual(['d1', 'd2'])
    })

    it('finds a document in the next search after its put, in a thousand of a thousand cases', async () => {
      for (let count = 1; count <= 1000; count += 1) {
        await put(titled(`d${count}`, `needle n${count}`))
        const found = await search({ q: `n${count}` })
        if (found.ids[0] !== `d${count}`) expect.fail(`missed number ${count}`)
      }
    })

    it('finds a changed document only by its present text', async () => {
      await put(titled('d1', 'before'))
      await search({ q: 'before' })
      await put(titled('d1', 'after'))
      expect((await search({ q: 'before' })).total).toBe(0)
      expect((await search({ q: 'after' })).ids).toEqual(['d1'])
    })

    it('finds no removed document; removing it twice is no error', async () => {
      const document = titled('d1', 'needle')
      await put(document)
      await search({ q: 'needle' })
      await remove(document)
      await remove(document)
      expect((await search({ q: 'needle' })).total).toBe(0)
    })

    it('finds a removed document after it is put back', async () => {
      await put(titled('d1', 'needle'))
      await remove(titled('d1', 'needle'))
      await put(titled('d1', 'needle'))
      expect((await search({ q: 'needle' })).ids).toEqual(['d1'])
    })

    it('answers the same after a reset', async () => {
      await put(titled('d1', 'needle'), titled('d2', 'needle needle'), titled('d3', 'hay'))
      const before = await search({ q: 'needle' })
      await fixture.index.reset()
      expect(await search({ q: 'needle' })).toEqual(before)
    })

    describe('shows each caller only visible documents', () => {
      beforeEach(async () => {
        for (const visibility of [ada, bob, all, records]) await search({}, visibility)
        await put(
          titled('d1', 'needle', { owner: 'ada', metadata: { keywords: ['secret'] } }),
          titled('d2', 'needle', { owner: 'bob', status: 'published' }),
          titled('r1', 'needle', { owner: 'ada', kind: 'record', status: 'published' }),
        )
      })

      it.for([
        ['an owner', ada, ['d1']],
        ['another owner', bob, ['d2']],
        ['a stranger', { of: 'owner', user: parseUserId('eve') }, []],
        ['an administrator', all, ['d1', 'd2']],
        ['a reader of records', records, ['r1']],
        ["an owner's token for one deposit", { ...ada, only: 'd1' }, ['d1']],
        ["an owner's token for another's deposit", { ...ada, only: 'd2' }, []],
        ["an administrator's token for one deposit", { ...all, only: 'd2' }, ['d2']],
      ] satisfies [string, Visibility, string[]][])('%s', async ([, visibility, ids]) => {
        for (const q of ['needle', '*', undefined, 'NOT hay', 'title:needle', '"needle"']) {
          const found = await search({ q }, visibility)
          expect(found.ids.toSorted()).toEqual(ids)
          expect(found.total).toBe(ids.length)
          const counted = found.facets['status']?.reduce((sum, { count }) => sum + count, 0)
          expect(counted).toBe(ids.length)
        }
      })

      it('keeps the values of other owners out of facets', async () => {
        expect((await search({ q: 'needle' }, bob)).facets['keywords']).toEqual([])
      })

      it('finds no documents of other owners by any field', async () => {
        expect((await search({ q: '_deposit.owners:ada OR keywords:secret' }, bob)).total).toBe(0)
      })

      it('follows a document to its new owner', async () => {
        await search({}, ada)
        await search({}, bob)
        await remove(titled('d1', 'needle', { owner: 'ada' }))
        await put(titled('d1', 'needle', { owner: 'bob' }))
        expect((await search({ q: 'needle' }, ada)).total).toBe(0)
        expect((await search({ q: 'needle' }, bob)).total).toBe(2)
        expect((await search({ q: 'needle' }, all)).total).toBe(2)
      })
    })

    describe('counts facets before the filter and the total after it', () => {
      beforeEach(async () => {
        await put(
          titled('d1', 'needle', { metadata: { keywords: ['b', 'a', 'b'] } }),
          titled('d2', 'needle', { metadata: { keywords: ['b'] } }),
          titled('d3', 'needle', { status: 'published' }),
          titled('d4', 'hay'),
        )
      })

      const status = [
        { key: 'draft', count: 2 },
        { key: 'published', count: 1 },
      ]

      it('without a filter', async () => {
        const found = await search({ q: 'needle' })
        expect(found.total).toBe(3)
        expect(found.facets['status']).toEqual(status)
        expect(found.facets['keywords']).toEqual([
          { key: 'b', count: 2 },
          { key: 'a', count: 1 },
        ])
      })

      it('with a filter', async () => {
        const found = await search({ q: 'needle', status: 'published' })
        expect(found).toMatchObject({ ids: ['d3'], total: 1, facets: { status } })
      })

      it('with two values of one filter, which add up', async () => {
        expect((await search({ q: 'needle', status: ['published', 'draft'] })).total).toBe(3)
      })

      it('with filters of two facets, which narrow', async () => {
        expect((await search({ status: 'draft', keywords: 'a' })).ids).toEqual(['d1'])
      })

      it('with a value that no document has', async () => {
        const found = await search({ q: 'needle', status: 'nonsense' })
        expect(found).toMatchObject({ ids: [], total: 0, facets: { status } })
      })

      it('only where they are asked for', async () => {
        expect((await search({ q: 'needle', facets: '' })).facets).toEqual({})
        expect(Object.keys((await search({ facets: 'status' })).facets)).toEqual(['status'])
      })
    })

    describe('orders', () => {
      const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`

      it('the best match first where there is a query', async () => {
        await put(
          titled('d1', 'hay hay hay hay', { metadata: { description: 'one needle in much hay' } }),
          titled('d2', 'needle'),
        )
        expect((await search({ q: 'needle' })).ids).toEqual(['d2', 'd1'])
        expect((await search({ q: 'needle', sort: '-bestmatch' })).ids).toEqual(['d1', 'd2'])
      })

      it('the most recent first where there is none', async () => {
        await put(
          titled('d1', 'a', { updated: day(1) }),
          titled('d2', 'a', { updated: day(3) }),
          titled('d3', 'a', { updated: day(2) }),
        )
        expect((await search({})).ids).toEqual(['d2', 'd3', 'd1'])
        expect((await search({ sort: '-mostrecent' })).ids).toEqual(['d1', 'd3', 'd2'])
      })

      it('equal documents by their id, in either direction', async () => {
        await put(titled('d3', 'a'), titled('d1', 'a'), titled('d2', 'a'))
        for (const sort of ['bestmatch', '-bestmatch', 'mostrecent', '-mostrecent', 'title']) {
          expect((await search({ q: 'a', sort })).ids).toEqual(['d1', 'd2', 'd3'])
        }
      })

      it('by fields of the document, those without the field last', async () => {
        await put(
          titled('d1', 'b', { metadata: { count: 10 } }),
          titled('d2', 'Á', { metadata: { count: 9 } }),
          titled('d3', 'c', { metadata: { count: 9 } }),
          sampleDocument({ id: 'd4' }),
        )
        expect((await search({ sort: 'title' })).ids).toEqual(['d2', 'd1', 'd3', 'd4'])
        expect((await search({ sort: '-title' })).ids).toEqual(['d3', 'd1', 'd2', 'd4'])
        expect((await search({ sort: 'count' })).ids).toEqual(['d3', 'd2', 'd1', 'd4'])
      })

      it('pages without repeats or gaps, and an empty page past the end', async () => {
        const numbers = Array.from({ length: 25 }, (_, index) => index)
        await put(...numbers.map((number) => titled(`d${number}`, 'needle')))
        const pages = await Promise.all(
          ['1', '2', '3', '4'].map((page) => search({ q: 'needle', page })),
        )
        expect(pages.map(({ ids }) => ids.length)).toEqual([10, 10, 5, 0])
        expect(pages.map(({ total }) => total)).toEqual([25, 25, 25, 25])
        expect(new Set(pages.flatMap(({ ids }) => ids)).size).toBe(25)
      })
    })

    it('finds exactly the documents that match, for random documents and queries', async () => {
      await fc.assert(
        fc.asyncProperty(
          documents,
          fc.array(queries.filter(isAllowed), { minLength: 1, maxLength: 8 }),
          async (given, asked) => {
            await using fresh = await open()
            const [stored, added] = [given.slice(0, 4), given.slice(4)]
            for (const document of stored) await fresh.store(document)
            await fresh.index.search(parseSearchRequest({}), ada)
            for (const document of added) {
              await fresh.store(document)
              await fresh.index.put(document)
            }
            for (const q of asked) {
              const meant = given
                .filter(({ owners }) => owners.includes(parseUserId('ada')))
                .filter((document) => matches(parseQuery(q), document))
              const found = await fresh.index.search(parseSearchRequest({ q, size: '100' }), ada)
              expect(found.ids.toSorted(), q).toEqual(meant.map(({ id }) => id).toSorted())
              expect(found.total).toBe(meant.length)
            }
          },
        ),
        { numRuns: runs },
      )
    })
  })
}

/** Whether a query looks at no more than it may. */
function isAllowed(query: string): boolean {
  return (query.match(/[*~]/g) ?? []).length <= 8 && query.split(' TO ').length <= 16
}

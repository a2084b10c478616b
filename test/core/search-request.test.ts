import { describe, expect, it } from 'vitest'
import type { User } from '../../core/access/caller.ts'
import { parseUserId } from '../../core/access/caller.ts'
import type { SearchParameters } from '../../core/search/request.ts'
import { depositSearch, parseSearchRequest } from '../../core/search/request.ts'
import { depositVisibility } from '../../core/search/visibility.ts'

describe('the parameters of a search', () => {
  it('default to the first ten, most recent first, with the status facet', () => {
    expect(parseSearchRequest({})).toEqual({
      offset: 0,
      size: 10,
      sort: [{ by: ['_updated'], descending: true }],
      facets: [{ name: 'status', field: ['_deposit', 'status'] }],
      filters: [],
    })
  })

  it('default to the best match when there is a query', () => {
    const { query, sort } = parseSearchRequest({ q: 'foo' })
    expect(query).toMatchObject({ type: 'term', text: 'foo' })
    expect(sort).toEqual([{ by: 'score', descending: true }])
  })

  it('have no query when q is blank', () => {
    expect(parseSearchRequest({ q: ' ' })).toEqual(parseSearchRequest({}))
  })

  it('reverse a sort option with a minus', () => {
    expect(parseSearchRequest({ sort: '-mostrecent' }).sort).toEqual([
      { by: ['_updated'], descending: false },
    ])
  })

  it('filter by the values of a facet', () => {
    const filter = { name: 'status', field: ['_deposit', 'status'] }
    expect(parseSearchRequest({ status: 'draft' }).filters).toEqual([
      { ...filter, values: ['draft'] },
    ])
    expect(parseSearchRequest({ status: ['draft', 'published'] }).filters).toEqual([
      { ...filter, values: ['draft', 'published'] },
    ])
  })

  it('may reach the end of the window', () => {
    expect(parseSearchRequest({ page: '1000' }).offset).toBe(9990)
    expect(parseSearchRequest({ offset: '9993', size: '7' })).toMatchObject({
      offset: 9993,
      size: 7,
    })
    expect(parseSearchRequest({ page: '1', size: '10000' }).size).toBe(10_000)
    const narrow = { ...depositSearch, maxResultWindow: 20 }
    expect(() => parseSearchRequest({ page: '3' }, narrow)).toThrow(
      expect.objectContaining({ code: 'invalid_paging' }),
    )
  })

  it.for([
    ['page', { page: '0' }],
    ['page', { page: '-1' }],
    ['page', { page: 'abc' }],
    ['page', { page: '1.5' }],
    ['page', { page: '' }],
    ['page', { page: ['1', '2'] }],
    ['page', { page: '1001' }],
    ['page', { page: '999999999', size: '10' }],
    ['page', { page: '9999999999' }],
    ['offset', { offset: '-1' }],
    ['offset', { offset: '9991' }],
    ['offset', { offset: '0', page: '1' }],
    ['size', { size: '0' }],
    ['size', { size: '-1' }],
    ['size', { size: '1000000000' }],
    ['size', { size: '10001' }],
    ['sort', { sort: 'nonsense' }],
    ['sort', { sort: '--mostrecent' }],
    ['sort', { sort: '' }],
    ['sort', { sort: '__proto__' }],
    ['sort', { sort: 'constructor' }],
    ['facets', { facets: 'nonsense' }],
    ['facets', { facets: 'status,toString' }],
    ['status', { status: '' }],
    ['status', { status: ['draft', ''] }],
  ] as const satisfies [string, SearchParameters][])(
    'are refused with %s named as the faulty one in %j',
    (given) => {
      const [field, parameters] = given
      expect(() => parseSearchRequest(parameters)).toThrow(
        expect.objectContaining({ code: 'invalid_paging' }),
      )
      expect(() => parseSearchRequest(parameters)).toThrow(
        expect.objectContaining({ faults: [expect.objectContaining({ field })] }),
      )
    },
  )

  it('are refused when the query is malformed or given twice', () => {
    expect(() => parseSearchRequest({ q: '(' })).toThrow(
      expect.objectContaining({ code: 'invalid_query' }),
    )
    expect(() => parseSearchRequest({ q: ['a', 'b'] })).toThrow(
      expect.objectContaining({ code: 'invalid_query' }),
    )
  })
})

describe('the deposits a caller may find', () => {
  const user = parseUserId('ada')
  const caller: User = { user, scopes: new Set(), admin: false, roles: new Set() }

  it("are a user's own", () => {
    expect(depositVisibility(caller)).toEqual({ of: 'owner', user })
  })

  it('are all for an administrator and for the service itself', () => {
    expect(depositVisibility({ ...caller, admin: true })).toEqual({ of: 'deposits' })
    expect(depositVisibility('system')).toEqual({ of: 'deposits' })
  })

  it('are at most the one that a token is limited to', () => {
    expect(depositVisibility({ ...caller, onlyDeposit: 'd1' })).toMatchObject({ user, only: 'd1' })
    expect(depositVisibility({ ...caller, admin: true, onlyDeposit: 'd1' })).toEqual({
      of: 'deposits',
      only: 'd1',
    })
  })

  it('cannot be asked for without a user', () => {
    expect(() => depositVisibility('anonymous')).toThrow(
      expect.objectContaining({ code: 'unauthenticated' }),
    )
  })
})

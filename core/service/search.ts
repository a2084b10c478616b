import type { Caller } from '../access/caller.ts'
import { isAnyone, isPermitted, isReader } from '../deposit/permissions.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { WhichVersions } from '../ports/records.ts'
import type { Bucket } from '../ports/search-index.ts'
import type { PublishedRecord } from '../record/record.ts'
import { ofNewest, ofPidType } from '../search/indexed-document.ts'
import type { SearchRequest } from '../search/request.ts'
import type { SearchResult } from '../search/results.ts'
import { recordVisibility, type Visibility } from '../search/visibility.ts'
import { permissionFor } from './authorize.ts'
import { boundPage } from './bounded-page.ts'
import type { Parts } from './parts.ts'

/** A page of what was found, with what the facets count. */
export interface Found<Item> {
  /** Documents that exist and may be read, fetched as they are consumed. */
  readonly batches: AsyncIterable<readonly Item[]>
  /** Bytes of all of them in an answer, about. */
  readonly bytes: number
  /** Results that the page has, fewer than were asked for where they would be too large. */
  readonly taken: number
  readonly total: number
  readonly facets: Readonly<Record<string, readonly Bucket[]>>
}

/**
 * The deposits a caller may see that match: administrators all, every other user those the user
 * owns. Each is asked for permission again, as its row is now.
 *
 * @throws {DepositError} unauthenticated: there is no user
 * @see Specification, "Authentication"
 */
export async function searchDeposits(
  parts: Parts,
  caller: Caller,
  request: SearchRequest,
): Promise<Found<Deposit>> {
  const visibility = parts.visibility(caller)
  const pidType = parts.pidTypes.length > 1 ? parts.pidType : undefined
  const query = pidType === undefined ? request.query : ofPidType(request.query, pidType)
  const asked = { ...request, ...(query && { query }) }
  if (mayBeRefused(parts, caller)) {
    const readable = await searchReadable(parts, caller, asked, visibility)
    if (readable) return readable
  }
  if (isListing(request)) return listDeposits(parts, caller, request, pidType)
  const found = await parts.search.search(asked, visibility)
  const { ids, total, facets } = cutFacets(request, found)
  const { batches, ...page } = await pageOfDeposits(parts, ids as readonly DepositId[])
  return { batches: readableOf(parts, caller, batches), ...page, total, facets }
}

/** Whether `caller` may find deposits that the endpoint does not let them read. */
function mayBeRefused({ permissions: { read } }: Parts, caller: Caller): boolean {
  if (typeof caller === 'string' || caller.admin) return false
  const isNarrow = read.check !== isReader && read.check !== isAnyone
  return isNarrow || read.scopes.some((scope) => !caller.scopes.has(scope))
}

/**
 * The same of what may be read alone: nothing tells how much else there is. Facets count nothing then,
 * and what comes behind the first {@link mostCounted} is left out.
 *
 * @returns undefined where all of it may be read
 */
async function searchReadable(
  parts: Parts,
  caller: Caller,
  request: SearchRequest,
  visibility: Visibility,
): Promise<Found<Deposit> | undefined> {
  const { read } = parts.database
  const all = await parts.search.search({ ...request, offset: 0, size: mostCounted }, visibility)
  const readable: DepositId[] = []
  const ids = all.ids as readonly DepositId[]
  for (let start = 0; start < ids.length; start += countedAtOnce) {
    const measured = await read.deposits.measure(ids.slice(start, start + countedAtOnce))
    const batches = readableOf(parts, caller, read.deposits.batchesOf(measured))
    for await (const batch of batches) readable.push(...batch.map(({ id }) => id))
  }
  if (readable.length === ids.length) return undefined
  const { offset, size, facets } = request
  return {
    ...(await pageOfDeposits(parts, readable.slice(offset, offset + size))),
    total: readable.length,
    facets: Object.fromEntries(facets.map(({ name }) => [name, []])),
  }
}

const mostCounted = 10_000
const countedAtOnce = 500

type Page<Item> = Pick<Found<Item>, 'batches' | 'bytes' | 'taken'>

async function pageOfDeposits(
  { database: { read } }: Parts,
  ids: readonly DepositId[],
): Promise<Page<Deposit>> {
  const { items, ...page } = await boundPage(ids, read.deposits.measure)
  return { batches: read.deposits.batchesOf(items), ...page }
}

async function pageOfRecords(
  { database: { read } }: Parts,
  values: readonly string[],
): Promise<Page<PublishedRecord>> {
  const { items, ...page } = await boundPage(values, read.records.measure)
  return { batches: read.records.batchesOf(items), ...page }
}

/** The deposits that a caller may read when they are read: roles may be taken while a list is sent. */
export async function* readableOf(
  parts: Parts,
  caller: Caller,
  batches: AsyncIterable<readonly Deposit[]>,
): AsyncGenerator<readonly Deposit[]> {
  const read = permissionFor(parts, 'read')
  for await (const batch of batches) yield batch.filter((each) => isPermitted(caller, read, each))
}

/** Records are public: everybody finds all of them, or the newest version of each concept. */
export async function searchRecords(
  parts: Parts,
  request: SearchRequest,
  which: WhichVersions,
): Promise<Found<PublishedRecord>> {
  const { ids, total, facets } = await findRecords(parts, request, which)
  return { ...(await pageOfRecords(parts, ids)), total, facets }
}

/** The same without their documents. */
export async function findRecords(
  parts: Parts,
  request: SearchRequest,
  which: WhichVersions,
): Promise<SearchResult> {
  const { records } = parts.database.read
  if (isListing(request) && request.filters.length === 0) {
    const ids = await records.list({ ...pageOf(request), ...which })
    const total = await records.count(which)
    return { ids, total, facets: { status: [{ key: 'published', count: total }] } }
  }
  const asked = which.isNewest ? { ...request, query: ofNewest(request.query) } : request
  return cutFacets(request, await parts.search.search(asked, recordVisibility))
}

/** Leaves each facet with as many values as it may have, which are those with the most documents. */
function cutFacets(request: SearchRequest, found: SearchResult): SearchResult {
  const cut = request.facets.map(
    ({ name, size }) => [name, found.facets[name]?.slice(0, size) ?? []] as const,
  )
  const facets: SearchResult['facets'] = { ...found.facets, ...Object.fromEntries(cut) }
  return { ...found, facets }
}

/** True where the rows alone can answer: without a query, by the time of the last change. */
function isListing({ query, sort, facets, filters }: SearchRequest): boolean {
  const [key] = sort
  const byTime = sort.length === 1 && Array.isArray(key?.by) && key.by.join('.') === '_updated'
  const isStatus = ({ field }: { readonly field: readonly string[] }): boolean =>
    field.join('.') === '_deposit.status'
  const plain = filters.every((filter) => isStatus(filter) && filter.values.length === 1)
  return !query && byTime && filters.length < 2 && plain && facets.every(isStatus)
}

async function listDeposits(
  parts: Parts,
  caller: Caller,
  request: SearchRequest,
  pidType: string | undefined,
): Promise<Found<Deposit>> {
  const visibility = parts.visibility(caller)
  const { deposits } = parts.database.read
  const wanted = request.filters[0]?.values[0]
  const status: Deposit['status'] | undefined =
    wanted === 'draft' || wanted === 'published' ? wanted : undefined
  const isNone = wanted !== undefined && !status
  const page = {
    ...pageOf(request),
    visibility,
    ...(status && { status }),
    ...(pidType !== undefined && { pidType }),
  }
  const [counts, ids] = await Promise.all([
    deposits.countByStatus(visibility, pidType),
    isNone ? [] : deposits.list(page),
  ])
  const buckets = toBuckets(counts)
  const facets = Object.fromEntries(
    request.facets.map(({ name, size }) => [name, buckets.slice(0, size)]),
  )
  const whole = status ? counts[status] : counts.draft + counts.published
  const total = isNone ? 0 : whole
  const { batches, ...bounds } = await pageOfDeposits(parts, ids)
  return { batches: readableOf(parts, caller, batches), ...bounds, total, facets }
}

function pageOf({ offset, size, sort }: SearchRequest) {
  const order = sort[0]?.descending === false ? ('oldest' as const) : ('newest' as const)
  return { order, offset, limit: size }
}

function toBuckets(counts: Readonly<Record<string, number>>): readonly Bucket[] {
  return Object.entries(counts)
    .map(([key, count]) => ({ key, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
}

import { isSameService } from '../../core/base/loopback.ts'
import { apiPrefix, fillRoute, routes } from '../../core/contract/routes.ts'
import { advice } from '../advice.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { NoAnswer } from './api-failure.ts'
import type { SearchBody } from '../../core/contract/schemas.ts'
import { isIndex } from './bodies.ts'
import type { Connection } from './connection.ts'

/** True for a URL, not an identifier. */
export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/**
 * The address in a text that names no scheme, such as `127.0.0.1:8420/records/abcde-12345`, or the
 * identifier or DOI of a record alone; undefined for other text.
 */
export function addressIn(text: string, server: URL): string | undefined {
  const [, value] = ownDoi.exec(text) ?? []
  if (value !== undefined) return recordAddress(value.toLowerCase(), server)
  if (/^10\.\d{4,9}\//.test(text)) return undefined
  if (isAddress(text)) return text
  if (recordValue.test(text)) return recordAddress(text.toLowerCase(), server)
  const isBare = /^(?:\[[\d:a-f]+\]|[\w-]+(?:\.[\w-]+)+|localhost)(?::\d+)?\/./i.test(text)
  return isBare ? `${server.protocol}//${text}` : undefined
}

/** Whether a text names a record, and not the deposit behind it: by identifier, DOI or address. */
export function isOfRecord(text: string, server: URL): boolean {
  const address = addressIn(text, server)
  const path = address === undefined ? undefined : URL.parse(address)?.pathname
  return path !== undefined && idIn(path) === undefined
}

/** A DOI that the service may have made, with or without its resolver. */
const ownDoi =
  /^(?:doi:|https?:\/\/(?:dx\.)?doi\.org\/)?10\.\d{4,9}(?:\.\d+)*\/([\da-z]{5}-[\da-z]{5})$/i

/** Of the identifiers that the service mints for records, and for all versions of one. */
const recordValue = /^[\da-z]{5}-[\da-z]{5}$/i

/** @param value of the identifier of a record, or of all its versions: that leads to the newest */
export function recordAddress(value: string, server: URL): string {
  return new URL(apiPrefix + fillRoute(routes.recordItem, { pid_value: value }), server).href
}

/** A deposit that an address leads to. */
export interface FoundDeposit {
  readonly id: string
  /** Path of the record, where the address is that of one: everybody may read it. */
  readonly record?: string
}

/**
 * The deposit at an address of its page, of its record or its concept, or of any of them in the REST
 * interface. Only our own server is asked.
 *
 * @throws {UsageFailure} it is of another service, or leads to something else
 * @throws {ApiFailure} there is no such record
 */
export async function resolveAddress(
  address: string,
  connection: Connection,
): Promise<FoundDeposit> {
  const tried = `find ${address}`
  const url = URL.parse(address)
  if (url === null) throw noDeposit(tried)
  if (!(await isOurs(url, connection))) throw ofOther(tried, url, connection.server)
  const given = idIn(url.pathname)
  if (given !== undefined) return { id: given }
  const { deposit, self } = await findDeposit(tried, url, connection)
  const id = idIn(deposit)
  if (id === undefined) throw noDeposit(tried)
  return self === undefined ? { id } : { id, record: new URL(self, connection.server).pathname }
}

/**
 * The deposit of a record that was withdrawn, for its owner: only they can search for it.
 *
 * @throws what kept the address from being resolved, where it is something else
 */
export async function findWithdrawn(
  address: string,
  cause: unknown,
  search: (query: string) => Promise<SearchBody>,
): Promise<FoundDeposit> {
  const [, value] = /\/records\/([^/?#]+)/.exec(address) ?? []
  const isWithdrawn = cause instanceof Failure && cause.problem?.code === 'record_withdrawn'
  if (!isWithdrawn || value === undefined) throw cause
  const found = await search(`record:"${value}"`).catch(() => undefined)
  const [own] = found?.hits.hits ?? []
  if (own === undefined) throw cause
  return { id: own.id }
}

/** Finds the 32 digits of an identifier, independent of where routes and pages are mounted. */
function idIn(path: string): string | undefined {
  return path.split('/').find((step) => /^[0-9a-f]{32}$/.test(step))
}

/** The identifier of a deposit or a record in a path of any service of this kind. */
function nameIn(path: string): string | undefined {
  return idIn(path) ?? path.split('/').find((step) => recordValue.test(step))
}

/** The service may have another name than the one in our configuration: its links use that name. */
async function isOurs(url: URL, connection: Connection): Promise<boolean> {
  if (isSameService(url, connection.server)) return true
  const request = { method: 'GET', path: apiPrefix }
  const { endpoints } = await connection.json('list the endpoints', isIndex, request)
  return Object.values(endpoints)
    .flatMap(({ links }) => Object.values(links))
    .some((link) => URL.parse(link)?.origin === url.origin)
}

/** Addresses of a record and its deposit; of a concept without versions, the draft that it is. */
async function findDeposit(
  tried: string,
  url: URL,
  connection: Connection,
): Promise<RecordLinks['links']> {
  try {
    return (await readRecord(tried, url, connection)).links
  } catch (error) {
    const draft = error instanceof Failure ? error.problem?.errors?.[0]?.deposit : undefined
    if (draft === undefined) throw error
    return { deposit: draft }
  }
}

interface RecordLinks {
  readonly links: { readonly deposit: string; readonly self?: string }
}

/** A record's page answers with JSON on request. */
async function readRecord(
  tried: string,
  { pathname }: URL,
  connection: Connection,
): Promise<RecordLinks> {
  // The address of a file of the record, or of its export, begins with that of the record.
  const path = /^.*?\/records\/[^/]+/.exec(pathname)?.[0] ?? pathname
  const request = { method: 'GET', path }
  return connection.json(tried, isRecord, request).catch((error: unknown) => {
    const isStrange = error instanceof Failure && error.problem === undefined
    throw isStrange && !(error instanceof NoAnswer) ? noDeposit(tried) : error
  })
}

function isRecord(body: unknown): body is RecordLinks {
  const { links } = (body ?? {}) as { readonly links?: Readonly<Record<string, unknown>> }
  const isText = typeof links?.['deposit'] === 'string'
  return isText && ['string', 'undefined'].includes(typeof links['self'])
}

function ofOther(tried: string, url: URL, server: URL): UsageFailure {
  return new UsageFailure({
    tried,
    said:
      `this is an address of ${url.origin}, and the command talks to ${server.origin}; ` +
      'deposit talks only to services of its own kind, which run depositd',
    next: advice.talkTo(url.origin, nameIn(url.pathname)),
  })
}

function noDeposit(tried: string): UsageFailure {
  return new UsageFailure({
    tried,
    said: 'this is not the address of a deposit or a record',
    next: advice.seeDeposits(),
  })
}

import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import type { Description } from '../describe/description.ts'
import { doiUrl } from '../describe/identifiers.ts'
import { toDataciteAttributes } from '../exports/datacite-attributes.ts'
import type {
  DataciteApi,
  Difference,
  Outcome,
  Provider,
  ServiceAnswer,
  Wanted,
} from '../ports/provider.ts'
import { isSaidByDatacite } from './datacite-compare.ts'
import { fieldOf, findDataciteFaults, findRefused } from './datacite-faults.ts'

export interface DataciteOptions {
  /** Such as `10.5072`. */
  readonly prefix: string
  readonly api: DataciteApi
  /** Address that resolves DOIs of DataCite's test system, which doi.org does not know. */
  readonly resolver?: string
}

/**
 * DOIs of DataCite. One call makes and updates them all, `PUT /dois/{doi}`: repeated, it changes
 * nothing.
 *
 * @see https://support.datacite.org/docs/api-create-dois
 */
export function dataciteProvider({ prefix, api, resolver }: DataciteOptions): Provider {
  return {
    name: 'datacite',
    scheme: 'doi',
    // DOIs are compared without regard to case.
    reserve: (value) => `${prefix}/${value.toLowerCase()}`,
    isOwn: (doi) => doi.toLowerCase().startsWith(`${prefix}/`.toLowerCase()),
    toUrl: (doi) => (resolver === undefined ? doiUrl(doi) : `${resolver}${doi}`),
    findFaults: findDataciteFaults,
    want: async (wanted, signal) => {
      try {
        const { description } = wanted
        return await (description
          ? publish(api, wanted, description, signal)
          : hide(api, wanted, signal))
      } catch (error) {
        signal.throwIfAborted()
        return later(`DataCite did not answer: ${reasonOf(error)}.`, { isUnsure: true })
      }
    },
    check: (doi, wanted, signal) => compare(api, doi, wanted, signal),
    ...(api.credentials && { credentials: api.credentials }),
  }
}

async function publish(
  api: DataciteApi,
  { identifier, target }: Wanted,
  description: Description,
  signal: AbortSignal,
): Promise<Outcome> {
  const [fault] = findRefused(description)
  if (fault) return { is: 'refused', ...fault }
  const attributes = toAttributes(identifier, target, description)
  const answer = await api.put(identifier, { ...attributes, event: 'publish' }, signal)
  return judge(answer, 'findable')
}

/**
 * One that was never made there is registered all the same, with what its tombstone tells: it was
 * shown to people, and must not lead nowhere.
 */
async function hide(
  api: DataciteApi,
  { identifier, target, tombstone }: Wanted,
  signal: AbortSignal,
): Promise<Outcome> {
  const found = await api.read(identifier, signal)
  const state = isAbsent(found) ? 'draft' : stateOf(found)
  if (state === undefined) return judge(found, 'registered')
  if (state === 'draft') {
    if (!tombstone) return { is: 'done' }
    const told = toTombstone(identifier, target, tombstone)
    return hidden(await api.put(identifier, { ...told, event: 'register' }, signal))
  }
  return hidden(await api.put(identifier, { event: 'hide', url: target }, signal))
}

function hidden(answer: ServiceAnswer): Outcome {
  const outcome = judge(answer, 'registered')
  return outcome.is === 'done' ? { ...outcome, resolves: true } : outcome
}

/** The parts of a citation alone, which the tombstone tells as well. */
function toTombstone(doi: string, url: string, about: Description): JsonObject {
  const { schemaVersion, types, creators, titles, publisher, publicationYear } = toAttributes(
    doi,
    url,
    { ...about, creators: about.creators.map((each) => ({ ...each, affiliations: [] })) },
  )
  const told = { schemaVersion, doi, url, types, creators, titles, publisher, publicationYear }
  return JSON.parse(JSON.stringify(told)) as JsonObject
}

/** All attributes of a DOI: what is left out of a PUT would stay as it was there. */
function toAttributes(doi: string, url: string, description: Description): JsonObject {
  const { identifiers: _, ...told } = toDataciteAttributes({ ...description, doi, url })
  return JSON.parse(JSON.stringify({ ...nothing, ...withoutUndefined(told) })) as JsonObject
}

const nothing = {
  subjects: [],
  contributors: [],
  dates: [],
  language: null,
  alternateIdentifiers: [],
  relatedIdentifiers: [],
  sizes: [],
  formats: [],
  version: null,
  rightsList: [],
  descriptions: [],
  geoLocations: [],
  fundingReferences: [],
}

function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}

function judge(answer: ServiceAnswer, wanted: 'findable' | 'registered'): Outcome {
  const { status, body, waitMs } = answer
  const wait = waitMs === undefined ? {} : { waitMs }
  if (status === 200 || status === 201) {
    const state = stateOf(answer)
    if (state === wanted) return { is: 'done' }
    const said = state === undefined ? notDatacite : `DataCite has it as ${state}, not ${wanted}.`
    return later(said, { isUnsure: true })
  }
  if (status === 401 || status === 403) {
    return forbid(status, body)
  }
  // 404 and 405 are answers of another address, or of a proxy.
  if ([400, 409, 410, 413, 422].includes(status) && body !== undefined) return refuse(status, body)
  if (status === 429)
    return later('DataCite asks to wait: too many requests.', { waitMs: 0, ...wait })
  const isUnsure = status >= 500 ? ({ isUnsure: true } as const) : {}
  const what = body === undefined ? ', not in JSON' : ''
  return later(`DataCite answers ${status}${what}.`, { ...wait, ...isUnsure })
}

/** DataCite says alike that it does not take an account, and that a DOI is of another one. */
function forbid(status: number, body: Json | undefined): Outcome {
  const said = firstError(body)?.message
  const why = said === undefined ? '' : ` ("${said}")`
  const message = `DataCite answers ${status}${why}: it does not take the account, its password, or the prefix.`
  if (status === 401) return { is: 'locked', message }
  const alone = `DataCite answers ${status}${why} for this DOI, and takes others`
  // A gate before DataCite may not like a text, and answers in its own words.
  return {
    is: 'locked',
    message,
    alone:
      body === undefined
        ? { is: 'later', message: `${alone}: a proxy may have refused it.` }
        : { is: 'refused', message: `${alone}: it may be of another account.` },
  }
}

const notDatacite = 'The answer is not one of DataCite: is its address right?'

function refuse(status: number, body: Json): Outcome {
  const error = firstError(body)
  const field = fieldOf(error?.source)
  const message = `DataCite: ${error?.message ?? `answer ${status} without a reason`}`
  return { is: 'refused', message, ...(field !== undefined && { field }) }
}

function firstError(
  body: Json | undefined,
): { readonly message: string; readonly source: string | undefined } | undefined {
  const errors = isJsonObject(body) && isJsonArray(body['errors']) ? body['errors'] : []
  const [error] = errors.filter((each) => isJsonObject(each))
  if (!error) return undefined
  const { title, detail, source } = error
  const message = [title, detail].find((each) => typeof each === 'string') ?? 'no reason given'
  return { message, source: typeof source === 'string' ? source : undefined }
}

function later(message: string, more: { isUnsure?: true; waitMs?: number } = {}): Outcome {
  return { is: 'later', message, ...more }
}

function isAbsent({ status, body }: ServiceAnswer): boolean {
  return status === 404 && body !== undefined
}

function attributesOf({ status, body }: ServiceAnswer): JsonObject | undefined {
  if (status !== 200 && status !== 201) return undefined
  const data = isJsonObject(body) ? body['data'] : undefined
  const attributes = isJsonObject(data) ? data['attributes'] : undefined
  return isJsonObject(attributes) ? attributes : undefined
}

function stateOf(answer: ServiceAnswer): string | undefined {
  const state = attributesOf(answer)?.['state']
  return typeof state === 'string' ? state : undefined
}

async function compare(
  api: DataciteApi,
  doi: string,
  wanted: Wanted | null,
  signal: AbortSignal,
): Promise<readonly Difference[]> {
  const answer = await api.read(doi, signal)
  const there = attributesOf(answer)
  if (!there && !isAbsent(answer)) {
    throw new Error(`DataCite answers ${answer.status} for ${doi}`)
  }
  const state = there ? (stateOf(answer) ?? 'unknown') : 'absent'
  if (!wanted) {
    // A draft at DataCite is nothing that anybody could cite.
    if (state === 'absent' || state === 'draft') return []
    return [{ field: 'state', here: 'absent', there: state }]
  }
  if (!wanted.description) {
    if (state === 'registered') return []
    if (state !== 'findable' && !wanted.tombstone) return []
    return [{ field: 'state', here: 'registered', there: state }]
  }
  if (state !== 'findable') return [{ field: 'state', here: 'findable', there: state }]
  const here = toAttributes(doi, wanted.target, wanted.description)
  return Object.entries(here).flatMap(([field, value]) => {
    const found = there?.[field]
    if (field === 'schemaVersion' || field === 'doi' || isSaidByDatacite(field, value, found))
      return []
    return [{ field, here: JSON.stringify(value), there: JSON.stringify(found ?? null) }]
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, message } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

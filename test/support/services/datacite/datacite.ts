import { randomInt } from 'node:crypto'
import {
  asJson,
  asList,
  asText,
  isJson,
  readText,
  Refusal,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import { startService, type FakeService, type Service, type ServiceOptions } from '../service.ts'
import { listJson, toJson } from './doi-json.ts'
import { faultsOf, newDoi, withAttributes, type Doi } from './doi.ts'

/** An account of a repository at DataCite. */
export interface Repository {
  /** Lower case, e.g. `demo.harbour`. */
  readonly id: string
  readonly password: string
  readonly prefixes: readonly string[]
  /** `*`, or hosts and `*.hosts` after a comma, in which its DOIs may lead. */
  readonly domains?: string
}

export interface DataCiteOptions extends ServiceOptions {
  readonly repositories?: readonly Repository[]
  /** Requests in five minutes before 429; DataCite allows 3,000. */
  readonly limit?: number
  /** So many requests pass before the list of DOIs shows a change; 1 unless given. */
  readonly lag?: number
  /** Judges metadata by the schema itself, which takes a tenth of a second, not by our rules. */
  readonly strict?: boolean
}

export const demoRepository: Repository = {
  id: 'demo.harbour',
  password: 'secret',
  prefixes: ['10.5072'],
}

interface State {
  readonly dois: Map<string, Doi>
  readonly repositories: readonly Repository[]
  readonly isStrict: boolean
  /** The index of the list, and what it will be. */
  listed: readonly Doi[]
  readonly changes: { due: number; readonly dois: readonly Doi[] }[]
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * DataCite's REST API for members: DOIs, their states, metadata and checks. Not in it: handles that
 * resolve, providers, events, GraphQL, content negotiation but DataCite XML.
 * @see https://support.datacite.org/docs/api
 * @see https://github.com/datacite/lupo `app/controllers/datacite_dois_controller.rb`, `spec/requests`
 */
export async function startDataCite(options: DataCiteOptions = {}): Promise<FakeService> {
  const { repositories = [demoRepository], limit = 3000, lag = 1 } = options
  const isStrict = options.strict ?? false
  const state: State = { dois: new Map(), repositories, isStrict, listed: [], changes: [] }
  let asked = { since: Date.now(), count: 0 }
  const service: Service = {
    routes: [
      { method: 'GET', path: '/heartbeat', answer: () => ({ body: 'OK' }) },
      {
        method: 'GET',
        path: '/dois',
        answer: (exchange) => listJson(state.listed, exchange, callerOf(state, exchange)?.id),
      },
      { method: 'POST', path: '/dois', answer: (exchange) => create(state, lag, exchange) },
      {
        method: 'GET',
        path: '/repositories/:id',
        answer: (exchange) => repository(state, exchange),
      },
      { method: 'GET', path: '/dois/random', answer: random },
      { method: 'POST', path: '/dois/validate', answer: (exchange) => validate(state, exchange) },
      { method: 'GET', path: '/dois/*doi', answer: (exchange) => show(state, exchange) },
      ...['PUT', 'PATCH'].map((method) => ({
        method,
        path: '/dois/*doi',
        answer: (exchange: Exchange) => update(state, lag, exchange),
      })),
      { method: 'DELETE', path: '/dois/*doi', answer: (exchange) => remove(state, lag, exchange) },
    ],
    before: (exchange) => {
      const { changes } = state
      for (const change of changes) change.due -= 1
      while ((changes[0]?.due ?? 1) < 0) state.listed = changes.shift()?.dois ?? []
      if (Date.now() - asked.since > 300_000) asked = { since: Date.now(), count: 0 }
      asked.count += 1
      if (asked.count > limit) {
        const seconds = Math.ceil((asked.since + 300_000 - Date.now()) / 1000)
        return new Refusal(429, failure(429), { 'retry-after': seconds })
      }
      const caller = callerOf(state, exchange)
      return caller ? { 'x-credential-username': caller.id } : { 'x-anonymous-consumer': 'true' }
    },
    unknown: () => refusal(404).answer,
    failure,
    headers: () => ({ 'x-request-id': crypto.randomUUID() }),
    state: () => Object.fromEntries(state.dois),
  }
  return startService(service, options)
}

const titles: Readonly<Record<number, string>> = {
  400: 'You need to provide a payload following the JSONAPI spec',
  401: 'Bad credentials.',
  403: 'You are not authorized to access this resource.',
  404: "The resource you are looking for doesn't exist.",
  405: 'Method not allowed',
  406: 'The content type is not recognized.',
}

const failure = (status: number): unknown => ({
  errors: [{ status: String(status), title: titles[status] ?? 'An error occurred.' }],
})

const refusal = (status: number, headers: Answer['headers'] = {}): Refusal =>
  new Refusal(status, failure(status), headers)

/** Nothing for a request without credentials. Wrong ones are refused on every route. */
function callerOf({ repositories }: State, { headers }: Exchange): Repository | undefined {
  const [scheme, credentials] = headers.authorization?.split(' ') ?? []
  if (scheme === undefined || !credentials) return undefined
  const [name = '', ...password] = Buffer.from(credentials, 'base64').toString().split(':')
  const found = repositories.find(({ id }) => id === name.toLowerCase())
  const isRight = scheme.toLowerCase() === 'basic' && found?.password === password.join(':')
  if (!found || !isRight) throw refusal(401)
  return found
}

function requireCaller(state: State, exchange: Exchange): Repository {
  const caller = callerOf(state, exchange)
  if (!caller) throw refusal(401)
  return caller
}

/** @see lupo `app/controllers/repositories_controller.rb`, which looks for it before it signs in */
function repository(state: State, exchange: Exchange): Answer {
  const found = state.repositories.find(({ id }) => id === exchange.parameters['id'])
  if (!found) throw refusal(404)
  callerOf(state, exchange)
  const prefixes = found.prefixes.map((id) => ({ id, type: 'prefixes' }))
  const relationships = { prefixes: { data: prefixes } }
  return { body: { data: { id: found.id, type: 'repositories', attributes: {}, relationships } } }
}

async function attributesOf(exchange: Exchange): Promise<Json> {
  const text = await readText(exchange)
  const type = exchange.headers['content-type'] ?? ''
  if (!/json/.test(type) || text === '') throw refusal(400)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new Refusal(400, { errors: [{ status: '400', title: String(error) }] })
  }
  const { data } = asJson(body)
  if (!isJson(data) || Object.keys(data).length === 0) throw refusal(400)
  const attributes = asJson(data['attributes'])
  const people = [...asList(attributes['creators']), ...asList(attributes['contributors'])]
  if (people.some((person) => isJson(asJson(person)['nameIdentifiers']))) {
    const title = 'found unpermitted parameter: :nameIdentifiers must be an Array'
    throw new Refusal(422, { errors: [{ status: '422', title }] })
  }
  return attributes
}

async function create(state: State, lag: number, exchange: Exchange): Promise<Answer> {
  const caller = requireCaller(state, exchange)
  const attributes = await attributesOf(exchange)
  const prefix = asText(attributes['prefix'])
  const doi = asText(attributes['doi']) || (prefix && `${prefix}/${suffix()}`)
  requirePrefix(caller, doi)
  const isTaken = state.dois.has(doi.toLowerCase())
  const made = withAttributes(newDoi(doi, caller.id), attributes)
  const faults = await faultsOf(made, true, allowed(caller), state.isStrict)
  const taken = [{ source: 'doi', title: 'This DOI has already been taken' }]
  const location = `${exchange.origin}/dois/${encodeURIComponent(made.doi)}`
  const answer = save(state, lag, exchange, made, isTaken ? [...taken, ...faults] : faults, 201)
  return { ...answer, headers: { location } }
}

/** Makes the DOI if there is none: the call that may be repeated. */
async function update(state: State, lag: number, exchange: Exchange): Promise<Answer> {
  const caller = callerOf(state, exchange)
  const attributes = await attributesOf(exchange)
  const name = doiOf(exchange)
  const before = state.dois.get(name)
  if (!before && !/^10\.\d{4,5}\/./.test(name)) throw refusal(404)
  if (!caller) throw refusal(401)
  if (before && before.client !== caller.id) throw refusal(403)
  if (!before) requirePrefix(caller, name)
  const kernel = 'http://datacite.org/schema/kernel-4'
  const known = before && { ...before, schemaVersion: before.schemaVersion ?? kernel }
  const made = withAttributes(known ?? newDoi(name, caller.id), attributes)
  const faults = await faultsOf(made, !before, allowed(caller), state.isStrict)
  return save(state, lag, exchange, made, faults, before ? 200 : 201)
}

async function validate(state: State, exchange: Exchange): Promise<Answer> {
  const caller = requireCaller(state, exchange)
  const attributes = await attributesOf(exchange)
  const draft = withAttributes(newDoi(asText(attributes['doi']), caller.id), attributes)
  const url = draft.url ?? 'https://example.org/'
  const made: Doi = {
    ...draft,
    state: 'registered',
    url,
    schemaVersion: draft.schemaVersion ?? 'kernel-4',
  }
  const faults = await faultsOf(made, true, () => true, state.isStrict)
  if (faults.length > 0)
    return { body: { errors: faults.map((fault) => ({ ...fault, uid: made.doi })) } }
  return { body: { data: toJson(draft, exchange) } }
}

function save(
  state: State,
  lag: number,
  exchange: Exchange,
  doi: Doi,
  faults: readonly { readonly source: string; readonly title: string }[],
  status: number,
): Answer {
  if (faults.length > 0) {
    return { status: 422, body: { errors: faults.map((fault) => ({ ...fault, uid: doi.doi })) } }
  }
  const registered = doi.registered ?? (doi.state === 'draft' ? undefined : doi.updated)
  const saved: Doi = registered === undefined ? doi : { ...doi, registered }
  state.dois.set(saved.doi, saved)
  index(state, lag)
  return { status, body: { data: toJson(saved, exchange) } }
}

const index = (state: State, lag: number): void =>
  void state.changes.push({ due: lag, dois: [...state.dois.values()] })

function show(state: State, exchange: Exchange): Answer {
  const doi = state.dois.get(doiOf(exchange))
  const caller = callerOf(state, exchange)
  if (!doi || (doi.state !== 'findable' && doi.client !== caller?.id)) throw refusal(404)
  const accept = exchange.headers.accept ?? '*/*'
  if (/vnd\.datacite\.datacite\+xml/.test(accept)) {
    return {
      headers: { 'content-type': 'application/vnd.datacite.datacite+xml' },
      body: doi.xml ?? '',
    }
  }
  if (!/\*\/\*|json|html/.test(accept)) throw refusal(406)
  return { body: { data: toJson(doi, exchange) } }
}

function remove(state: State, lag: number, exchange: Exchange): Answer {
  const caller = callerOf(state, exchange)
  const doi = state.dois.get(doiOf(exchange))
  if (!doi) throw refusal(404)
  if (!caller) throw refusal(401)
  if (doi.client !== caller.id) throw refusal(403)
  if (doi.state !== 'draft') throw refusal(405, { allow: 'HEAD, GET, POST, PATCH, PUT, OPTIONS' })
  state.dois.delete(doi.doi)
  index(state, lag)
  return { status: 204 }
}

function random({ query }: Exchange): Answer {
  const prefix = query.get('prefix')
  if (prefix) return { body: { dois: [`${prefix}/${suffix()}`] } }
  return {
    status: 422,
    body: { errors: [{ status: '422', title: 'Parameter prefix is required' }] },
  }
}

const suffix = (): string =>
  Array.from({ length: 9 }, (_, at) => (at === 4 ? '-' : alphabet[randomInt(32)])).join('')

const doiOf = ({ parameters }: Exchange): string => (parameters['doi'] ?? '').toLowerCase()

function requirePrefix({ prefixes }: Repository, doi: string): void {
  if (!prefixes.includes(doi.split('/')[0] ?? '')) throw refusal(403)
}

const allowed =
  ({ domains = '*' }: Repository) =>
  (url: string): boolean => {
    if (domains === '*') return true
    const host = URL.parse(url)?.hostname ?? ''
    return domains
      .split(',')
      .some((domain) =>
        domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain,
      )
  }

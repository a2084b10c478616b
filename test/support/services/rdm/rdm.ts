import { randomInt } from 'node:crypto'
import {
  asJson,
  asText,
  isJson,
  readText,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import {
  failure,
  InvenioStore,
  invalid,
  refused,
  type InvenioOptions,
  type Item,
} from '../invenio/store.ts'
import { startService, type FakeService, type Service } from '../service.ts'
import {
  commitFile,
  importFiles,
  initFiles,
  listFiles,
  putContent,
  putPart,
  readContent,
  readFile,
  removeFile,
} from './rdm-files.ts'
import { doiOf, draftJson, recordJson } from './rdm-json.ts'
import { missingForPublishing, resourceTypes, checkDocument } from './rdm-metadata.ts'
import { own, ownDraft, published, type Rdm } from './rdm-request.ts'

export interface RdmOptions extends InvenioOptions {
  /** Whether files may be sent in parts; Zenodo says 403 to each part. */
  readonly parts?: 'allowed' | 'forbidden'
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * InvenioRDM's interface of drafts and records. Not in it: communities, reviews, access links, requests.
 * @see https://inveniordm.docs.cern.ch/reference/rest_api_drafts_records/
 * @see https://github.com/inveniosoftware/invenio-rdm-records `tests/resources`
 */
export async function startRdm(options: RdmOptions = {}): Promise<FakeService> {
  const letters = (): string => Array.from({ length: 5 }, () => alphabet[randomInt(32)]).join('')
  const store = new InvenioStore(options, () => `${letters()}-${letters()}`)
  const rdm: Rdm = { store, isPartsAllowed: options.parts !== 'forbidden' }
  const route = (
    method: string,
    path: string,
    answer: (rdm: Rdm, exchange: Exchange) => Answer | Promise<Answer>,
  ) => ({
    method,
    path: `/api${path}`,
    answer: (exchange: Exchange) => answer(rdm, exchange),
  })
  const draft = '/records/:id/draft'
  const service: Service = {
    routes: [
      route('GET', '/user/records', searchOwn),
      route('GET', '/vocabularies/:kind', vocabulary),
      route('GET', '/vocabularies/:kind/:term', vocabulary),
      route('GET', '/records', search),
      route('POST', '/records', create),
      route('GET', '/records/:id', (_, exchange) =>
        answer(rdm, exchange, published(rdm, exchange), recordJson),
      ),
      route('GET', '/records/:id/versions', versions),
      route('POST', '/records/:id/versions', newVersion),
      route('GET', '/records/:id/versions/latest', latest),
      route('GET', draft, (_, exchange) =>
        answer(rdm, exchange, ownDraft(rdm, exchange).item, draftJson),
      ),
      route('POST', draft, edit),
      route('PUT', draft, update),
      route('DELETE', draft, remove),
      route('POST', `${draft}/actions/publish`, publish),
      route('POST', `${draft}/actions/files-import`, importFiles),
      route('POST', `${draft}/pids/doi`, reserve),
      route('DELETE', `${draft}/pids/doi`, discardDoi),
      ...[draft, '/records/:id'].flatMap((base) => [
        route('GET', `${base}/files`, listFiles),
        route('GET', `${base}/files/:key`, readFile),
        route('GET', `${base}/files/:key/content`, readContent),
      ]),
      route('POST', `${draft}/files`, initFiles),
      route('PUT', `${draft}/files/:key/content`, putContent),
      route('PUT', `${draft}/files/:key/content/:part`, putPart),
      route('POST', `${draft}/files/:key/commit`, commitFile),
      route('DELETE', `${draft}/files/:key`, removeFile),
    ],
    before: () => store.count(),
    unknown: (_, allowed) => {
      const status = allowed.length > 0 ? 405 : 404
      return { status, body: failure(status) }
    },
    failure,
    headers: () => ({ 'x-request-id': crypto.randomUUID().replaceAll('-', '') }),
    state: () => store.state(),
  }
  return startService(service, options)
}

type Writer = (item: Item, exchange: Exchange, store: InvenioStore) => Json

function answer(
  { store }: Rdm,
  exchange: Exchange,
  item: Item,
  write: Writer,
  status = 200,
  more: Json = {},
): Answer {
  return {
    status,
    headers: { etag: `"${item.revision}"` },
    body: { ...write(item, exchange, store), ...more },
  }
}

async function documentOf(exchange: Exchange) {
  if (!/json/.test(exchange.headers['content-type'] ?? 'json')) throw refused(415)
  const text = await readText(exchange)
  try {
    const body: unknown = JSON.parse(text || '{}')
    if (isJson(body)) return checkDocument(body)
  } catch {
    // Answered below.
  }
  throw refused(400, 'Unable to decode JSON data in request body.')
}

/** What is wrong is told and left out; the rest is saved. */
async function create(rdm: Rdm, exchange: Exchange): Promise<Answer> {
  const { user } = rdm.store.require(exchange, 'deposit:write')
  const { document, errors } = await documentOf(exchange)
  const item = rdm.store.create(user, document)
  return answer(rdm, exchange, item, draftJson, 201, errors.length > 0 ? { errors } : {})
}

async function update(rdm: Rdm, exchange: Exchange): Promise<Answer> {
  const { item, draft } = ownDraft(rdm, exchange)
  requireRevision(item, exchange)
  const { document, errors } = await documentOf(exchange)
  const reserved = asJson(draft.document['pids'])
  const pids = { ...reserved, ...asJson(document['pids']) }
  item.draft = { ...draft, document: { ...document, pids } }
  rdm.store.changed(item)
  return answer(rdm, exchange, item, draftJson, 200, errors.length > 0 ? { errors } : {})
}

/** `If-Match` is a number without quotes. */
function requireRevision({ revision }: Item, { headers }: Exchange): void {
  const wanted = headers['if-match']
  if (wanted === undefined) return
  if (!/^\d+$/.test(wanted))
    throw invalid([{ field: 'if_match', messages: ['Not a valid integer.'] }])
  if (Number(wanted) === revision) return
  throw refused(412, `Revision id provided(${wanted}) doesn't match record's one(${revision})`)
}

function remove(rdm: Rdm, exchange: Exchange): Answer {
  const { item } = ownDraft(rdm, exchange)
  if (item.published) delete item.draft
  else rdm.store.items.delete(item.id)
  rdm.store.changed(item)
  return { status: 204 }
}

function publish(rdm: Rdm, exchange: Exchange): Answer {
  const { item, draft } = ownDraft(rdm, exchange, 'deposit:actions')
  const faults = missingForPublishing(draft)
  if (faults.length > 0) throw invalid(faults)
  const doi = { identifier: doiOf(item.id), provider: 'datacite', client: 'datacite' }
  const pids = { doi, ...asJson(draft.document['pids']) }
  item.published = { ...draft, document: { ...draft.document, pids } }
  delete item.draft
  rdm.store.changed(item)
  return answer(rdm, exchange, item, recordJson, 202)
}

function edit(rdm: Rdm, exchange: Exchange): Answer {
  const item = own(rdm, exchange)
  if (!item.published) throw refused(404)
  item.draft ??= { ...item.published }
  rdm.store.changed(item)
  return answer(rdm, exchange, item, draftJson, 201)
}

/** A draft without files, date and version; asked again, the same. */
function newVersion(rdm: Rdm, exchange: Exchange): Answer {
  const { store } = rdm
  const item = own(rdm, exchange)
  if (!item.published) throw refused(404)
  const open = [...store.items.values()].find(
    (other) => other.concept === item.concept && !other.published,
  )
  const { pids: _, metadata, ...rest } = item.published.document
  const { publication_date, version, ...kept } = asJson(metadata)
  const next = open ?? store.create(item.owner, { ...rest, metadata: kept }, item)
  return answer(rdm, exchange, next, draftJson, 201)
}

function reserve(rdm: Rdm, exchange: Exchange): Answer {
  const { item, draft } = ownDraft(rdm, exchange)
  const pids = asJson(draft.document['pids'])
  if (pids['doi'])
    throw invalid([{ field: 'pids.doi', messages: ['A PID already exists for type doi'] }])
  const doi = { identifier: doiOf(item.id), provider: 'datacite', client: 'datacite' }
  item.draft = { ...draft, document: { ...draft.document, pids: { ...pids, doi } } }
  rdm.store.changed(item)
  return answer(rdm, exchange, item, draftJson, 201)
}

function discardDoi(rdm: Rdm, exchange: Exchange): Answer {
  const { item, draft } = ownDraft(rdm, exchange)
  const { doi, ...pids } = asJson(draft.document['pids'])
  if (doi === undefined || item.published) throw refused(400)
  item.draft = { ...draft, document: { ...draft.document, pids } }
  rdm.store.changed(item)
  return { status: 204 }
}

function versions(rdm: Rdm, exchange: Exchange): Answer {
  const { concept } = published(rdm, exchange)
  const all = [...rdm.store.items.values()].filter(
    (item) => item.concept === concept && item.published,
  )
  return hits(rdm, exchange, all.reverse())
}

function latest(rdm: Rdm, exchange: Exchange): Answer {
  const item = rdm.store.latest(published(rdm, exchange))
  if (!item) throw refused(404)
  return answer(rdm, exchange, item, recordJson)
}

function searchOwn(rdm: Rdm, exchange: Exchange): Answer {
  const { user } = rdm.store.require(exchange, 'deposit:write')
  return hits(rdm, exchange, rdm.store.search(user, exchange.query.get('q') ?? ''))
}

function search(rdm: Rdm, exchange: Exchange): Answer {
  const found = rdm.store.search(undefined, exchange.query.get('q') ?? '')
  return hits(
    rdm,
    exchange,
    found.filter((item) => item.published),
  )
}

function hits({ store }: Rdm, exchange: Exchange, found: readonly Item[]): Answer {
  const { query, origin, path } = exchange
  const size = Number(query.get('size') ?? 25)
  const page = Math.max(1, Number(query.get('page') ?? 1))
  const shown = found.slice((page - 1) * size, page * size)
  const next = new URLSearchParams(query)
  next.set('page', String(page + 1))
  return {
    body: {
      hits: {
        hits: shown.map((item) => (item.draft ? draftJson : recordJson)(item, exchange, store)),
        total: found.length,
      },
      aggregations: {},
      sortBy: 'bestmatch',
      links: {
        self: `${origin}${path}?${query.toString()}`,
        ...(page * size < found.length && { next: `${origin}${path}?${next.toString()}` }),
      },
    },
  }
}

/** @see https://inveniordm.docs.cern.ch/reference/rest_api_vocabularies/ */
function vocabulary(_: Rdm, { parameters, query }: Exchange): Answer {
  const { kind = '', term } = parameters
  const terms: Readonly<Record<string, readonly string[]>> = {
    resourcetypes: resourceTypes,
    licenses: ['cc-by-4.0', 'cc0-1.0', 'mit', 'apache-2.0'],
    languages: ['eng', 'deu', 'fra'],
  }
  const found = terms[kind]
  if (!found) throw refused(404)
  const toTerm = (id: string): Json => ({ id, title: { en: id }, type: kind })
  if (term !== undefined) {
    if (!found.includes(term)) throw refused(404)
    return { body: toTerm(term) }
  }
  const wanted = found.filter((id) => id.includes(asText(query.get('q') ?? '').toLowerCase()))
  return { body: { hits: { hits: wanted.map(toTerm), total: wanted.length } } }
}

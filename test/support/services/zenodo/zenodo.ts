import { asJson, download, Refusal, type Answer, type Exchange, type Json } from '../exchange.ts'
import {
  failure,
  InvenioStore,
  invalid,
  refused,
  timestamp,
  type InvenioOptions,
  type Item,
} from '../invenio/store.ts'
import { startService, type FakeService, type Service } from '../service.ts'
import {
  addFile,
  getObject,
  listBucket,
  listFiles,
  putObject,
  readFile,
  removeFile,
  removeObject,
  renameFile,
} from './zenodo-files.ts'
import { deposition, zenodoRecord } from './zenodo-json.ts'
import { checkMetadata, missingForPublishing, withDefaults } from './zenodo-metadata.ts'
import { caller, locked, own, readBody, type Zenodo } from './zenodo-request.ts'

export interface ZenodoOptions extends InvenioOptions {
  /**
   * `today` is what zenodo.org does since it runs on InvenioRDM; `documented` what its documentation
   * still says, and the service before did. Clients have to bear both.
   */
  readonly manner?: 'today' | 'documented'
}

/**
 * Zenodo's deposit API. Not in it: communities, OAI-PMH, InvenioRDM's own interface (see `rdm`).
 * @see https://developers.zenodo.org/
 * @see https://github.com/zenodo/zenodo-rdm `site/zenodo_rdm/legacy`, `site/tests/legacy/deposits`
 */
export async function startZenodo(options: ZenodoOptions = {}): Promise<FakeService> {
  const store = new InvenioStore(options)
  const zenodo: Zenodo = { store, isDocumented: options.manner === 'documented' }
  const base = '/api/deposit/depositions'
  const route = (
    method: string,
    path: string,
    answer: (zenodo: Zenodo, exchange: Exchange) => Answer | Promise<Answer>,
  ) => ({
    method,
    path,
    answer: (exchange: Exchange) => answer(zenodo, exchange),
  })
  const service: Service = {
    routes: [
      route('GET', base, list),
      route('POST', base, create),
      route('GET', `${base}/:id`, read),
      route('PUT', `${base}/:id`, update),
      route('DELETE', `${base}/:id`, remove),
      route('POST', `${base}/:id/actions/publish`, publish),
      route('POST', `${base}/:id/actions/edit`, edit),
      route('POST', `${base}/:id/actions/discard`, discard),
      route('POST', `${base}/:id/actions/newversion`, newVersion),
      route('GET', `${base}/:id/files`, listFiles),
      route('POST', `${base}/:id/files`, addFile),
      route('GET', `${base}/:id/files/:file`, readFile),
      route('DELETE', `${base}/:id/files/:file`, removeFile),
      ...(zenodo.isDocumented ? [route('PUT', `${base}/:id/files/:file`, renameFile)] : []),
      route('GET', '/api/files/:bucket', listBucket),
      route('PUT', '/api/files/:bucket/:key', putObject),
      route('GET', '/api/files/:bucket/:key', getObject),
      route('DELETE', '/api/files/:bucket/:key', removeObject),
      route('GET', '/api/records', searchRecords),
      route('GET', '/api/records/:id', readRecord),
      route('GET', '/api/records/:id/files/:key/content', readContent),
    ],
    before: () => store.count(),
    unknown: (_, allowed) => {
      const status = allowed.length > 0 ? 405 : 404
      return {
        status,
        headers: allowed.length > 0 ? { allow: allowed.join(', ') } : {},
        body: failure(status),
      }
    },
    failure,
    headers: () => ({ 'x-request-id': crypto.randomUUID().replaceAll('-', '') }),
    state: () => store.state(),
  }
  return startService(service, options)
}

function answer(zenodo: Zenodo, exchange: Exchange, item: Item, status = 200): Answer {
  const { store, isDocumented } = zenodo
  // Today only the draft itself leads to it.
  const open = isDocumented ? openDraftOf(zenodo, item) : undefined
  const body = deposition(item, exchange.origin, store.latest(item), open)
  return { status, headers: { etag: `"${item.revision}"` }, body }
}

async function documentOf(exchange: Exchange): Promise<Json> {
  const body = await readBody(exchange)
  const faults = checkMetadata(body)
  if (faults.length > 0) throw invalid(faults)
  return withDefaults(asJson(body['metadata']))
}

function list(zenodo: Zenodo, exchange: Exchange): Answer {
  const { user } = caller(zenodo, exchange)
  const { query } = exchange
  const size = Number(query.get('size') ?? 10)
  if (size > 100)
    throw invalid([{ field: 'size', messages: ['Page size cannot be greater than 100.'] }])
  const page = Math.max(1, Number(query.get('page') ?? 1))
  const status = query.get('status')
  const found = zenodo.store.search(user, query.get('q') ?? '').filter((item) => {
    if (status === 'draft') return item.draft
    if (status === 'published') return item.published
    return true
  })
  const latest = query.get('all_versions')
    ? found
    : found.filter(
        (item) =>
          !found.some((other) => other.concept === item.concept && other.index > item.index),
      )
  const shown = latest.slice((page - 1) * size, page * size)
  return { body: shown.map((item) => deposition(item, exchange.origin, zenodo.store.latest(item))) }
}

async function create(zenodo: Zenodo, exchange: Exchange): Promise<Answer> {
  const { user } = caller(zenodo, exchange)
  const document = await documentOf(exchange)
  return answer(zenodo, exchange, zenodo.store.create(user, document), 201)
}

function read(zenodo: Zenodo, exchange: Exchange): Answer {
  return answer(zenodo, exchange, own(zenodo, exchange))
}

/** Replaces the metadata whole. */
async function update(zenodo: Zenodo, exchange: Exchange): Promise<Answer> {
  const item = own(zenodo, exchange)
  const document = await documentOf(exchange)
  const { draft } = item
  if (!draft) throw locked(zenodo)
  item.draft = { ...draft, document }
  zenodo.store.changed(item)
  return answer(zenodo, exchange, item)
}

function remove(zenodo: Zenodo, exchange: Exchange): Answer {
  const item = own(zenodo, exchange)
  if (!item.draft) throw locked(zenodo)
  if (item.published && zenodo.isDocumented) throw refused(403)
  if (item.published) delete item.draft
  else zenodo.store.items.delete(item.id)
  zenodo.store.changed(item)
  return { status: 204 }
}

function publish(zenodo: Zenodo, exchange: Exchange): Answer {
  const item = own(zenodo, exchange, 'deposit:actions')
  const { draft } = item
  if (!draft) throw locked(zenodo)
  const faults = missingForPublishing(draft)
  if (faults.length > 0) throw invalid(faults)
  if (!item.published && hasFilesOfOther(zenodo, item)) {
    throw refused(400, "New version's files must differ from all previous versions.")
  }
  item.published = draft
  delete item.draft
  zenodo.store.changed(item)
  return answer(zenodo, exchange, item, 202)
}

/** @see https://github.com/zenodo/zenodo `zenodo/modules/deposit/api.py`, `_publish_new_version` */
function hasFilesOfOther({ store }: Zenodo, { id, concept, draft }: Item): boolean {
  const sums = (version: Item['draft']): string => {
    const all = [...(version?.files.values() ?? [])].map(({ content }) => content?.md5 ?? '')
    return JSON.stringify([...new Set(all)].toSorted((one, other) => (one < other ? -1 : 1)))
  }
  const others = [...store.items.values()].filter(
    (each) => each.concept === concept && each.id !== id,
  )
  return others.some(({ published }) => published && sums(published) === sums(draft))
}

function edit(zenodo: Zenodo, exchange: Exchange): Answer {
  const item = own(zenodo, exchange, 'deposit:actions')
  const { draft, published } = item
  if (draft && zenodo.isDocumented) throw refused(403)
  if (!published) throw refused(404)
  item.draft ??= { ...published }
  zenodo.store.changed(item)
  return answer(zenodo, exchange, item, 201)
}

function discard(zenodo: Zenodo, exchange: Exchange): Answer {
  if (!zenodo.isDocumented) return remove(zenodo, exchange)
  const item = own(zenodo, exchange, 'deposit:actions')
  if (!item.draft || !item.published) throw refused(400, 'Deposition is not being edited.')
  delete item.draft
  zenodo.store.changed(item)
  return answer(zenodo, exchange, item, 201)
}

function openDraftOf({ store }: Zenodo, { concept }: Item): Item | undefined {
  return [...store.items.values()].find((other) => other.concept === concept && !other.published)
}

/**
 * Today: answers the new draft, into which the files were imported; a second call is refused as long
 * as that draft has files. Documented: answers the published one, with the draft in `latest_draft`.
 */
function newVersion(zenodo: Zenodo, exchange: Exchange): Answer {
  const { store, isDocumented } = zenodo
  const item = own(zenodo, exchange, 'deposit:actions')
  const { published } = item
  if (!published) throw refused(isDocumented ? 403 : 404)
  const open = openDraftOf(zenodo, item)
  if (open?.draft && open.draft.files.size > 0 && !isDocumented) {
    throw refused(400, 'Please remove all files first.')
  }
  const { doi: _, publication_date, version, ...rest } = published.document
  const kept = isDocumented ? { ...rest, publication_date, version } : rest
  const next = open ?? store.create(item.owner, JSON.parse(JSON.stringify(kept)) as Json, item)
  if (next.draft && !open) {
    for (const file of published.files.values()) {
      const copy = {
        ...file,
        id: crypto.randomUUID(),
        versionId: crypto.randomUUID(),
        created: timestamp(),
      }
      next.draft.files.set(file.key, copy)
    }
  }
  store.changed(next)
  return answer(zenodo, exchange, isDocumented ? item : next, 201)
}

/** @throws Refusal 404 where nothing of this id is published; a concept leads to its newest version */
function publishedOf({ store }: Zenodo, { parameters, origin, path }: Exchange): Item {
  const id = parameters['id'] ?? ''
  const versions = [...store.items.values()].filter(({ concept }) => concept === id)
  const newest = versions[0] && store.latest(versions[0])
  if (newest) {
    throw new Refusal(301, failure(301), { location: `${origin}${path.replace(id, newest.id)}` })
  }
  const item = store.items.get(id)
  if (!item?.published) throw refused(404)
  return item
}

function searchRecords({ store }: Zenodo, { query, origin }: Exchange): Answer {
  const found = store.search(undefined, query.get('q') ?? '').filter(({ published }) => published)
  const size = Number(query.get('size') ?? 25)
  const hits = found.slice(0, size).map((item) => zenodoRecord(item, origin, store.latest(item)))
  return { body: { hits: { hits, total: found.length }, links: {}, aggregations: {} } }
}

function readRecord(zenodo: Zenodo, exchange: Exchange): Answer {
  const item = publishedOf(zenodo, exchange)
  return { body: zenodoRecord(item, exchange.origin, zenodo.store.latest(item)) }
}

function readContent(zenodo: Zenodo, exchange: Exchange): Answer {
  const { published } = publishedOf(zenodo, exchange)
  const content = published?.files.get(exchange.parameters['key'] ?? '')?.content
  if (!content) throw refused(404)
  return download(content, exchange, 'application/octet-stream')
}

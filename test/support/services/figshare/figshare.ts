import { createHash } from 'node:crypto'
import {
  asJson,
  asList,
  asText,
  isJson,
  readText,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import { startService, type FakeService, type Service } from '../service.ts'
import { categories, licenses, short, types, whole } from './article-json.ts'
import {
  failed,
  failure,
  FigshareStore,
  paged,
  timestamp,
  type Article,
  type FigshareOptions,
} from './store.ts'
import {
  beginFile,
  completeFile,
  filesJson,
  listFiles,
  originOf,
  putPart,
  readBytes,
  readFile,
  readPart,
  readUpload,
  removeFile,
  resetPart,
} from './uploads.ts'

/**
 * figshare's API for one account, with the service that takes the parts of files. Not in it: projects,
 * collections, groups, embargoes, private links.
 * @see https://docs.figshare.com/
 * @see https://github.com/figshare/user_documentation `docs/api`, `swagger_documentation`
 */
export async function startFigshare(options: FigshareOptions = {}): Promise<FakeService> {
  const store = new FigshareStore(options)
  const route = (
    method: string,
    path: string,
    answer: (store: FigshareStore, exchange: Exchange) => Answer | Promise<Answer>,
  ) => ({
    method,
    path,
    answer: (exchange: Exchange) => answer(store, exchange),
  })
  const own = '/v2/account/articles'
  const service: Service = {
    routes: [
      route('GET', '/v2/account', account),
      route('GET', '/v2/account/licenses', (_, exchange) => conditional(licenses, exchange)),
      route('GET', '/v2/licenses', (_, exchange) => conditional(licenses, exchange)),
      route('GET', '/v2/categories', (_, exchange) => conditional(categories, exchange)),
      route('GET', '/v2/account/categories', (_, exchange) => conditional(categories, exchange)),
      route('GET', own, list),
      route('POST', own, create),
      route('POST', `${own}/search`, search),
      route('GET', `${own}/:id`, (_, exchange) =>
        conditional(wholeOf(store, exchange, store.own(exchange)), exchange),
      ),
      route('PUT', `${own}/:id`, update),
      route('DELETE', `${own}/:id`, remove),
      route('POST', `${own}/:id/publish`, publish),
      route('POST', `${own}/:id/reserve_doi`, reserve),
      route('GET', `${own}/:id/files`, listFiles),
      route('POST', `${own}/:id/files`, beginFile),
      route('GET', `${own}/:id/files/:file`, readFile),
      route('POST', `${own}/:id/files/:file`, completeFile),
      route('DELETE', `${own}/:id/files/:file`, removeFile),
      route('GET', '/v2/articles/:id', readPublic),
      route('GET', '/v2/articles/:id/files', listPublicFiles),
      route('GET', '/v2/articles/:id/versions', versions),
      route('GET', '/v2/file/download/:file', readBytes),
      route('GET', '/upload/:token', readUpload),
      route('GET', '/upload/:token/:part', readPart),
      route('PUT', '/upload/:token/:part', putPart),
      route('DELETE', '/upload/:token/:part', resetPart),
    ],
    before: () => {
      store.countRequest()
      return undefined
    },
    unknown: (_, allowed) => ({ status: allowed.length > 0 ? 405 : 404, body: failure(404) }),
    failure,
    state: () => store.state(),
  }
  return startService(service, options)
}

/** @see https://docs.figshare.com/#figshare_documentation_api_description_conditional_requests */
function conditional(body: unknown, { headers }: Exchange): Answer {
  const etag = `"${createHash('md5').update(JSON.stringify(body)).digest('hex')}"`
  return headers['if-none-match'] === etag
    ? { status: 304, headers: { etag } }
    : { headers: { etag }, body }
}

function account(store: FigshareStore, exchange: Exchange): Answer {
  const id = store.account(exchange)
  return {
    body: {
      id,
      active: 1,
      email: 'ada@example.org',
      first_name: 'Ada',
      last_name: 'Lovelace',
      quota: store.settings.quota,
      used_quota: store.used(id),
    },
  }
}

async function documentOf(exchange: Exchange): Promise<Json> {
  const text = await readText(exchange)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw failed(400, 'BadRequest', 'Request body is not valid JSON')
  }
  if (!isJson(body)) throw failed(422, 'ValidationError', 'Invalid data structure')
  const { title, license, defined_type, categories: chosen, authors } = body
  const wrong = [
    title !== undefined && (asText(title).length < 3 || asText(title).length > 500) && 'title',
    license !== undefined &&
      license !== 0 &&
      !licenses.some(({ value }) => value === license) &&
      'license',
    defined_type !== undefined && !types.includes(asText(defined_type)) && 'defined_type',
    asList(chosen).some((id) => !categories.some((category) => category.id === id)) && 'categories',
    asList(authors).some((author) => !asJson(author)['id'] && !asJson(author)['name']) && 'authors',
  ].find((name) => name !== false)
  if (wrong !== undefined)
    throw failed(422, 'ValidationError', `Invalid value for field ${wrong}`, { field: wrong })
  return body
}

async function create(store: FigshareStore, exchange: Exchange): Promise<Answer> {
  const owner = store.account(exchange)
  const document = await documentOf(exchange)
  if (document['title'] === undefined)
    throw failed(422, 'ValidationError', 'Field title is required', { field: 'title' })
  const { id } = store.create(owner, document)
  const location = `${exchange.origin}/v2/account/articles/${id}`
  return { status: 201, headers: { location }, body: { entity_id: id, location, warnings: [] } }
}

/** Fields that are named are replaced; others stay. The answer has a body, which 205 should not have. */
async function update(store: FigshareStore, exchange: Exchange): Promise<Answer> {
  const article = store.own(exchange)
  const document = await documentOf(exchange)
  article.metadata = { ...article.metadata, ...document }
  store.changed(article)
  const location = `${exchange.origin}/v2/account/articles/${article.id}`
  return { status: 205, headers: { location }, body: { location, warnings: [] } }
}

function remove(store: FigshareStore, exchange: Exchange): Answer {
  const article = store.own(exchange)
  if (article.versions.length > 0)
    throw failed(403, 'Forbidden', 'Public articles cannot be deleted')
  store.articles.splice(store.articles.indexOf(article), 1)
  return { status: 204 }
}

function reserve(store: FigshareStore, exchange: Exchange): Answer {
  const article = store.own(exchange)
  article.doi ??= doiOf(article)
  return { body: { doi: article.doi } }
}

const doiOf = ({ id }: Article): string => `10.5072/FK2.stagefigshare.${id}`

/**
 * Makes a version of what has changed.
 * @see https://docs.figshare.com/#private_article_publish
 */
function publish(store: FigshareStore, exchange: Exchange): Answer {
  const article = store.own(exchange)
  const { metadata, files, versions: before } = article
  const tags = [...asList(metadata['tags']), ...asList(metadata['keywords'])]
  const given: Readonly<Record<string, boolean>> = {
    title: metadata['title'] !== undefined,
    description: asText(metadata['description']) !== '',
    categories: asList(metadata['categories']).length > 0,
    tags: tags.length > 0,
    defined_type: metadata['defined_type'] !== undefined,
    license: Boolean(metadata['license']),
    files: files.length > 0,
  }
  const missing = Object.keys(given).filter((name) => given[name] === false)
  if (missing.length > 0) {
    throw failed(400, 'ValidationError', `Missing mandatory fields: ${missing.join(', ')}`, {
      missing,
    })
  }
  if (files.some(({ status }) => status !== 'available')) {
    throw failed(400, 'FilesNotAvailable', 'Some files are not uploaded or not checked yet')
  }
  if (!article.isChanged) throw failed(400, 'NothingToPublish', 'There are no changes to publish')
  article.doi ??= doiOf(article)
  before.push({ metadata, files, at: timestamp() })
  store.changed(article)
  article.isChanged = false
  const location = `${exchange.origin}/v2/articles/${article.id}`
  return { status: 201, headers: { location }, body: { location } }
}

function list(store: FigshareStore, exchange: Exchange): Answer {
  const owner = store.account(exchange)
  const own = store.articles.filter((article) => article.owner === owner).reverse()
  const shown = paged(own, (name) => exchange.query.get(name))
  return conditional(
    shown.map((article) => short(article, exchange)),
    exchange,
  )
}

/** Finds what the index has seen. */
async function search(store: FigshareStore, exchange: Exchange): Promise<Answer> {
  const owner = store.account(exchange)
  const sent = asJson(JSON.parse((await readText(exchange)) || '{}'))
  const wanted = asText(sent['search_for'])
    .replace(/^:\w+: ?/, '')
    .replaceAll('"', '')
    .toLowerCase()
  const found = store.articles.filter(
    (article) =>
      article.owner === owner &&
      article.unindexed < 0 &&
      JSON.stringify(article.metadata).toLowerCase().includes(wanted),
  )
  return {
    body: paged(found.reverse(), (name) => sent[name]).map((article) => short(article, exchange)),
  }
}

/** @throws Refusal 404 */
function publicOf({ articles }: FigshareStore, { parameters }: Exchange): Article {
  const article = articles.find(
    ({ id, versions: all }) => id === Number(parameters['id']) && all.length > 0,
  )
  if (!article) throw failed(404, 'EntityNotFound', 'Entity not found: article')
  return article
}

function wholeOf(
  store: FigshareStore,
  exchange: Exchange,
  article: Article,
  shown: Pick<Article, 'metadata' | 'files'> = article,
): Json {
  return whole(article, exchange, { ...shown, filesAt: originOf(store, exchange) })
}

function readPublic(store: FigshareStore, exchange: Exchange): Answer {
  const article = publicOf(store, exchange)
  const shown = article.versions.at(-1) ?? article
  return conditional(wholeOf(store, exchange, article, shown), exchange)
}

/** @see https://docs.figshare.com/#public_article_files */
function listPublicFiles(store: FigshareStore, exchange: Exchange): Answer {
  const article = publicOf(store, exchange)
  const { files } = article.versions.at(-1) ?? article
  return { body: filesJson(store, files, exchange) }
}

function versions(store: FigshareStore, exchange: Exchange): Answer {
  const { id, versions: all } = publicOf(store, exchange)
  const { origin } = exchange
  return {
    body: all.map((_, at) => ({
      version: at + 1,
      url: `${origin}/v2/articles/${id}/versions/${at + 1}`,
    })),
  }
}

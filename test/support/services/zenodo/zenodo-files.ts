import { download, type Answer, type Exchange } from '../exchange.ts'
import { refused, type Item } from '../invenio/store.ts'
import { readForm, textOf } from '../multipart.ts'
import { bucketFile, depositionFile } from './zenodo-json.ts'
import { caller, locked, own, readBody, type Zenodo } from './zenodo-request.ts'

function filesOf(item: Item) {
  return [...((item.draft ?? item.published)?.files.values() ?? [])]
}

export function listFiles(zenodo: Zenodo, exchange: Exchange): Answer {
  const item = own(zenodo, exchange)
  return { body: filesOf(item).map((file) => depositionFile(file, item, exchange.origin)) }
}

/** The old interface for files up to 100 MB: a form with `file` and, before it, `name`. */
export async function addFile(zenodo: Zenodo, exchange: Exchange): Promise<Answer> {
  const item = own(zenodo, exchange)
  requireChangeable(zenodo, item)
  if (Number(exchange.headers['content-length'] ?? 0) > 100_000_000)
    throw refused(413, 'Request Entity Too Large')
  let name: string | undefined
  let key: string | undefined
  for await (const part of readForm(exchange)) {
    if (part.name === 'name') name = await textOf(part)
    if (part.name !== 'file') continue
    key = secureName(name ?? part.filename ?? '')
    if (item.draft?.files.has(key)) throw refused(400, `File with key ${key} already exists.`)
    await keep(zenodo, item, key, part.body)
  }
  const file =
    item.draft?.files.get(name === undefined ? (key ?? '') : secureName(name)) ??
    item.draft?.files.get(key ?? '')
  if (!file) throw refused(400)
  return { status: 201, body: depositionFile(file, item, exchange.origin) }
}

/** As `secure_filename` of Werkzeug: no folders, no blanks, ASCII alone. */
const secureName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll('/', ' ')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .replaceAll(/\s+/g, '_')
    .replaceAll(/[^\w.-]/g, '')
    .replaceAll(/^[._]+|[._]+$/g, '')

function requireChangeable(zenodo: Zenodo, { draft, published }: Item): void {
  if (!draft) throw locked(zenodo)
  if (published) throw refused(403)
}

async function keep(
  zenodo: Zenodo,
  item: Item,
  key: string,
  body: AsyncIterable<Buffer>,
  length?: string,
) {
  const { store } = zenodo
  const before = item.draft?.files.get(key)
  const made = before ? { ...before, versionId: crypto.randomUUID() } : store.initFile(item, key)
  const content = await store.receive(item, key, body, length)
  if (length !== undefined && Number(length) !== content.size)
    throw refused(400, 'File upload transfer failed.')
  if (content.size === 0) throw refused(400, 'Empty files are not accepted.')
  const file = { ...made, id: crypto.randomUUID(), content, isCommitted: true }
  item.draft?.files.set(key, file)
  store.changed(item)
  return file
}

function fileOf(zenodo: Zenodo, exchange: Exchange) {
  const item = own(zenodo, exchange)
  const file = filesOf(item).find(({ id }) => id === exchange.parameters['file'])
  if (!file) throw refused(404)
  return { item, file }
}

export function readFile(zenodo: Zenodo, exchange: Exchange): Answer {
  const { item, file } = fileOf(zenodo, exchange)
  return { body: depositionFile(file, item, exchange.origin) }
}

export function removeFile(zenodo: Zenodo, exchange: Exchange): Answer {
  const { item, file } = fileOf(zenodo, exchange)
  if (item.published) throw refused(403)
  item.draft?.files.delete(file.key)
  zenodo.store.changed(item)
  return { status: 204 }
}

export async function renameFile(zenodo: Zenodo, exchange: Exchange): Promise<Answer> {
  const { item, file } = fileOf(zenodo, exchange)
  requireChangeable(zenodo, item)
  const { filename } = await readBody(exchange)
  if (typeof filename !== 'string' || secureName(filename) !== filename)
    throw refused(400, 'Validation error.')
  const renamed = { ...file, key: filename }
  item.draft?.files.delete(file.key)
  item.draft?.files.set(filename, renamed)
  return { body: depositionFile(renamed, item, exchange.origin) }
}

/** @throws Refusal 404 where there is no such bucket or nobody may know of it */
function bucketOf(zenodo: Zenodo, exchange: Exchange): Item {
  const user = zenodo.store.caller(exchange)?.user
  const item = [...zenodo.store.items.values()].find(
    ({ bucket }) => bucket === exchange.parameters['bucket'],
  )
  if (!item || user === undefined) throw refused(404)
  if (item.owner !== user) throw refused(403)
  return item
}

export function listBucket(zenodo: Zenodo, exchange: Exchange): Answer {
  const item = bucketOf(zenodo, exchange)
  const contents = filesOf(item).map((file) => bucketFile(file, item, exchange.origin))
  const size = contents.reduce((sum, file) => sum + Number(file['size']), 0)
  return { body: zenodo.isDocumented ? { id: item.bucket, size, contents } : contents }
}

/** One request a file: raw bytes, which replace those of the same name. */
export async function putObject(zenodo: Zenodo, exchange: Exchange): Promise<Answer> {
  const item = bucketOf(zenodo, exchange)
  caller(zenodo, exchange)
  const key = exchange.parameters['key'] ?? ''
  if (key.includes('/')) throw refused(404)
  requireChangeable(zenodo, item)
  const file = await keep(zenodo, item, key, exchange.body, exchange.headers['content-length'])
  return { status: zenodo.isDocumented ? 200 : 201, body: bucketFile(file, item, exchange.origin) }
}

function objectOf(zenodo: Zenodo, exchange: Exchange) {
  const item = bucketOf(zenodo, exchange)
  const file = filesOf(item).find(({ key }) => key === exchange.parameters['key'])
  if (!file?.content) throw refused(404)
  return { item, file, content: file.content }
}

export const getObject = (zenodo: Zenodo, exchange: Exchange): Answer =>
  download(objectOf(zenodo, exchange).content, exchange, 'application/octet-stream')

export function removeObject(zenodo: Zenodo, exchange: Exchange): Answer {
  const { item, file } = objectOf(zenodo, exchange)
  requireChangeable(zenodo, item)
  item.draft?.files.delete(file.key)
  zenodo.store.changed(item)
  return { status: 204 }
}

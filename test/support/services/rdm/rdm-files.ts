import { createHash } from 'node:crypto'
import {
  asJson,
  asText,
  download,
  readText,
  type Answer,
  type Exchange,
  type Json,
  type Stored,
} from '../exchange.ts'
import { refused, timestamp, type Item, type StoredFile, type Version } from '../invenio/store.ts'
import { fileJson } from './rdm-json.ts'
import { ownDraft, published, type Rdm } from './rdm-request.ts'

const isDraftPath = ({ path }: Exchange): boolean => /\/draft\/files/.test(path)

/** The files of the draft or the record, as the path says. */
function versionOf(
  rdm: Rdm,
  exchange: Exchange,
): { readonly item: Item; readonly version: Version } {
  if (isDraftPath(exchange)) {
    const { item, draft } = ownDraft(rdm, exchange)
    return { item, version: draft }
  }
  const item = published(rdm, exchange)
  const { published: version } = item
  if (!version) throw refused(404)
  return { item, version }
}

const baseOf = (exchange: Exchange): string =>
  `${exchange.origin}${exchange.path.slice(0, exchange.path.indexOf('/files'))}`

function fileOf(rdm: Rdm, exchange: Exchange) {
  const { item, version } = versionOf(rdm, exchange)
  const key = exchange.parameters['key'] ?? ''
  const file = version.files.get(key)
  if (!file) throw refused(404, `Record '${item.id}' has no file '${key}'.`)
  return { item, version, file }
}

export function listFiles(rdm: Rdm, exchange: Exchange): Answer {
  const { version } = versionOf(rdm, exchange)
  return { body: listing(version, exchange, [...version.files.values()]) }
}

function listing({ document }: Version, exchange: Exchange, files: readonly StoredFile[]): Json {
  const base = baseOf(exchange)
  return {
    enabled: asJson(document['files'])['enabled'] !== false,
    default_preview: null,
    order: [],
    entries: files.map((file) => fileJson(file, base)),
    links: { self: `${base}/files` },
  }
}

export function readFile(rdm: Rdm, exchange: Exchange): Answer {
  return { body: fileJson(fileOf(rdm, exchange).file, baseOf(exchange)) }
}

export function readContent(rdm: Rdm, exchange: Exchange): Answer {
  const { content, isCommitted } = fileOf(rdm, exchange).file
  if (!content || !isCommitted) throw refused(404)
  const answer = download(content, exchange, 'application/octet-stream')
  return { ...answer, headers: { ...answer.headers, etag: `"md5:${content.md5}"` } }
}

/** The first of three steps. `transfer.type` is `L`, or `M` with `parts`, `part_size` and the `size`. */
export async function initFiles(rdm: Rdm, exchange: Exchange): Promise<Answer> {
  const { item, draft } = ownDraft(rdm, exchange)
  const body = JSON.parse(await readText(exchange)) as unknown
  if (!Array.isArray(body)) throw refused(400, 'A validation error occurred.')
  if (asJson(draft.document['files'])['enabled'] === false)
    throw refused(400, 'Files are not enabled.')
  const made = body.map((one: unknown) => {
    const { key, size, transfer } = asJson(one)
    const name = asText(key)
    if (draft.files.has(name)) throw refused(400, `File with key ${name} already exists.`)
    const { type, parts, part_size } = asJson(transfer)
    const begun = rdm.store.initFile(item, name)
    if (type !== 'M') return begun
    if (!parts || !size) throw refused(400, 'Multipart file transfer requires parts and file size.')
    return {
      ...begun,
      parts: { count: Number(parts), size: Number(part_size), received: new Map<number, Stored>() },
    }
  })
  for (const file of made) draft.files.set(file.key, file)
  return { status: 201, body: listing(draft, exchange, made) }
}

export async function putContent(rdm: Rdm, exchange: Exchange): Promise<Answer> {
  const { item, version, file } = fileOf(rdm, exchange)
  requireOpen(item)
  if (file.isCommitted || file.parts)
    throw refused(400, 'The file upload transfer failed, please try again.')
  const length = exchange.headers['content-length']
  const content = await rdm.store.receive(item, file.key, exchange.body, length)
  const made = { ...file, content }
  version.files.set(file.key, made)
  return { body: fileJson(made, baseOf(exchange)) }
}

export async function putPart(rdm: Rdm, exchange: Exchange): Promise<Answer> {
  const { item, file } = fileOf(rdm, exchange)
  requireOpen(item)
  if (!rdm.isPartsAllowed) throw refused(403)
  const part = Number(exchange.parameters['part'])
  const { parts } = file
  if (!parts || part > parts.count) {
    throw refused(400, 'Part number is higher than total parts sent in multipart initialization.')
  }
  const length = Number(exchange.headers['content-length'] ?? 0)
  if (part < parts.count && length !== parts.size) {
    throw refused(
      400,
      'Size of this part must be equal to part_size sent in multipart initialization.',
    )
  }
  parts.received.set(part, await rdm.store.receive(item, file.key, exchange.body))
  return { body: fileJson(file, baseOf(exchange)) }
}

function requireOpen({ published: record }: Item): void {
  if (record) throw refused(403)
}

/** The last step; only now the file is one of the draft. */
export function commitFile(rdm: Rdm, exchange: Exchange): Answer {
  const { item, version, file } = fileOf(rdm, exchange)
  requireOpen(item)
  const content = file.parts ? joined(file.parts) : file.content
  if (!content) throw refused(400, 'The file upload transfer failed, please try again.')
  if (content.size === 0) throw refused(400, 'Empty files are not accepted.')
  const made = { ...file, content, isCommitted: true }
  version.files.set(file.key, made)
  rdm.store.changed(item)
  return { body: fileJson(made, baseOf(exchange)) }
}

/** The digest of parts is one of their digests, and says nothing of the whole. */
function joined({ count, received }: NonNullable<StoredFile['parts']>): Stored | undefined {
  if (received.size !== count) return undefined
  const parts = [...received].sort(([one], [other]) => one - other).map(([, part]) => part)
  const digests = parts.map(({ md5 }) => Buffer.from(md5, 'hex'))
  const md5 = `${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${count}`
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  const bytes = parts.every((part) => part.bytes)
    ? Buffer.concat(parts.flatMap((part) => part.bytes ?? []))
    : undefined
  return bytes ? { size, md5, bytes } : { size, md5 }
}

export function removeFile(rdm: Rdm, exchange: Exchange): Answer {
  const { item, version, file } = fileOf(rdm, exchange)
  requireOpen(item)
  version.files.delete(file.key)
  rdm.store.changed(item)
  return { status: 204 }
}

/** Files of the version before, into a draft that has none. */
export function importFiles(rdm: Rdm, exchange: Exchange): Answer {
  const { item, draft } = ownDraft(rdm, exchange)
  if (draft.files.size > 0) throw refused(400, 'Please remove all files first.')
  const before = rdm.store.latest(item)
  for (const file of before?.published?.files.values() ?? []) {
    draft.files.set(file.key, { ...file, id: crypto.randomUUID(), created: timestamp() })
  }
  rdm.store.changed(item)
  const base = exchange.path.replace('/actions/files-import', '/files')
  return {
    status: 201,
    body: listing(draft, { ...exchange, path: base }, [...draft.files.values()]),
  }
}

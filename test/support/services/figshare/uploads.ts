import { createHash } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import {
  asJson,
  asText,
  Cut,
  download,
  readText,
  Refusal,
  store as storeBytes,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import {
  failed,
  paged,
  type Article,
  type ArticleFile,
  type FigshareStore,
  type Part,
} from './store.ts'

/**
 * A new file: its name, size and MD5, or the `link` to one elsewhere, are known before its bytes. Two
 * files may have one name.
 * @see https://docs.figshare.com/#upload_files
 */
export async function beginFile(store: FigshareStore, exchange: Exchange): Promise<Answer> {
  const article = store.own(exchange)
  const { name, size, md5 } = asJson(JSON.parse((await readText(exchange)) || '{}'))
  if (typeof name !== 'string' || typeof size !== 'number') {
    throw failed(422, 'ValidationError', 'name and size are required')
  }
  if (size <= 0) throw failed(422, 'ValidationError', 'size must be greater than 0')
  if (store.used(article.owner) + size > store.settings.quota) {
    throw failed(400, 'QuotaExceeded', 'You do not have enough quota to upload this file')
  }
  const { partSize, checkLasts } = store.settings
  const parts = Array.from({ length: Math.ceil(size / partSize) }, (_, at): Part => ({
    partNo: at + 1,
    startOffset: at * partSize,
    endOffset: Math.min(size, (at + 1) * partSize) - 1,
    locked: false,
  }))
  const file: ArticleFile = {
    id: store.nextId(),
    name,
    size,
    suppliedMd5: asText(md5),
    token: crypto.randomUUID(),
    parts,
    status: 'created',
    left: checkLasts,
    computedMd5: '',
  }
  article.files = [...article.files, file]
  store.changed(article)
  const location = `${exchange.origin}/v2/account/articles/${article.id}/files/${file.id}`
  return { status: 201, headers: { location }, body: { location } }
}

/** @throws Refusal 404 */
function fileOf(store: FigshareStore, exchange: Exchange) {
  const article = store.own(exchange)
  const file = article.files.find(({ id }) => id === Number(exchange.parameters['file']))
  if (!file) throw failed(404, 'EntityNotFound', 'Entity not found: file')
  return { article, file }
}

/** Each look brings the end of the check nearer. */
export function readFile(store: FigshareStore, exchange: Exchange): Answer {
  const { file } = fileOf(store, exchange)
  const body = fileJson(file, originOf(store, exchange))
  check(store, file)
  return { body }
}

function check(store: FigshareStore, file: ArticleFile): void {
  if (file.status !== 'ic_checking') return
  file.left -= 1
  if (file.left > 0) return
  if (store.failsCheck()) {
    file.status = 'ic_failure'
    return
  }
  const isRight = file.suppliedMd5 === '' || file.suppliedMd5 === file.content?.md5
  file.computedMd5 = file.content?.md5 ?? ''
  file.status = isRight ? 'available' : 'ic_failure'
}

/** The last step. MD5 of the whole is made only of bytes that are kept; that of larger files is believed. */
export function completeFile(store: FigshareStore, exchange: Exchange): Answer {
  const { article, file } = fileOf(store, exchange)
  const contents = file.parts.flatMap((part) => part.content ?? [])
  if (contents.length < file.parts.length) {
    throw failed(400, 'UploadNotCompleted', 'Not all parts of the file are uploaded')
  }
  if (file.status !== 'created') return { status: 202 }
  const isKept = contents.every(({ bytes }) => bytes)
  const bytes = Buffer.concat(contents.flatMap((content) => content.bytes ?? []))
  const [only] = contents
  const whole = isKept ? createHash('md5').update(bytes).digest('hex') : file.suppliedMd5
  const md5 = contents.length === 1 && only ? only.md5 : whole
  file.content = isKept ? { size: file.size, md5, bytes } : { size: file.size, md5 }
  file.status = 'ic_checking'
  store.changed(article)
  return { status: 202 }
}

export function removeFile(store: FigshareStore, exchange: Exchange): Answer {
  const { article, file } = fileOf(store, exchange)
  article.files = article.files.filter(({ id }) => id !== file.id)
  store.changed(article)
  return { status: 204 }
}

export function listFiles(store: FigshareStore, exchange: Exchange): Answer {
  const { files } = store.own(exchange)
  const body = filesJson(store, files, exchange)
  for (const file of files) check(store, file)
  return { body }
}

/** A page of the files of an article. */
export function filesJson(
  store: FigshareStore,
  files: readonly ArticleFile[],
  exchange: Exchange,
): readonly Json[] {
  const shown = paged(files, (name) => exchange.query.get(name))
  return shown.map((file) => fileJson(file, originOf(store, exchange)))
}

export const originOf = ({ settings }: FigshareStore, { origin }: Exchange): string =>
  settings.filesAt === '' ? origin : settings.filesAt

export function readBytes(store: FigshareStore, exchange: Exchange): Answer {
  const id = Number(exchange.parameters['file'])
  const isIt = (file: ArticleFile): boolean => file.id === id
  const open = store.articles.flatMap(({ versions }) => versions.at(-1)?.files ?? []).find(isIt)
  const found =
    open ??
    store.articles.find((article) => article.owner === store.account(exchange))?.files.find(isIt)
  if (!found?.content) throw failed(404, 'EntityNotFound', 'Entity not found: file')
  return download(found.content, exchange, 'application/octet-stream')
}

export function fileJson(file: ArticleFile, origin: string): Json {
  const { id, name, size, status, suppliedMd5, computedMd5, token } = file
  return {
    id,
    name,
    size,
    is_link_only: false,
    download_url: `${origin}/v2/file/download/${id}`,
    supplied_md5: suppliedMd5,
    computed_md5: computedMd5,
    mimetype: 'application/octet-stream',
    status,
    viewer_type: '',
    preview_state: 'preview_not_available',
    is_attached_to_public_version: false,
    upload_url: status === 'created' ? `${origin}/upload/${token}` : '',
    upload_token: status === 'created' ? token : '',
  }
}

const empty = (status: number): Refusal => new Refusal(status)

function uploadOf({ articles }: FigshareStore, { parameters }: Exchange) {
  const all: readonly Article[] = articles
  const file = all.flatMap(({ files }) => files).find(({ token }) => token === parameters['token'])
  if (!file) throw empty(404)
  return file
}

function partOf(store: FigshareStore, exchange: Exchange) {
  const file = uploadOf(store, exchange)
  const part = file.parts.find(({ partNo }) => partNo === Number(exchange.parameters['part']))
  if (!part) throw empty(404)
  return { file, part }
}

const partJson = ({ content, ...part }: Part): Json => ({
  ...part,
  status: content ? 'COMPLETE' : 'PENDING',
})

/** @see https://github.com/figshare/user_documentation `docs/api/file_uploader.md` */
export function readUpload(store: FigshareStore, exchange: Exchange): Answer {
  const { token, name, size, suppliedMd5, parts, status } = uploadOf(store, exchange)
  const state = status === 'created' ? 'PENDING' : 'COMPLETED'
  return {
    body: { token, name, size, md5: suppliedMd5, status: state, parts: parts.map(partJson) },
  }
}

export function readPart(store: FigshareStore, exchange: Exchange): Answer {
  return { body: partJson(partOf(store, exchange).part) }
}

/** A body that is too short is waited for until the connection ends; the part stays as it was. */
export async function putPart(store: FigshareStore, exchange: Exchange): Promise<Answer> {
  const { file, part } = partOf(store, exchange)
  if (part.locked || file.status !== 'created') throw empty(409)
  part.locked = true
  try {
    const content = await storeBytes(exchange.body)
    const wanted = part.endOffset - part.startOffset + 1
    if (content.size < wanted) {
      await after(store.settings.patience)
      throw new Cut()
    }
    if (content.size > wanted) throw empty(500)
    part.content = content
    return { body: undefined }
  } finally {
    part.locked = false
  }
}

export function resetPart(store: FigshareStore, exchange: Exchange): Answer {
  const { file, part } = partOf(store, exchange)
  if (part.locked || file.status !== 'created') throw empty(409)
  delete part.content
  return { body: undefined }
}

import { createHash } from 'node:crypto'
import {
  asText,
  readText,
  store as storeBytes,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import { failed, parseJson, succeeded, type DataverseStore } from './store.ts'

/** Seconds; `url-expiration-minutes` is 60. @see https://guides.dataverse.org/en/latest/installation/config.html#amazon-s3-storage-or-compatible */
const lifetime = 3600

/** `GET uploadurls`. @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html#requesting-direct-upload-of-a-datafile */
export function uploadUrls(store: DataverseStore, exchange: Exchange): Answer {
  const dataset = store.findToEdit(exchange)
  const { direct, partSize, clock } = store.settings
  if (!direct)
    throw failed(404, `Direct upload not supported for files in this dataset: ${dataset.id}`)
  const size = Number(exchange.query.get('size') ?? 0)
  if (size > store.maxFileSize) {
    throw failed(
      400,
      `The file you are trying to upload is too large to be uploaded to this dataset. The maximum allowed file size is ${store.maxFileSize} bytes.`,
    )
  }
  const key = `${Date.now().toString(16)}-${crypto.randomUUID().slice(0, 12)}`
  const storageIdentifier = `s3://demo-bucket:${key}`
  const url = `${exchange.origin}/s3/demo-bucket/${dataset.persistentId.replace('doi:', '')}/${key}`
  const signed = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-SignedHeaders=host&X-Amz-Date=${clock()}&X-Amz-Expires=${lifetime}`
  if (size <= partSize) {
    store.uploads.set(storageIdentifier, { storageIdentifier, parts: new Map() })
    return { body: succeeded({ url: `${url}?${signed}`, partSize, storageIdentifier }) }
  }
  const uploadId = crypto.randomUUID()
  store.uploads.set(storageIdentifier, { storageIdentifier, uploadId, parts: new Map() })
  const parts = Array.from({ length: Math.ceil(size / partSize) }, (_, at) => at + 1)
  const urls = parts.map((part) => [
    part,
    `${url}?partNumber=${part}&uploadId=${uploadId}&${signed}`,
  ])
  const end = `/api/datasets/mpupload?globalid=${dataset.persistentId}&uploadid=${uploadId}&storageidentifier=${storageIdentifier}`
  return {
    body: succeeded({
      urls: Object.fromEntries(urls) as Json,
      abort: end,
      complete: end,
      partSize,
      storageIdentifier,
    }),
  }
}

function begun(store: DataverseStore, { query }: Exchange) {
  const upload = store.uploads.get(query.get('storageidentifier') ?? '')
  if (upload?.uploadId !== query.get('uploadid'))
    throw failed(500, 'Could not complete multipart upload')
  return upload
}

export async function completeUpload(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  store.requireUser(exchange)
  const upload = begun(store, exchange)
  const tags = parseJson(await readText(exchange))
  const parts = [...(upload?.parts ?? [])].sort(([one], [other]) => one - other)
  const isWhole = parts.every(([part, { md5 }]) => asText(tags[part]).replaceAll('"', '') === md5)
  if (!upload || !isWhole || Object.keys(tags).length !== parts.length) {
    throw failed(500, 'Could not complete multipart upload')
  }
  const size = parts.reduce((sum, [, part]) => sum + part.size, 0)
  const bytes = parts.every(([, part]) => part.bytes)
    ? Buffer.concat(parts.map(([, part]) => part.bytes ?? Buffer.alloc(0)))
    : undefined
  const md5 = createHash('md5')
    .update(bytes ?? '')
    .digest('hex')
  upload.content = bytes ? { size, md5, bytes } : { size, md5 }
  return { body: succeeded({ message: 'Multipart Upload completed' }) }
}

export function abortUpload(store: DataverseStore, exchange: Exchange): Answer {
  store.requireUser(exchange)
  store.uploads.delete(begun(store, exchange)?.storageIdentifier ?? '')
  return { body: succeeded({ message: 'Multipart Upload aborted' }) }
}

/** What S3 does with a presigned address. */
export async function putToS3(
  store: DataverseStore,
  { headers, parameters, query, body }: Exchange,
): Promise<Answer> {
  const key = (parameters['key'] ?? '').split('/').at(-1) ?? ''
  const upload = store.uploads.get(`s3://demo-bucket:${key}`)
  const error = (status: number, code: string): Answer => ({
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  })
  if (!upload) return error(404, 'NoSuchUpload')
  // @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
  const made = Number(query.get('X-Amz-Date'))
  if (store.settings.clock() > made + lifetime) return error(403, 'AccessDenied')
  if (headers['content-length'] === undefined) return error(501, 'NotImplemented')
  const part = query.get('partNumber')
  const wanted = store.settings.tagging && part === null ? 'dv-state=temp' : undefined
  if (part === null && headers['x-amz-tagging'] !== wanted)
    return error(403, 'SignatureDoesNotMatch')
  const content = await storeBytes(body)
  if (content.size !== Number(headers['content-length'])) return error(400, 'IncompleteBody')
  if (part === null) upload.content = content
  else upload.parts.set(Number(part), content)
  return { headers: { etag: `"${content.md5}"` } }
}

import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * What Amazon's S3 does and no server that can be installed here: compares checksums, tells them
 * again, and refuses to replace objects. It keeps them in memory and believes everybody.
 */
export interface StrictS3 extends AsyncDisposable {
  readonly endpoint: string
  /** Objects by key, with the bucket before it. */
  readonly objects: Map<string, StoredObject>
  /** Lets it keep other bytes than it was sent, with the checksum of what it keeps. */
  readonly spoil: (spoil: boolean) => void
}

interface StoredObject {
  readonly bytes: Buffer
  /** Base64; `-N` after it where it was sent in N parts. */
  readonly checksum: string
}

interface Sending {
  readonly key: string
  readonly parts: Map<number, StoredObject>
}

interface State {
  readonly objects: Map<string, StoredObject>
  readonly uploads: Map<string, Sending>
  isSpoiling: boolean
}

export async function startStrictS3(): Promise<StrictS3> {
  const state: State = { objects: new Map(), uploads: new Map(), isSpoiling: false }
  const server = createServer((request, response) => void answer(state, request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects: state.objects,
    spoil: (spoil) => void (state.isSpoiling = spoil),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64')

async function answer(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost')
  const key = decodeURIComponent(url.pathname.replace(/^\/|\/$/g, ''))
  const sent = await buffer(request)
  const claimed = request.headers['x-amz-checksum-sha256']
  if (typeof claimed === 'string' && claimed !== sha256(sent))
    return refuse(response, 400, 'BadDigest')
  const bytes = state.isSpoiling ? Buffer.from(sent.map((byte) => byte ^ 1)) : sent
  const parameters = url.searchParams
  if (parameters.has('uploads') || parameters.has('uploadId')) {
    return answerParts(state, request, response, { key, bytes, parameters })
  }
  if (!key.includes('/')) return answerBucket(state, response, key, parameters)
  if (request.headers['x-amz-copy-source'] !== undefined) return copy(state, request, response, key)
  if (request.method === 'PUT') {
    if (request.headers['if-none-match'] === '*' && state.objects.has(key)) {
      return refuse(response, 412, 'PreconditionFailed')
    }
    state.objects.set(key, { bytes, checksum: sha256(bytes) })
    return void response.end()
  }
  if (request.method === 'DELETE') {
    state.objects.delete(key)
    return void response.writeHead(204).end()
  }
  sendObject(state.objects.get(key), request, response)
}

function copy(
  { objects }: State,
  { headers }: IncomingMessage,
  response: ServerResponse,
  key: string,
): void {
  const found = objects.get(decodeURIComponent(String(headers['x-amz-copy-source'])))
  if (!found) return refuse(response, 404, 'NoSuchKey')
  objects.set(key, found)
  response.end('<CopyObjectResult><ETag>"copy"</ETag></CopyObjectResult>')
}

function sendObject(
  object: StoredObject | undefined,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (!object) return refuse(response, 404, 'NoSuchKey')
  const { bytes, checksum } = object
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const start = Number(first ?? 0)
  if (first !== undefined && start >= bytes.length) return refuse(response, 416, 'InvalidRange')
  const part = bytes.subarray(start, last === undefined ? bytes.length : Number(last) + 1)
  response.writeHead(first === undefined ? 200 : 206, {
    'content-length': part.length,
    'last-modified': new Date().toUTCString(),
    'x-amz-checksum-sha256': checksum,
  })
  response.end(method === 'HEAD' ? undefined : part)
}

function answerBucket(
  { objects }: State,
  response: ServerResponse,
  bucket: string,
  parameters: URLSearchParams,
): void {
  const prefix = `${bucket}/${parameters.get('prefix') ?? ''}`
  const found = [...objects].filter(([key]) => key.startsWith(prefix)).sort()
  const contents = found.map(
    ([key, { bytes }]) =>
      `<Contents><Key>${key.slice(bucket.length + 1)}</Key><Size>${bytes.length}</Size>` +
      `<LastModified>${new Date().toISOString()}</LastModified></Contents>`,
  )
  response.end(`<ListBucketResult>${contents.join('')}</ListBucketResult>`)
}

interface PartRequest {
  readonly key: string
  readonly bytes: Buffer
  readonly parameters: URLSearchParams
}

function answerParts(
  { objects, uploads }: State,
  { method }: IncomingMessage,
  response: ServerResponse,
  { key, bytes, parameters }: PartRequest,
): void {
  const id = parameters.get('uploadId') ?? ''
  if (parameters.has('uploads')) {
    if (method === 'GET') return void response.end(listUploads(uploads))
    const made = randomUUID()
    uploads.set(made, { key, parts: new Map() })
    const body = `<UploadId>${made}</UploadId>`
    return void response.end(
      `<InitiateMultipartUploadResult>${body}</InitiateMultipartUploadResult>`,
    )
  }
  const upload = uploads.get(id)
  if (!upload) return refuse(response, 404, 'NoSuchUpload')
  if (method === 'PUT') {
    upload.parts.set(Number(parameters.get('partNumber')), { bytes, checksum: sha256(bytes) })
    return void response.writeHead(200, { etag: '"part"' }).end()
  }
  if (method === 'GET') return void response.end(listParts(upload))
  uploads.delete(id)
  if (method === 'DELETE') return void response.writeHead(204).end()
  objects.set(key, assemble(upload))
  response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
}

function assemble({ parts }: Sending): StoredObject {
  const all = [...parts].sort(([one], [other]) => one - other).map(([, part]) => part)
  const checksums = Buffer.concat(all.map(({ checksum }) => Buffer.from(checksum, 'base64')))
  return {
    bytes: Buffer.concat(all.map(({ bytes }) => bytes)),
    checksum: `${sha256(checksums)}-${all.length}`,
  }
}

function listUploads(uploads: State['uploads']): string {
  const all = [...uploads].map(
    ([id, { key }]) =>
      `<Upload><Key>${key.replace(/^[^/]+\//, '')}</Key><UploadId>${id}</UploadId></Upload>`,
  )
  return `<ListMultipartUploadsResult>${all.join('')}</ListMultipartUploadsResult>`
}

function listParts({ parts }: Sending): string {
  const all = [...parts]
    .sort(([one], [other]) => one - other)
    .map(
      ([number, { bytes, checksum }]) =>
        `<Part><PartNumber>${number}</PartNumber><Size>${bytes.length}</Size>` +
        `<ETag>"part"</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`,
    )
  return `<ListPartsResult>${all.join('')}</ListPartsResult>`
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

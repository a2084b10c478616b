import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * An S3 server that compares checksums, returns them, and refuses to replace objects, as Amazon's S3
 * does and no installable server. It keeps objects in memory and checks no signature.
 */
export interface StrictS3 extends AsyncDisposable {
  readonly endpoint: string
  /** Objects by bucket and key. */
  readonly objects: Map<string, StoredObject>
  /** Makes it keep other bytes than it received, with the checksum of those. */
  readonly spoil: (spoil: boolean) => void
  /** Puts its clock so much ahead of that of this machine. */
  readonly putClockAhead: (ms: number) => void
  /** Makes it list the first part of uploads `times` times. */
  readonly repeatParts: (times: number) => void
}

interface StoredObject {
  readonly bytes: Buffer
  /** Base64, followed by `-N` if it was sent in N parts. */
  readonly checksum: string
  readonly modified: Date
}

interface Sending {
  readonly key: string
  readonly parts: Map<number, StoredObject>
}

interface State {
  readonly objects: Map<string, StoredObject>
  readonly uploads: Map<string, Sending>
  isSpoiling: boolean
  aheadMs: number
  repeated: number
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: string | Buffer
}

export async function startStrictS3(): Promise<StrictS3> {
  const state: State = {
    objects: new Map(),
    uploads: new Map(),
    isSpoiling: false,
    aheadMs: 0,
    repeated: 1,
  }
  const server = createServer((request, response) => void reply(state, request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects: state.objects,
    spoil: (spoil) => void (state.isSpoiling = spoil),
    putClockAhead: (ms) => void (state.aheadMs = ms),
    repeatParts: (times) => void (state.repeated = times),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64')

async function reply(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sent = await buffer(request)
  const { status = 200, headers = {}, body } = answer(state, request, sent)
  const date = new Date(Date.now() + state.aheadMs).toUTCString()
  response.writeHead(status, { date, ...headers }).end(request.method === 'HEAD' ? undefined : body)
}

function answer(
  state: State,
  { method = '', url = '', headers }: IncomingMessage,
  sent: Buffer,
): Answer {
  const { pathname, searchParams: parameters } = new URL(url, 'http://localhost')
  const key = decodeURIComponent(pathname.replace(/^\/|\/$/g, ''))
  const claimed = headers['x-amz-checksum-sha256']
  if (claimed !== undefined && claimed !== sha256(sent)) return refused(400, 'BadDigest')
  const bytes = state.isSpoiling ? Buffer.from(sent.map((byte) => byte ^ 1)) : sent
  if (parameters.has('uploads') || parameters.has('uploadId')) {
    return answerParts(state, method, { key, bytes, parameters })
  }
  if (!key.includes('/')) return listed(state, key, parameters.get('prefix') ?? '')
  if (method === 'PUT') return put(state, headers, key, bytes)
  if (method !== 'DELETE') return found(state.objects.get(key), headers.range)
  state.objects.delete(key)
  return { status: 204 }
}

function put(
  { objects }: State,
  headers: IncomingMessage['headers'],
  key: string,
  bytes: Buffer,
): Answer {
  if (headers['if-none-match'] === '*' && objects.has(key)) {
    return refused(412, 'PreconditionFailed')
  }
  const source = headers['x-amz-copy-source']
  if (source === undefined) {
    objects.set(key, { bytes, checksum: sha256(bytes), modified: new Date() })
    return {}
  }
  const copied = objects.get(decodeURIComponent(String(source)))
  if (!copied) return refused(404, 'NoSuchKey')
  objects.set(key, { ...copied, modified: new Date() })
  return { body: '<CopyObjectResult><ETag>"copy"</ETag></CopyObjectResult>' }
}

function found(object: StoredObject | undefined, range = ''): Answer {
  if (!object) return refused(404, 'NoSuchKey')
  const { bytes, checksum, modified } = object
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
  const start = Number(first ?? 0)
  if (first !== undefined && start >= bytes.length) return refused(416, 'InvalidRange')
  const body = bytes.subarray(start, last === undefined ? bytes.length : Number(last) + 1)
  return {
    status: first === undefined ? 200 : 206,
    headers: {
      'content-length': body.length,
      'last-modified': modified.toUTCString(),
      'x-amz-checksum-sha256': checksum,
    },
    body,
  }
}

function listed({ objects }: State, bucket: string, prefix: string): Answer {
  const keys = [...objects.keys()].filter((key) => key.startsWith(`${bucket}/${prefix}`))
  const contents = keys.map((key) => {
    const size = objects.get(key)?.bytes.length ?? 0
    const name = `<Key>${key.slice(bucket.length + 1)}</Key>`
    const at = (objects.get(key)?.modified ?? new Date()).toISOString()
    return `<Contents>${name}<Size>${size}</Size><LastModified>${at}</LastModified></Contents>`
  })
  return { body: `<ListBucketResult>${contents.join('')}</ListBucketResult>` }
}

interface PartRequest {
  readonly key: string
  readonly bytes: Buffer
  readonly parameters: URLSearchParams
}

function answerParts(
  { objects, uploads, repeated }: State,
  method: string,
  { key, bytes, parameters }: PartRequest,
): Answer {
  const id = parameters.get('uploadId') ?? randomUUID()
  const upload = uploads.get(id)
  if (parameters.has('uploads')) {
    if (method === 'GET') return { body: uploadsText(uploads) }
    uploads.set(id, { key, parts: new Map() })
    const name = `<UploadId>${id}</UploadId>`
    return { body: `<InitiateMultipartUploadResult>${name}</InitiateMultipartUploadResult>` }
  }
  if (!upload) return refused(404, 'NoSuchUpload')
  if (method === 'GET') return { body: partsText(upload, repeated) }
  if (method === 'PUT') {
    upload.parts.set(Number(parameters.get('partNumber')), {
      bytes,
      checksum: sha256(bytes),
      modified: new Date(),
    })
    return { headers: { etag: '"part"' } }
  }
  uploads.delete(id)
  if (method === 'DELETE') return { status: 204 }
  objects.set(key, assembled(upload))
  return { body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' }
}

const inOrder = ({ parts }: Sending) => [...parts].sort(([one], [other]) => one - other)

function assembled(upload: Sending): StoredObject {
  const all = inOrder(upload).map(([, part]) => part)
  const checksums = Buffer.concat(all.map(({ checksum }) => Buffer.from(checksum, 'base64')))
  return {
    bytes: Buffer.concat(all.map(({ bytes }) => bytes)),
    checksum: `${sha256(checksums)}-${all.length}`,
    modified: new Date(),
  }
}

function uploadsText(uploads: State['uploads']): string {
  const all = [...uploads].map(
    ([id, { key }]) =>
      `<Upload><Key>${key.replace(/^[^/]+\//, '')}</Key><UploadId>${id}</UploadId></Upload>`,
  )
  return `<ListMultipartUploadsResult>${all.join('')}</ListMultipartUploadsResult>`
}

function partsText(upload: Sending, repeated: number): string {
  const sent = inOrder(upload)
  const copies = sent
    .slice(0, 1)
    .flatMap(([first, part]) =>
      Array.from({ length: repeated - 1 }, (_, index) => [first + index + 1, part] as const),
    )
  const all = [...sent, ...copies].map(
    ([number, { bytes, checksum }]) =>
      `<Part><PartNumber>${number}</PartNumber><Size>${bytes.length}</Size>` +
      `<ETag>"part"</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`,
  )
  return `<ListPartsResult>${all.join('')}</ListPartsResult>`
}

function refused(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>` }
}

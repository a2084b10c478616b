import { execFile, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, UploadListBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'

const MiB = 1024 * 1024

let daemon: LastingDaemon
beforeAll(async () => {
  daemon = await lastingDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

async function expectOnlyFile(draft: DepositBody, filename: string, bytes: Buffer): Promise<void> {
  const [file, ...others] = await daemon.owner.files(draft)
  expect(others).toEqual([])
  expect(file).toMatchObject({ filename, checksum: `sha256:${sha256(bytes)}` })
  const stored = await daemon.owner.get(file?.links.download ?? '')
  expect(stored.bytes.equals(bytes)).toBe(true)
}

/** The offset of each request with bytes, and the number of its bytes. */
interface Sent {
  readonly offset: number
}

interface Run {
  readonly content: Buffer
  readonly chunkSize?: number
  readonly uploadUrl?: string
  readonly parallelUploads?: number
  /** Sends a stream of unknown length. */
  readonly isStream?: true
  readonly afterChunk?: (accepted: number) => unknown
  readonly afterAnswer?: (method: string) => void
}

/** Uploads to the end with tus-js-client; resolves to the requests that carried bytes. */
async function sendByTusJs(draft: DepositBody, run: Run): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const headers = await daemon.owner.authorization()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const upload = new Upload(run.isStream ? Readable.from(inChunks(run.content)) : run.content, {
    endpoint: draft.links['uploads'] ?? '',
    uploadUrl: run.uploadUrl ?? null,
    headers: { ...headers },
    metadata: { filename: 'data.bin', filetype: 'application/octet-stream' },
    chunkSize: run.chunkSize ?? Infinity,
    parallelUploads: run.parallelUploads ?? 1,
    uploadLengthDeferred: run.isStream ?? false,
    // A daemon starts slowly on a busy machine.
    retryDelays: [50, 100, 200, 400, 800, ...Array<number>(60).fill(1600)],
    onBeforeRequest: (made) => {
      if (made.getMethod() === 'PATCH') {
        sent.push({ offset: Number(made.getHeader('Upload-Offset')) })
      }
    },
    onAfterResponse: (made) => run.afterAnswer?.(made.getMethod()),
    onChunkComplete: (_size, accepted) => run.afterChunk?.(accepted),
    onError: reject,
    onSuccess: () => resolve(),
  })
  upload.start()
  await promise
  return sent
}

async function restart(): Promise<void> {
  await daemon.kill()
  await daemon.start()
}

function* inChunks(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000)
}

describe('tus-js-client', () => {
  it('uploads in one piece', async () => {
    const draft = await daemon.owner.createDraft()
    const content = randomBytes(3 * MiB + 1)
    await sendByTusJs(draft, { content })
    await expectOnlyFile(draft, 'data.bin', content)
  })

  it('resumes by itself after the daemon was killed and started again', async () => {
    const draft = await daemon.owner.createDraft()
    const content = randomBytes(6 * MiB)
    let restarted: Promise<void> | undefined
    const sent = await sendByTusJs(draft, {
      content,
      chunkSize: MiB,
      afterChunk: (accepted) => {
        if (accepted >= 2 * MiB) restarted ??= restart()
      },
    })
    await restarted
    await expectOnlyFile(draft, 'data.bin', content)
    // No acknowledged byte was sent twice.
    const acknowledged = sent.filter(({ offset }) => offset < 2 * MiB)
    expect(acknowledged).toHaveLength(2)
  })

  it('sends a stream of unknown length although the daemon is killed', async () => {
    const draft = await daemon.owner.createDraft()
    const content = randomBytes(4 * MiB + 1)
    let restarted: Promise<void> | undefined
    const sent = await sendByTusJs(draft, {
      content,
      isStream: true,
      chunkSize: MiB,
      afterChunk: () => (restarted ??= restart()),
    })
    await restarted
    await expectOnlyFile(draft, 'data.bin', content)
    expect(sent.filter(({ offset }) => offset === 0)).toHaveLength(1)
    expect((await daemon.owner.get(draft.links['uploads'] ?? '')).body).toEqual([])
  })

  it('uploads in three parallel parts although the daemon is killed', async () => {
    const draft = await daemon.owner.createDraft()
    const content = randomBytes(6 * MiB + 1)
    let restarted: Promise<void> | undefined
    let begun = 0
    await sendByTusJs(draft, {
      content,
      chunkSize: MiB,
      parallelUploads: 3,
      // A part whose answer is lost is begun again, and the empty one stays until it expires.
      afterAnswer: (method) => {
        if (method === 'POST') begun += 1
        if (begun === 3) restarted ??= restart()
      },
    })
    expect(restarted).toBeDefined()
    await restarted
    await expectOnlyFile(draft, 'data.bin', content)
    expect((await daemon.owner.get(draft.links['uploads'] ?? '')).body).toEqual([])
  })

  it('sends only the missing rest of a piece that a crash has cut', async () => {
    const draft = await daemon.owner.createDraft()
    const content = randomBytes(12 * MiB)
    const url = await beginUpload(draft, content.length)
    const arrived = await sendHalf(draft, url, content.subarray(0, 8 * MiB), content.length)
    await restart()

    const sent = await sendByTusJs(draft, { content, uploadUrl: url })

    const [first] = sent
    expect(first?.offset).toBeGreaterThanOrEqual(arrived)
    await expectOnlyFile(draft, 'data.bin', content)
  })
})

async function beginUpload(draft: DepositBody, size: number): Promise<string> {
  const reply = await daemon.owner.post(draft.links['uploads'] ?? '', {
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(size),
      'upload-metadata': `filename ${Buffer.from('data.bin').toString('base64')}`,
    },
  })
  expect(reply.status).toBe(201)
  return reply.headers.get('location') ?? ''
}

/** Sends part of the announced bytes and resolves, with the request still open, to the offset. */
async function sendHalf(
  draft: DepositBody,
  url: string,
  half: Buffer,
  size: number,
): Promise<number> {
  const sending = request(url, {
    method: 'PATCH',
    headers: {
      ...(await daemon.owner.authorization()),
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': size,
    },
  })
  sending.on('error', () => {})
  sending.write(half)
  for (;;) {
    const listed = await daemon.owner.get(draft.links['uploads'] ?? '')
    const [upload] = bodyOf<UploadListBody>(listed, 200)
    if (upload && upload.offset > 0) return upload.offset
  }
}

const hasTusPy = spawnSync('/usr/bin/python3', ['-c', 'import tusclient']).status === 0
if (!hasTusPy) process.stderr.write('\nSKIPPED in clients.test.ts: no python3-tuspy\n')

/** Sends one piece, forgets everything but the URL, and sends the rest. */
const tusPy = `
import sys
from tusclient import client
endpoint, path, token = sys.argv[1:]
tus = client.TusClient(endpoint, headers={'Authorization': token})
first = tus.uploader(path, chunk_size=1000000, metadata={'filename': 'data.bin'})
first.upload_chunk()
second = tus.uploader(path, chunk_size=1000000, url=first.url)
assert second.offset == 1000000, second.offset
second.upload()
`

/** Checks each piece; then sends one that does not match its checksum. */
const tusPyChecked = `
import sys
from tusclient import client, exceptions, request
endpoint, path, token = sys.argv[1:]
tus = client.TusClient(endpoint, headers={'Authorization': token})
arguments = dict(chunk_size=1000000, metadata={'filename': 'data.bin'}, upload_checksum=True)
good = tus.uploader(path, **arguments)
good.upload()
arguments['metadata'] = {'filename': 'other.bin'}
bad = tus.uploader(path, **arguments)
request.BaseTusRequest.add_checksum = lambda self, chunk: self._request_headers.update(
    {'upload-checksum': 'sha1 ' + 'A' * 27 + '='})
try:
    bad.upload_chunk()
    raise AssertionError('a wrong checksum was accepted')
except exceptions.TusUploadFailed as error:
    assert error.status_code == 460, error.status_code
try:
    tus.uploader(path, chunk_size=1000000).upload()
    raise AssertionError('a file without a name was accepted')
except exceptions.TusCommunicationError as error:
    assert b'neither name nor filename' in error.response_content, error.response_content
`

describe.skipIf(!hasTusPy)("Debian's tuspy", () => {
  it.for([
    ['sends a checksum with each piece', tusPyChecked],
    ['uploads in pieces and goes on where it stopped', tusPy],
  ])('%s', async ([, script = '']) => {
    const draft = await daemon.owner.createDraft()
    const content = randomBytes(3_500_000)
    const path = join(daemon.home, 'to-send.bin')
    await writeFile(path, content)
    const { authorization = '' } = await daemon.owner.authorization()
    const args = ['-c', script, draft.links['uploads'] ?? '', path, authorization]
    await promisify(execFile)('/usr/bin/python3', args)
    await expectOnlyFile(draft, 'data.bin', content)
  })
})

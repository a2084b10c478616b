import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/**
 * What a digester asks of its thread: to take the first `length` bytes of a buffer that both share,
 * answered once the buffer may be filled again; the digest of all it has taken, answered in
 * hexadecimal; or to forget them, which is not answered. Digests of several files may be under way:
 * `file` tells them apart.
 */
export type DigestRequest = { readonly file: number } & (
  | { readonly do: 'take'; readonly buffer: SharedArrayBuffer; readonly length: number }
  | { readonly do: 'finish' | 'forget' }
)

const hashes = new Map<number, Hash>()

parentPort?.on('message', (request: DigestRequest) => {
  const hash = hashes.get(request.file) ?? createHash('sha256')
  if (request.do === 'take') {
    hashes.set(request.file, hash.update(new Uint8Array(request.buffer, 0, request.length)))
    parentPort?.postMessage('taken')
    return
  }
  hashes.delete(request.file)
  if (request.do === 'finish') parentPort?.postMessage(hash.digest('hex'))
})

import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

export type DigestAlgorithm = 'sha256' | 'md5'

/**
 * Messages to the digest thread: `take` hashes the first `length` bytes of a shared buffer and is
 * answered once the buffer may be filled again; `finish` is answered with the digest in
 * hexadecimal; `forget` drops a digest without an answer. `file` tells digests under way apart.
 */
export type DigestRequest = { readonly file: number } & (
  | {
      readonly do: 'take'
      readonly algorithm: DigestAlgorithm
      readonly buffer: SharedArrayBuffer
      readonly length: number
    }
  | { readonly do: 'finish' | 'forget' }
)

const hashes = new Map<number, Hash>()

parentPort?.on('message', (request: DigestRequest) => {
  if (request.do === 'take') {
    const hash = hashes.get(request.file) ?? createHash(request.algorithm)
    hashes.set(request.file, hash.update(new Uint8Array(request.buffer, 0, request.length)))
    parentPort?.postMessage('taken')
    return
  }
  const hash = hashes.get(request.file)
  hashes.delete(request.file)
  if (request.do === 'finish') parentPort?.postMessage(hash?.digest('hex'))
})

import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Hashes what the main thread puts into the buffers that both share.
 *
 * A message is the number of a buffer and how many bytes of it count, answered with the number once
 * the buffer may be filled again; or `finish`, answered with the digest in hexadecimal.
 */
export type DigestRequest = readonly [buffer: number, length: number] | 'finish'

const shared: unknown = workerData
const buffers = Array.isArray(shared)
  ? shared.filter((part) => part instanceof SharedArrayBuffer).map((part) => Buffer.from(part))
  : []
let hash = createHash('sha256')

parentPort?.on('message', (request: DigestRequest) => {
  if (request === 'finish') {
    parentPort?.postMessage(hash.digest('hex'))
    hash = createHash('sha256')
    return
  }
  const [number, length] = request
  hash.update(buffers[number]?.subarray(0, length) ?? new Uint8Array())
  parentPort?.postMessage(number)
})

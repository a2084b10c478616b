import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import type { Digester } from './digester.ts'
import type { BodyWriter } from './http.ts'

/** Up to this size a file is read, hashed and sent in one piece. Bytes. */
export const wholeFileBytes = 1024 * 1024

/** Two buffers of this size take turns: one is read into while the other is sent. Bytes. */
export const bufferBytes = 1024 * 1024

/** Called with the number of bytes sent. */
export type OnSent = (bytes: number) => void

/** A file being sent: its body, and its digest once it is written. */
export interface FileOnItsWay {
  /** Bytes. */
  readonly size: number
  readonly write: BodyWriter
  /** The digest of the digester in hexadecimal, of the bytes sent. */
  readonly digest: Promise<string>
}

/** Sends a small file. Its digest is known beforehand. */
export function sendWhole(bytes: Buffer, onSent: OnSent): FileOnItsWay {
  const digest = hash('sha256', bytes)
  const write: BodyWriter = async (request) => void request.end(bytes, () => onSent(bytes.length))
  return { size: bytes.length, write, digest: Promise.resolve(digest) }
}

/** Part of a file. Bytes. */
interface Part {
  readonly from: number
  /** Its end: the size of the file. */
  readonly size: number
}

/**
 * Sends a file from `from` to its end, hashed by `digester` on the way. The digest is that of the
 * whole where the digester has taken the beginning: {@link hashBeginning}.
 */
export function sendStream(
  file: FileHandle,
  part: Part,
  digester: Digester,
  onSent: OnSent,
): FileOnItsWay {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  promise.catch(() => {})
  const write: BodyWriter = async (request) => {
    try {
      await pump(file, part, digester, (turn, bytes) => {
        if (request.destroyed) throw new Error('the server ended the upload')
        return use(request, digester, turn, bytes, onSent)
      })
      request.end()
      resolve(digester.finish())
    } catch (error) {
      reject(error)
      throw error
    }
  }
  return { size: part.size - part.from, write, digest: promise }
}

/** Hashes what has arrived before, without sending it. */
export function hashBeginning(
  file: FileHandle,
  size: number,
  digester: Digester,
  onSent: OnSent,
): Promise<void> {
  return pump(file, { from: 0, size }, digester, async (turn, bytes) => {
    await digester.update(turn, bytes.length)
    onSent(bytes.length)
  })
}

/** Reads into one buffer while the others are used. */
async function pump(
  file: FileHandle,
  { from, size }: Part,
  { buffers }: Digester,
  consume: (turn: number, bytes: Buffer) => Promise<void>,
): Promise<void> {
  const free = buffers.map(() => Promise.resolve())
  let position = from
  for (let turn = 0; position < size; turn = (turn + 1) % free.length) {
    await free[turn]
    const buffer = buffers[turn] ?? Buffer.alloc(0)
    const length = Math.min(buffer.length, size - position)
    const { bytesRead } = await file.read(buffer, 0, length, position)
    if (bytesRead === 0) throw new Error('the file became shorter while it was sent')
    position += bytesRead
    const used = consume(turn, buffer.subarray(0, bytesRead))
    // Awaited at its next turn; until then a rejection must not count as unhandled.
    used.catch(() => {})
    free[turn] = used
  }
  await Promise.all(free)
}

/** Sends and hashes a buffer at the same time; done when it may be filled again. */
async function use(
  request: ClientRequest,
  digester: Digester,
  turn: number,
  bytes: Buffer,
  onSent: OnSent,
): Promise<void> {
  const sent = new Promise<void>((resolve, reject) => {
    request.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
  await Promise.all([sent, digester.update(turn, bytes.length)])
  onSent(bytes.length)
}

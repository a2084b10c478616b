import { advice } from '../advice.ts'
import { createHash } from 'node:crypto'
import { constants, createReadStream, lstatSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Connection } from '../client/connection.ts'
import { NoAnswer } from '../client/api-failure.ts'
import { withRetries } from '../client/retry.ts'
import { Failure, isInterruption } from '../failure.ts'
import type { Progress } from '../output/progress.ts'

/** Between the disk and the digest. Bytes. */
const chunkBytes = 1024 * 1024

interface FetchOptions {
  readonly connection: Connection
  readonly progress: Progress
}

/** Bytes that the server has under an address, or a range of them. */
export interface Remote {
  /** For messages. */
  readonly name: string
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** With its quotes. */
  readonly etag: string
  /** The first byte of a range; undefined for all that is under the address. */
  readonly start?: number
  /** What is thrown if the address has other bytes by now; without it they are fetched instead. */
  readonly changed?: Failure
}

/** Sees all bytes of a download in their order, and judges them at its end. */
export interface Judge {
  readonly update: (chunk: Buffer) => void
  readonly isRight: () => boolean
}

/**
 * Downloads a file into `part`, and only the rest if an earlier attempt has left a part. Bytes with
 * a wrong digest are removed.
 *
 * @throws {Failure} it was refused, broke off, or is not what was stored
 */
export function fetchPart(part: string, options: FetchOptions, file: FileBody): Promise<void> {
  return fetchRemote(part, options, { remote: remoteOf(file), judge: () => judgeOf(file) })
}

interface Judged {
  readonly remote: Remote
  /** A new one for each attempt. */
  readonly judge: () => Judge
}

/** As {@link fetchPart}, for other bytes than those of a file of a deposit. */
export async function fetchRemote(
  part: string,
  options: FetchOptions,
  { remote, judge }: Judged,
): Promise<void> {
  const judged = await withRetries(options.connection.patience(true), () =>
    fetchRest(part, options, { remote, judge }),
  )
  if (judged.isRight()) return
  await rm(part, { force: true })
  throw damaged(remote.name)
}

/**
 * Streams a file to an open stream as it arrives, without a retry.
 *
 * @throws {Failure} it was refused, broke off, or is not what was stored; the bytes are written
 */
export function fetchTo(
  sink: NodeJS.WritableStream,
  connection: Connection,
  file: FileBody,
): Promise<void> {
  return streamTo(sink, connection, { remote: remoteOf(file), judge: judgeOf(file) })
}

/** As {@link fetchTo}, for other bytes than those of a file of a deposit. */
export async function streamTo(
  sink: NodeJS.WritableStream,
  connection: Connection,
  { remote, judge }: { readonly remote: Remote; readonly judge: Judge },
): Promise<void> {
  const { name, path, size } = remote
  const tried = `download ${name}`
  const headers = { accept: 'application/octet-stream' }
  const response = await connection.send(tried, { method: 'GET', path, headers })
  requireUnchanged(response, remote)
  let arrived = 0
  try {
    await pipeline(
      response,
      async function* take(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          arrived += chunk.length
          if (arrived > size) throw tooMuch(name, size)
          judge.update(chunk)
          yield chunk
        }
      },
      sink,
      { end: false, signal: connection.signal },
    )
  } catch (cause) {
    if (!isOfTheConnection(response, cause)) throw cause
    throw new NoAnswer(tried, connection.server, cause, true)
  }
  if (!judge.isRight()) throw damaged(name)
}

function remoteOf({ filename, filesize, checksum, links }: FileBody): Remote {
  return { name: filename, path: links.download, size: filesize, etag: `"${checksum}"` }
}

function judgeOf({ checksum }: FileBody): Judge {
  const hash = createHash('sha256')
  return {
    update: (chunk) => void hash.update(chunk),
    isRight: () => `sha256:${hash.digest('hex')}` === checksum,
  }
}

/** Downloads the missing bytes; returns the judge of the whole part. */
async function fetchRest(
  part: string,
  { connection, progress }: FetchOptions,
  { remote, judge }: Judged,
): Promise<Judge> {
  const { name, size, path, etag, start = 0 } = remote
  const arrived = await sizeOf(part, size)
  const seen = judge()
  await readPart(part, arrived, seen)
  if (arrived === size && arrived > 0) return seen
  const tried = `download ${name}`
  const first = start + arrived
  const last = remote.start === undefined ? '' : start + size - 1
  const response = await connection.send(tried, {
    method: 'GET',
    path,
    headers: {
      accept: 'application/octet-stream',
      ...((first > 0 || last !== '') && { range: `bytes=${first}-${last}`, 'if-range': etag }),
    },
  })
  requireUnchanged(response, remote)
  const isRest = response.headers['content-range']?.startsWith(`bytes ${first}-`) === true
  const whole = isRest ? seen : judge()
  if (!isRest) await rm(part, { force: true })
  try {
    const expected = isRest ? size - arrived : size
    let left = expected
    await write(response, { part, start: isRest ? arrived : 0, expected }, (chunk) => {
      left -= chunk.length
      if (left < 0) throw tooMuch(name, size)
      whole.update(chunk)
      progress.advance(chunk.length)
    })
  } catch (cause) {
    if (cause instanceof Failure) await rm(part, { force: true })
    if (!isOfTheConnection(response, cause)) throw cause
    throw new NoAnswer(tried, connection.server, cause, true)
  }
  return whole
}

/** @throws {Failure} the address has other bytes by now */
function requireUnchanged(response: IncomingMessage, { changed, etag }: Remote): void {
  if (changed === undefined || response.headers.etag === etag) return
  response.destroy()
  throw changed
}

/** Size of the part from an earlier attempt. Bytes. */
async function sizeOf(part: string, filesize: number): Promise<number> {
  const stats = lstatSync(part, { throwIfNoEntry: false })
  if (stats === undefined) return 0
  if (stats.isFile() && stats.size <= filesize) return stats.size
  await rm(part, { force: true })
  return 0
}

async function readPart(path: string, size: number, judge: Judge): Promise<void> {
  if (size === 0) return
  const beginning = createReadStream(path, { highWaterMark: chunkBytes, end: size - 1 })
  for await (const chunk of beginning) if (chunk instanceof Buffer) judge.update(chunk)
}

/** The place of bytes in a part. */
interface Piece {
  readonly part: string
  readonly start: number
  /** Bytes that are to come. */
  readonly expected: number
}

/**
 * Writes into our part; a link in its place is not followed. Each byte has its place: another command
 * that fetches the same at the same time writes the same there.
 */
async function write(
  response: IncomingMessage,
  { part, start, expected }: Piece,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants
  await using file = await open(part, O_WRONLY | O_CREAT | O_NOFOLLOW)
  const writer = new PieceWriter(file, start, expected)
  try {
    for await (const chunk of response) {
      if (!(chunk instanceof Buffer)) continue
      onChunk(chunk)
      await writer.write(chunk)
    }
  } finally {
    // Keep the bytes that arrived before a broken connection: the next attempt resumes after them.
    await writer.flush()
  }
}

/** True for a failure of the connection, not of our disk and not an interruption. */
function isOfTheConnection(response: IncomingMessage, cause: unknown): boolean {
  return (
    !response.complete && !isInterruption(cause) && !(cause instanceof Failure) && !ofDisk(cause)
  )
}

function ofDisk(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'write'
}

function tooMuch(filename: string, filesize: number): Failure {
  const said = `the server sends more than the ${filesize} bytes that it announced`
  const next = advice.distrustServer()
  return new Failure({ tried: `download ${filename}`, said, next })
}

function damaged(filename: string): Failure {
  const said = 'the bytes that arrived are not those that were stored'
  const next = advice.tellIfAgain()
  return new Failure({ tried: `download ${filename}`, said, next })
}

async function writeAll(file: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let done = 0; done < piece.length;) {
    const { bytesWritten } = await file.write(piece, done, piece.length - done, at + done)
    done += bytesWritten
  }
}

/** Size of a write. Bytes. */
const pieceBytes = 256 * 1024

/**
 * Writes to a file in large pieces. One buffer is filled while the other is written; the caller
 * may reuse its chunks at once.
 */
class PieceWriter {
  readonly #file: FileHandle
  readonly #size: number
  #filling: Buffer
  #other: Buffer | undefined
  #filled = 0
  #at: number
  #written: Promise<void> = Promise.resolve()

  /**
   * @param start place of the first byte
   * @param expected bytes that are to come; fewer of them are no fault here
   */
  constructor(file: FileHandle, start: number, expected: number) {
    this.#file = file
    this.#at = start
    this.#size = Math.min(Math.max(expected, 1), pieceBytes)
    this.#filling = Buffer.allocUnsafe(this.#size)
  }

  /** Resolves when it can take more. */
  async write(chunk: Buffer): Promise<void> {
    for (let taken = 0; taken < chunk.length;) {
      const copied = chunk.copy(this.#filling, this.#filled, taken)
      taken += copied
      this.#filled += copied
      if (this.#filled === this.#size) await this.#turn()
    }
  }

  /** Done when all of it has been written. */
  async flush(): Promise<void> {
    await this.#turn()
    await this.#written
  }

  async #turn(): Promise<void> {
    await this.#written
    const piece = this.#filling.subarray(0, this.#filled)
    this.#written = writeAll(this.#file, piece, this.#at)
    this.#at += piece.length
    // Awaited at the next turn; a failure until then is not an unhandled one.
    this.#written.catch(() => {})
    const next = this.#other ?? Buffer.allocUnsafe(this.#size)
    this.#other = this.#filling
    this.#filling = next
    this.#filled = 0
  }
}

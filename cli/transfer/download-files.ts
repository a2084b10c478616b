import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Connection } from '../client/connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Progress } from '../output/progress.ts'
import { inTheWay, makeParents } from './safe-target.ts'

/** Files that are fetched at once. */
const parallelDownloads = 4

/** Between the connection and the disk. Bytes. */
const chunkBytes = 1024 * 1024

interface DownloadOptions {
  readonly connection: Connection
  /** Everything is written below it. */
  readonly root: string
  /** Overwrites a file that is there with other bytes. */
  readonly replace: boolean
  readonly progress: Progress
}

/**
 * Fetches files below a folder, several at once; what is there with the same digest stays. Each is
 * written beside its name and takes it once its digest is right.
 *
 * @returns the paths written, in the order of `files`
 */
export async function downloadFiles(
  options: DownloadOptions,
  files: readonly FileBody[],
): Promise<readonly string[]> {
  const written = new Map<FileBody, string>()
  const queue = files.values()
  let hasFailed = false
  async function work(): Promise<void> {
    for (const file of queue) {
      if (hasFailed) return
      const path = await downloadFile(options, file)
      if (path !== undefined) written.set(file, path)
      options.progress.fileDone()
    }
  }
  const workers = Array.from({ length: parallelDownloads }, () =>
    work().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return files.flatMap((file) => written.get(file) ?? [])
}

/** The path written; undefined where the file is there already. */
async function downloadFile(options: DownloadOptions, file: FileBody): Promise<string | undefined> {
  const path = await makeParents(options.root, file.filename)
  const present = await lstat(path).catch(() => undefined)
  if (present !== undefined && !present.isFile()) throw inTheWay(path)
  if (present !== undefined && (await isSame(path, present, file))) return undefined
  if (present !== undefined && !options.replace) throw isThere(path)
  const part = join(dirname(path), `.deposit-${partName(file)}.part`)
  await rm(part, { force: true })
  try {
    await fetchInto(part, options, file)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return path
}

/** Short and of safe characters, whatever the server says. */
function partName({ filename, version_id: version }: FileBody): string {
  return createHash('sha256').update(`${filename}\n${version}`).digest('hex').slice(0, 32)
}

async function fetchInto(
  part: string,
  { connection, progress }: DownloadOptions,
  { filename, checksum, links }: FileBody,
): Promise<void> {
  const tried = `download ${filename}`
  const response = await connection.send(tried, {
    method: 'GET',
    path: links.download,
    headers: { accept: 'application/octet-stream' },
  })
  const hash = createHash('sha256')
  const measure = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      progress.advance(chunk.length)
      done(null, chunk)
    },
  })
  // `wx` makes the file or fails: it follows no link and opens nothing that is there.
  const sink = createWriteStream(part, { flags: 'wx', highWaterMark: chunkBytes })
  await pipeline(response, measure, sink).catch((cause: unknown) => brokenOff(tried, cause))
  if (checksum !== `sha256:${hash.digest('hex')}`) throw damaged(tried)
}

async function isSame(path: string, { size }: Stats, file: FileBody): Promise<boolean> {
  if (size !== file.filesize) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash)
  return file.checksum === `sha256:${hash.digest('hex')}`
}

function brokenOff(tried: string, cause: unknown): never {
  if (cause instanceof Error && cause.name === 'AbortError') throw cause
  const said = cause instanceof Error ? cause.message : String(cause)
  const next = 'run the command again: what is there already stays'
  throw new Failure({ tried, said, next }, { cause })
}

function damaged(tried: string): Failure {
  const said = 'the bytes that arrived are not those that were stored'
  return new Failure({ tried, said, next: 'run the command again; if it stays, tell the operator' })
}

function isThere(path: string): Failure {
  return new Failure(
    {
      tried: `write ${path}`,
      said: 'a file of that name with other bytes is there',
      next: 'choose another folder with --output, or overwrite it with --replace',
    },
    { exitCode: exitCodes.refused },
  )
}

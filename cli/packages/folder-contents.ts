import { isUtf8 } from 'node:buffer'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { smallFileBytes } from '../client/file-digest.ts'
import type { Finding } from '../output/finding.ts'
import { reasonOf } from '../reason.ts'
import { about, UnreadableFile, type Contents, type PackedFile } from './contents.ts'

/** Between the disk and the digest. Bytes. */
const chunkBytes = 1024 * 1024

/** Links are not followed, and a pipe does not keep us waiting. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

interface Found {
  readonly files: PackedFile[]
  readonly folders: Set<string>
  readonly faults: Finding[]
}

/** Everything below a folder, hidden files among it. */
export async function readFolderContents(folder: string): Promise<Contents> {
  const found: Found = { files: [], folders: new Set(), faults: [] }
  await walk(folder, '', found)
  found.files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    ...found,
    read: (file) => readLocalFile(join(folder, file.path), file),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function walk(root: string, folder: string, found: Found): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, encoding: 'buffer' })
  for (const entry of entries) {
    const name = entry.name.toString()
    const path = folder === '' ? name : `${folder}/${name}`
    if (!isUtf8(entry.name)) found.faults.push(about(path, 'the name is not UTF-8'))
    else if (entry.isDirectory()) {
      found.folders.add(path)
      await walk(root, path, found).catch((error: unknown) => {
        found.faults.push(about(path, reasonOf(error)))
      })
    } else if (entry.isFile()) {
      const { size } = await lstat(join(root, path))
      found.files.push({ path, size })
    } else if (entry.isSymbolicLink())
      found.faults.push(about(path, 'it is a link, and links are not followed'))
    else found.faults.push(about(path, 'it is a device, a pipe or a socket'))
  }
}

/** Bytes of a file. Throws {@link UnreadableFile}. */
export async function* readLocalFile(path: string, { size }: PackedFile): AsyncIterable<Buffer> {
  let bytes = 0
  try {
    for await (const chunk of size <= smallFileBytes ? [readSmall(path)] : readLarge(path)) {
      bytes += chunk.length
      yield chunk
    }
  } catch (error) {
    throw new UnreadableFile(reasonOf(error), { cause: error })
  }
  if (bytes !== size) throw new UnreadableFile('it changed while it was read')
}

/** Synchronous: a stream for each of many small files would take most of the time. */
function readSmall(path: string): Buffer {
  const file = openSync(path, flags)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

async function* readLarge(path: string): AsyncIterable<Buffer> {
  await using file = await open(path, flags)
  const stream = file.createReadStream({ highWaterMark: chunkBytes, autoClose: false })
  yield* stream as AsyncIterable<Buffer>
}

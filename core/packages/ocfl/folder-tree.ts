import { isUtf8 } from 'node:buffer'
import { constants, createReadStream } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../base/errno.ts'
import type { Tree, TreeFile } from './tree.ts'

/** Links are not followed, and a pipe does not keep us waiting. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const chunkBytes = 1024 * 1024

/** Everything in the folder of an object, hidden files among it. */
export async function readTree(folder: string): Promise<Tree> {
  const found = { files: [], folders: new Set<string>(), faults: [] }
  await walk(folder, '', found)
  return {
    ...found,
    read: (file) =>
      createReadStream(join(folder, file.path), {
        flags: flags as unknown as string,
        highWaterMark: chunkBytes,
      }) as AsyncIterable<Buffer>,
  }
}

interface Found {
  readonly files: TreeFile[]
  readonly folders: Set<string>
  readonly faults: { field: string; message: string }[]
}

async function walk(root: string, folder: string, found: Found): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, encoding: 'buffer' })
  for (const entry of entries) {
    const name = entry.name.toString()
    const path = folder === '' ? name : `${folder}/${name}`
    if (!isUtf8(entry.name)) found.faults.push({ field: path, message: 'the name is not UTF-8' })
    else if (entry.isDirectory()) {
      found.folders.add(path)
      await walk(root, path, found)
    } else if (entry.isFile()) {
      found.files.push({ path, size: (await lstat(join(root, path))).size })
    } else
      found.faults.push({
        field: path,
        message: entry.isSymbolicLink() ? 'it is a link' : 'it is a device, a pipe or a socket',
      })
  }
}

/** The text of a file that is no link; undefined if there is none, or if it is larger. */
export async function readSmall(path: string, most = 1_000_000): Promise<string | undefined> {
  try {
    await using file = await open(path, flags)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > most) return undefined
    return await file.readFile('utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

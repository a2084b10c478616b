import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from './client.ts'

const content = randomBytes(4096)

/** A folder with `count` files, of 4 KiB by default. */
export async function folderOf(count: number, folder: string, bytes = content): Promise<void> {
  for (let index = 0; index < count; index++) await writeFile(join(folder, `f${index}`), bytes)
}

/** Written, synced and renamed one after another, as a careful program does without a service. */
export async function writeLocally(count: number, folder: string): Promise<void> {
  await mkdir(folder)
  for (let index = 0; index < count; index++) {
    const file = await open(join(folder, 'part'), 'w')
    await file.write(content)
    await file.sync()
    await file.close()
    await rename(join(folder, 'part'), join(folder, `f${index}`))
  }
}

/** Sends `count` files, of 4 KiB by default, to a bucket, on sixteen connections by default. */
export async function sendFiles(
  count: number,
  bucket: string,
  token?: string,
  { bytes = content, connections = 16 } = {},
): Promise<void> {
  let next = 0
  const sender = async (): Promise<void> => {
    using client = new Client(token)
    while (next < count) await client.put(`${bucket}/f${next++}`, bytes)
  }
  await Promise.all(Array.from({ length: connections }, sender))
}

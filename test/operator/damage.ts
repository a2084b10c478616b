import { chmod, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { editSmall, isSmall, readSmall } from '../support/stored-blobs.ts'

/** Changes one byte of a blob or another file, as a failing disk does. */
export function flipByte(path: string, at = 0): Promise<void> {
  return change(path, (bytes) => {
    const flipped = Buffer.from(bytes)
    flipped[at] = (bytes[at] ?? 0) ^ 1
    return flipped
  })
}

export function cutShort(path: string): Promise<void> {
  return change(path, (bytes) => bytes.subarray(0, -1))
}

export function lengthen(path: string): Promise<void> {
  return change(path, (bytes) => Buffer.concat([bytes, Buffer.from('!')]))
}

/** Swaps the bytes of two blobs, which are both small or both large. */
export async function swap(one: string, other: string): Promise<void> {
  if (isSmall(one)) {
    const [first, second] = [readSmall(one), readSmall(other)]
    await change(one, () => second)
    await change(other, () => first)
    return
  }
  await rename(one, `${one}.swap`)
  await rename(other, one)
  await rename(`${one}.swap`, other)
}

/** Works for large blobs only, which are files. */
export const makeUnreadable = (path: string): Promise<void> => chmod(path, 0)

export async function removeFile(path: string): Promise<void> {
  if (isSmall(path)) editSmall(path, 'DELETE FROM blobs WHERE id = @id')
  else await rm(path)
}

/** Sets the time when a blob was written. */
export async function date(path: string, time: Date): Promise<void> {
  const written = time.getTime()
  if (isSmall(path))
    editSmall(path, 'UPDATE blobs SET written = @written WHERE id = @id', { written })
  else await utimes(path, time, time)
}

async function change(path: string, toOther: (bytes: Buffer) => Buffer): Promise<void> {
  if (isSmall(path)) {
    const bytes = toOther(readSmall(path))
    editSmall(path, 'UPDATE blobs SET bytes = @bytes WHERE id = @id', { bytes })
    return
  }
  await chmod(path, 0o600)
  await writeFile(path, toOther(await readFile(path)))
  await chmod(path, 0o400)
}

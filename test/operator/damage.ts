import { chmod, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'

/** Changes one byte of a file, as a failing disk does. */
export async function flipByte(path: string, at = 0): Promise<void> {
  await chmod(path, 0o600)
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  await file.close()
  await chmod(path, 0o400)
}

export async function cutShort(path: string): Promise<void> {
  await chmod(path, 0o600)
  await truncate(path, (await stat(path)).size - 1)
  await chmod(path, 0o400)
}

export async function lengthen(path: string): Promise<void> {
  const bytes = await readFile(path)
  await chmod(path, 0o600)
  await writeFile(path, Buffer.concat([bytes, Buffer.from('!')]))
  await chmod(path, 0o400)
}

export async function swap(one: string, other: string): Promise<void> {
  await rename(one, `${one}.swap`)
  await rename(other, one)
  await rename(`${one}.swap`, other)
}

export const makeUnreadable = (path: string): Promise<void> => chmod(path, 0)
export const removeFile = (path: string): Promise<void> => rm(path)

import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes the bytes of a file, or the names in a directory, outlive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Puts `text` in a file at once and durably: a reader finds all of it, or what was there before. */
export async function writeTextDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`
  try {
    const file = await open(draft, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await syncPath(dirname(path))
}

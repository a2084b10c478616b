import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FoundFile } from './read-folder.ts'

/** Standard input as a temporary file, removed on disposal. */
export interface Spooled extends AsyncDisposable {
  readonly file: FoundFile
}

/**
 * Saves a stream in a file that only this user can read: its size must be known, and it may be sent
 * twice.
 */
export async function spool(
  input: NodeJS.ReadableStream,
  name: string,
  signal: AbortSignal,
): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), 'deposit-input-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'input')
  try {
    await pipeline(input, createWriteStream(path, { mode: 0o600 }), { signal })
    const { size } = await stat(path)
    return { file: { path, name, size }, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

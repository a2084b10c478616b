import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FoundFile } from './read-folder.ts'
import { makeWorkFolder } from './work-folder.ts'

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
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await makeWorkFolder('input'))
  const path = join(folder.path, 'input')
  await pipeline(input, createWriteStream(path, { mode: 0o600 }), { signal })
  const { size } = await stat(path)
  const kept = stack.move()
  return { file: { path, name, size }, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

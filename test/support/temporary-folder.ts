import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
}

/** A folder with `files` in it, removed at the end of the block. */
export async function temporaryFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'deposit-folder-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

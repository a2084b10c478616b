import { constants } from 'node:fs'
import { copyFile, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { syncPath, type Directories } from './directories.ts'

/** What of a home belongs to a backup beside rows and bytes: its settings and its keys. */
const names = [/^deposit\.config\.\w+$/, /^schemas$/, /^issuer\.keys$/]

/** What lets whoever has it sign for the service: it comes back only where that is asked for. */
export function isSecret(path: string): boolean {
  return path === 'issuer.keys'
}

/** Copies settings and keys of the home at `from`; answers the paths of the copies. */
export async function copyBeside(
  from: string,
  to: string,
  directories: Directories,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<readonly string[]> {
  const copies: string[] = []
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!names.some((name) => name.test(entry.name))) continue
    const path = join(from, entry.name)
    const files = entry.isDirectory() ? await filesIn(path) : [path]
    for (const file of files) {
      const copy = await directories.holding(join(to, relative(from, file)))
      await copyFile(file, copy, replace ? 0 : constants.COPYFILE_EXCL)
      await syncPath(copy)
      copies.push(copy)
    }
  }
  return copies
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

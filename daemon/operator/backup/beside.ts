import { constants } from 'node:fs'
import { copyFile, readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Home } from '../../home/home.ts'
import { syncPath } from '../../../core/base/durable-files.ts'
import type { Directories } from './directories.ts'
import { isMissing } from '../../../core/base/errno.ts'

/** Files of a home in a backup, beside rows and bytes: settings, keys and the audit trail. */
const names = [/^deposit\.config\.\w+$/, /^schemas$/, /^issuer\.keys$/]
const trail = /^audit.*\.jsonl/

/** Keys that can sign for the service: they are restored only on request. */
export function isSecret(path: string): boolean {
  return path === 'issuer.keys'
}

/** Copies, and files that were gone when their turn came. */
export interface CopiedBeside {
  readonly copies: readonly string[]
  /** Paths of files of the configuration that were removed, or of logs that were rotated. */
  readonly gone: readonly string[]
}

/** Copies settings, keys and the audit trail of a home. */
export async function copyBeside(
  from: Home,
  to: string,
  directories: Directories,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<CopiedBeside> {
  const copies: string[] = []
  const gone: string[] = []
  const mayGo = new Set(from.files.map((file) => join(from.root, file)))
  for (const file of await filesBeside(from)) {
    const copy = await directories.holding(join(to, relative(from.root, file)))
    try {
      await copyFile(file, copy, replace ? 0 : constants.COPYFILE_EXCL)
    } catch (error) {
      const isNeeded = !mayGo.has(file) && dirname(file) !== from.logs
      if (isNeeded || !isMissing(error)) throw error
      gone.push(file)
      continue
    }
    await syncPath(copy)
    copies.push(copy)
  }
  return { copies, gone }
}

async function filesBeside({ root, files, logs }: Home): Promise<ReadonlySet<string>> {
  const found = new Set(files.map((file) => join(root, file)))
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!names.some((name) => name.test(entry.name))) continue
    const path = join(root, entry.name)
    for (const file of entry.isDirectory() ? await filesIn(path) : [path]) found.add(file)
  }
  for (const name of await readdir(logs).catch(() => [])) {
    if (trail.test(name)) found.add(join(logs, name))
  }
  return found
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

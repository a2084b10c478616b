import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeTextDurably } from '../../base/durable-files.ts'
import { codeOf } from '../../base/errno.ts'
import { takeLock } from '../../base/file-lock.ts'
import { workName } from './check-root.ts'
import { readSmall } from './folder-tree.ts'
import { layout, layoutConfig, layoutName, objectPath, rootDeclaration } from './layout.ts'

/** Where objects are written. */
export interface ObjectPlace {
  readonly path: string
  /** The folder of an object below it, with slashes. */
  readonly pathOf: (id: string) => string
  /** A new folder to write in, on the same disk; what stays in it is removed at the end. */
  readonly draft: () => Promise<string>
}

/** A storage root that this process alone writes to, until it is disposed of. */
export interface StorageRoot extends ObjectPlace, AsyncDisposable {}

/** The folder cannot become a storage root. */
export class NoStorageRoot extends Error {
  override readonly name = 'NoStorageRoot'
}

/** Another process writes to the storage root. */
export class StorageRootBusy extends Error {
  override readonly name = 'StorageRootBusy'
}

const files = [
  [`extensions/${layoutName}/config.json`, `${JSON.stringify(layoutConfig, undefined, 2)}\n`],
  ['ocfl_layout.json', `${JSON.stringify(layout, undefined, 2)}\n`],
  // The last one: with it the folder is a storage root.
  [rootDeclaration.name, rootDeclaration.text],
] as const

/**
 * Makes a storage root, or finishes one that an interruption left unfinished.
 *
 * @throws {NoStorageRoot} something else is in the folder
 */
export async function makeStorageRoot(path: string): Promise<void> {
  await requireOurs(path)
  await mkdir(path, { recursive: true })
  for (const [name, text] of files) {
    const file = join(path, name)
    await mkdir(dirname(file), { recursive: true })
    if ((await readSmall(file)) !== text) await writeTextDurably(file, text, 0o644)
  }
  for (const folder of ['extensions', '.', '..']) await syncFolder(join(path, folder))
}

/** Drafts of our files, which an interruption left beside them. */
const ownDraft = /\.[\da-f-]{36}\.new$/

async function requireOurs(path: string): Promise<void> {
  const names = await readdir(path, { recursive: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    if (codeOf(error) === 'ENOTDIR') throw new NoStorageRoot(`${path} is not a folder`)
    throw error
  })
  const known = new Set(['extensions', `extensions/${layoutName}`, ...files.map(([name]) => name)])
  const foreign = names.find((name) => !known.has(name.replace(ownDraft, '')))
  if (foreign !== undefined)
    throw new NoStorageRoot(`${path} is not empty, and is not a storage root: it has ${foreign}`)
  for (const name of names.filter((each) => ownDraft.test(each))) await rm(join(path, name))
}

/**
 * Takes a storage root for writing. Anything that an interrupted run left in work is removed.
 *
 * @throws {StorageRootBusy}
 */
export async function openStorageRoot(path: string): Promise<StorageRoot> {
  const work = join(path, 'extensions', workName)
  await mkdir(work, { recursive: true, mode: 0o700 })
  const file = join(work, 'lock')
  // The first attempt removes the lock of a process that was killed.
  const lock = (await takeLock(file)) ?? (await takeLock(file))
  if (lock === undefined) throw new StorageRootBusy(`another process writes to ${path}`)
  for (const name of await readdir(work))
    if (name !== 'lock') await rm(join(work, name), { recursive: true, force: true })
  return {
    path,
    pathOf: objectPath,
    draft: () => mkdtemp(join(work, 'draft-')),
    [Symbol.asyncDispose]: async () => {
      await lock[Symbol.asyncDispose]()
      await rm(work, { recursive: true, force: true })
    },
  }
}

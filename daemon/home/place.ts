import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import type { ServiceMark, StoreMarks } from '../../core/index.ts'
import { advice } from '../advice.ts'
import type { Home } from './home.ts'
import { StartFailure } from '../start-failure.ts'

/** Names of the stores of a home, without user, password and options. */
export interface Place {
  readonly home: string
  /** `postgres://HOST:PORT/DATABASE`, or the path of a file. */
  readonly database: string
  /** `s3://BUCKET/PREFIX`, or the path of a folder. */
  readonly storage: string
}

/** A place as a home knows it, with the mark of the bytes that are in it. */
interface KnownPlace extends Place {
  readonly mark?: ServiceMark
  /** Ids of the processes that used these bytes from this home, the latest last. */
  readonly runs?: readonly string[]
  /** Ids that the mark in `blobs/` may have, '' where it may have none: two while it is written. */
  readonly folders?: readonly string[]
}

/** Those that are kept: all of three minutes in which each start crashes at once. */
const mostRuns = 200

export function placeOf(home: Home): Place {
  return {
    home: home.root,
    database: nameOf(home.databaseUrl) ?? home.database,
    storage: nameOf(home.storageUrl) ?? home.blobs,
  }
}

/** One or two names, for a person. */
export function describePlace({ root, databaseUrl, storageUrl }: Home): string {
  const names = [databaseUrl, storageUrl].map((url) => nameOf(url) ?? root)
  return [...new Set(names)].join(', ')
}

function nameOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const { protocol, host, pathname } = URL.parse(url) ?? {}
  return protocol === undefined ? 'a server' : `${protocol}//${host}${pathname}`
}

/** Schemes of the addresses of storage; the bytes of a home without one are in a folder. */
const storageSchemes = ['s3'] as const
export type StorageScheme = (typeof storageSchemes)[number]

/** The start of an address of storage, as a regular expression and in words. */
export const storageAddress = {
  pattern: `^(${storageSchemes.join('|')})://`,
  words: storageSchemes.map((scheme) => `${scheme}://`).join(' or '),
} as const

/** Of an address as `DEPOSIT_STORAGE_URL` may be. */
export function storageScheme(address: string): StorageScheme {
  return storageSchemes.find((scheme) => address.startsWith(`${scheme}:`)) ?? storageSchemes[0]
}

/** The settings that name a server for one of the stores. */
const servers = [
  ['database', 'databaseUrl', 'DEPOSIT_DATABASE_URL', /^postgres/, 'database'],
  ['storage', 'storageUrl', 'DEPOSIT_STORAGE_URL', new RegExp(storageAddress.pattern), 'blobs'],
] as const

/**
 * Refuses stores that are not those of the home. Files in the place of a server would look empty;
 * on another service's stores a command could remove what belongs to this one.
 *
 * @param isSource whether the command copies what a home had before as well: then it may have its own
 *   files, which are there, and any server
 * @throws {StartFailure} the message says which setting to correct
 */
export async function requireKnownPlace(home: Home, isSource = false): Promise<void> {
  for (const other of await otherStores(home)) {
    const { here, file } = other
    const isOwn = here !== undefined || existsSync(home[file])
    if (!isSource || !isOwn) throw notThere(home, other)
  }
}

/**
 * Demands of the source of a copy that it has no old files of stores which are on a server now, unless
 * they are compared with what is there: it would lack what was stored since.
 *
 * @throws {StartFailure} as {@link requireKnownPlace}
 */
export async function requireLatestSource(home: Home, target: Home): Promise<void> {
  for (const other of await otherStores(home)) {
    const { here, there, url } = other
    if (here === undefined && nameOf(target[url]) !== there) throw notThere(home, other)
  }
}

/** A store that the home had when its stores were noted, and that the configuration does not name. */
interface OtherStore {
  readonly store: (typeof servers)[number][0]
  readonly url: (typeof servers)[number][1]
  readonly key: string
  readonly file: (typeof servers)[number][4]
  readonly there: string
  readonly here: string | undefined
}

async function otherStores(home: Home): Promise<readonly OtherStore[]> {
  const known = await readPlace(fileOf(home))
  return servers.flatMap(([store, url, key, isServer, file]) => {
    const there = known?.[store]
    const here = nameOf(home[url])
    if (typeof there !== 'string' || there === here) return []
    if (here === undefined && !isServer.test(there)) return []
    return [{ store, url, key, file, there, here }]
  })
}

function notThere(home: Home, { store, key, there, here }: OtherStore): StartFailure {
  const found = here === undefined ? `${key} is not set` : `${key} names ${here}`
  const said = `The ${store} of ${home.root} is ${there}, and ${found}.`
  return new StartFailure('config', said, { next: advice.loadSettings(store, fileOf(home)) })
}

/**
 * Notes which stores belong to the home, for commands that are run without its settings.
 *
 * @param hasOtherRows the processes that used the bytes with the rows before are forgotten
 */
export async function rememberPlace(home: Home, hasOtherRows = false): Promise<void> {
  const { mark, runs, folders } = (await readPlace(fileOf(home))) ?? {}
  const kept = {
    ...(mark && { mark }),
    ...(runs && !hasOtherRows && { runs }),
    // Bytes that come back from a bucket may come to a new folder.
    ...(folders && home.storageUrl === undefined && { folders }),
  }
  await writePlace(home, { ...placeOf(home), ...kept })
}

/** Ids of the processes that used the bytes of a home from there, in their order. */
export async function knownRuns(home: Home): Promise<readonly string[]> {
  return textsOf((await readPlace(fileOf(home)))?.runs)
}

export async function noteRuns(home: Home, runs: readonly string[]): Promise<void> {
  const known = await readPlace(fileOf(home))
  await writePlace(home, { ...placeOf(home), ...known, runs: runs.slice(-mostRuns) })
}

/** Ids that the mark in `blobs/` may have, '' for none; none where any may be used. */
export async function knownFolders(home: Home): Promise<readonly string[]> {
  return textsOf((await readPlace(fileOf(home)))?.folders)
}

export async function noteFolders(home: Home, folders: readonly string[]): Promise<void> {
  await writePlace(home, { ...placeOf(home), ...(await readPlace(fileOf(home))), folders })
}

/** The mark of the bytes in a home, which its lock keeps for one process. */
export function folderMarks(home: Home): StoreMarks {
  const path = fileOf(home)
  return {
    name: path,
    textOf: (mark) => JSON.stringify({ mark }),
    read: async () => {
      const mark = (await readPlace(path))?.mark
      return typeof mark?.service === 'string' ? mark : undefined
    },
    write: async (mark) => {
      const { folders, ...known } = (await readPlace(path)) ?? {}
      // A service that takes the bytes over takes the folder that is there.
      const kept = folders && known.mark?.service === mark.service ? { folders } : {}
      await writePlace(home, { ...placeOf(home), ...known, mark, ...kept })
      return true
    },
    remove: async () => {
      const { mark: _, ...place } = { ...placeOf(home), ...(await readPlace(path)) }
      await writePlace(home, place)
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function writePlace(home: Home, place: KnownPlace): Promise<void> {
  const path = fileOf(home)
  const text = `${JSON.stringify(place)}\n`
  const known = await readFile(path, 'utf8').catch(() => '')
  if (known !== text) await writeTextDurably(path, text)
}

function fileOf({ root }: Home): string {
  return join(root, 'stores.json')
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : []
}

/** Undefined where there is none, or it cannot be read. */
async function readPlace(path: string): Promise<Partial<KnownPlace> | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof content === 'object' && content !== null ? content : undefined
  } catch {
    return undefined
  }
}

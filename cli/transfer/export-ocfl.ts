import { constants, existsSync, readdirSync } from 'node:fs'
import { copyFile, link, mkdir, mkdtemp, readFile, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isSameJson, type Json } from '../../core/base/json.ts'
import { takeLock } from '../../core/base/file-lock.ts'
import type { DepositBody, FileBody, RecordBody } from '../../core/contract/schemas.ts'
import { checkObject } from '../../core/packages/ocfl/check-object.ts'
import { kindOf } from '../../core/packages/ocfl/check-root.ts'
import { readTree } from '../../core/packages/ocfl/folder-tree.ts'
import { versionNames, type Inventory } from '../../core/packages/ocfl/inventory.ts'
import {
  filePaths,
  messageOf,
  objectNames,
  textFile,
  userOf,
} from '../../core/packages/ocfl/record-names.ts'
import type { ObjectPlace } from '../../core/packages/ocfl/storage-root.ts'
import {
  addVersions,
  DamagedObject,
  openObject,
  type NewFile,
  type NewVersion,
} from '../../core/packages/ocfl/write-object.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Progress } from '../output/progress.ts'
import { downloadFiles } from './download-files.ts'
import { requireSafeNames } from './safe-target.ts'

/** A record as the API answers it: with all of its revisions and its files. */
export interface FoundRecord {
  readonly deposit: string
  /** Address of its page: the id of the object. */
  readonly id: string
  /** Oldest first. */
  readonly revisions: readonly RecordBody[]
  readonly files: readonly FileBody[]
}

/** @throws {Failure} the deposit was not published */
export async function findRecord(
  client: DepositClient,
  { id, links }: DepositBody,
): Promise<FoundRecord> {
  const tried = `export ${id}`
  const { record } = links
  if (record === undefined) {
    const said = 'a draft can be had as zip alone, not as ocfl'
    const next = advice.checkAndPublish(id)
    throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
  }
  const files = await client.listFiles(id)
  requireSafeNames(files, 'export the files')
  const revisions = await client.listRevisions(id, record)
  const page = revisions[0]?.links['html']
  if (page === undefined) {
    const said = 'the server does not say where the page of the record is'
    throw new Failure({ tried, said, next: advice.checkUrl() })
  }
  return { deposit: id, id: page, revisions, files }
}

interface ObjectOptions {
  readonly client: DepositClient
  readonly progress: Progress
  /** Parallel downloads. */
  readonly jobs: number
}

/**
 * Writes the object of a record, or the versions that it lacks. Until they are whole, their files lie
 * beside it, in a folder of its name and `.incomplete`; the next run continues with them.
 *
 * @returns the names of the new versions
 * @throws {Failure} something else is there
 */
export async function exportObject(
  path: string,
  record: FoundRecord,
  options: ObjectOptions,
): Promise<readonly string[]> {
  const work = `${path}.incomplete`
  await mkdir(work, { recursive: true })
  const lock = join(work, 'lock')
  await using held = (await takeLock(lock)) ?? (await takeLock(lock))
  if (held === undefined) throw refuse(path, 'another command writes it', advice.waitForOther())
  for (const name of readdirSync(work))
    if (name.startsWith('draft-')) await rm(join(work, name), { recursive: true })
  const place: ObjectPlace = {
    path: dirname(path),
    pathOf: () => basename(path),
    draft: () => mkdtemp(join(work, 'draft-')),
  }
  const written = await addMissing(place, path, join(work, 'files'), record, options)
  await rm(work, { recursive: true, force: true })
  return written
}

async function addMissing(
  place: ObjectPlace,
  path: string,
  downloads: string,
  record: FoundRecord,
  { client, progress, jobs }: ObjectOptions,
): Promise<readonly string[]> {
  await makeFree(path)
  try {
    const object = await openObject(place, record.id)
    const { inventory } = object
    if (inventory !== undefined) await requireWhole(path, record, inventory)
    const known = inventory === undefined ? 0 : versionNames(inventory).length
    if (known >= record.revisions.length) return []
    const have = new Set(Object.keys(inventory?.manifest ?? {}))
    // Each under its digest: a folder of downloads need not have the names.
    const byDigest = new Map(
      record.files
        .filter((file) => !have.has(digestOf(file)))
        .map((file) => [digestOf(file), { ...file, filename: digestOf(file) }]),
    )
    const { connection } = client
    const to = { connection, root: downloads, replace: true, jobs, progress }
    await downloadFiles(to, [...byDigest.values()])
    const versions = versionsOf(record, known, downloads)
    return await addVersions(place, record.id, object, versions)
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    throw refuse(path, `it is another object, or damaged: ${error.message}`, advice.moveAway())
  }
}

/** @throws {Failure} there is something else than an object or an empty folder */
async function makeFree(path: string): Promise<void> {
  if (!existsSync(path) || (await kindOf(path)) === 'object') return
  await rmdir(path).catch(() => {
    throw refuse(path, 'it is there, and is no object of OCFL', advice.moveAway())
  })
}

/** @throws {Failure} the object is not what was written, or has what the record does not have */
async function requireWhole(
  path: string,
  { revisions }: FoundRecord,
  inventory: Inventory,
): Promise<void> {
  const { errors } = await checkObject(await readTree(path), { reads: true })
  const [first] = errors
  if (first !== undefined) {
    const said = `it is damaged: ${first.path}: ${first.message}`
    throw refuse(path, said, advice.moveAway())
  }
  for (const [index, name] of versionNames(inventory).entries()) {
    const revision = revisions[index]
    if (revision && isRecord(await readRecord(path, inventory, name), revision)) continue
    throw refuse(path, `its version ${name} is no revision of this record`, advice.moveAway())
  }
}

/** `record.json` of a version; undefined if it has none. */
async function readRecord(
  path: string,
  { manifest, versions }: Inventory,
  name: string,
): Promise<unknown> {
  const { state = {} } = versions[name] ?? {}
  const [digest = ''] =
    Object.entries(state).find(([, paths]) => paths.includes(objectNames.record)) ?? []
  const file = manifest[digest]?.[0]
  return file === undefined ? undefined : JSON.parse(await readFile(join(path, file), 'utf8'))
}

/** Whether a text is that of a revision: what is told of its identifiers may differ, and `updated`. */
function isRecord(found: unknown, { id, revision, metadata }: RecordBody): boolean {
  if (typeof found !== 'object' || found === null) return false
  const told = found as Readonly<Partial<Record<string, Json>>>
  return (
    told['id'] === id && told['revision'] === revision && isSameJson(told['metadata'], metadata)
  )
}

async function* versionsOf(
  { revisions, files }: FoundRecord,
  known: number,
  downloads: string,
): AsyncGenerator<NewVersion, void, undefined> {
  const paths = filePaths(files.map(({ filename }) => filename))
  const stored = files.map((file): NewFile => {
    const digest = digestOf(file)
    const source = join(downloads, digest)
    const path = paths.get(file.filename) ?? file.filename
    return { path, digest, writeTo: (target) => linkOrCopy(source, target) }
  })
  for (const revision of revisions.slice(known)) {
    const { created_by } = revision.metadata._deposit ?? {}
    const text = `${JSON.stringify(revision, undefined, 2)}\n`
    yield {
      created: revision.updated,
      message: messageOf(revision),
      user: created_by === undefined ? { name: 'unknown' } : userOf(created_by),
      files: [textFile(objectNames.record, text), ...stored],
    }
  }
}

/** The download goes away at the end, and leaves the file with one name. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_EXCL))
}

function digestOf({ checksum }: FileBody): string {
  return checksum.replace('sha256:', '')
}

function refuse(path: string, said: string, next: ReturnType<typeof advice.moveAway>): Failure {
  return new Failure({ tried: `write ${path}`, said, next }, { exitCode: exitCodes.refused })
}

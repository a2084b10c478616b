import { isProblem } from '../errors/errors.ts'
import type { BlobId } from '../files/file.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Database } from '../ports/database.ts'
import { parseDepositId } from '../pid/deposit-pid.ts'
import { conceptOfOld, mintRecid } from '../pid/record-minters.ts'
import type { ManifestPid, ManifestStore, RecordManifest } from '../ports/manifest-store.ts'

/** Rows that were restored, and those that were not. */
export interface Rebuilt {
  readonly records: number
  readonly revisions: number
  readonly files: number
  /** Bytes that no manifest names: of drafts, or of records that a crash kept from having one. They were set aside. */
  readonly setAside: number
}

/**
 * Makes rows again from manifests, in a database that has none, or some that an earlier run has
 * made: every record with all revisions, files and its deposit. Drafts that were never published have
 * no manifest, and do not come back.
 *
 * A record is a unit of work: a run that is interrupted leaves a part of the records, each of them
 * whole. One unit for all of them would be a transaction of hours for a large service.
 *
 * @param lost told of what is missing, a sentence each
 */
export async function rebuild(
  {
    database,
    blobs,
    manifests,
  }: {
    readonly database: Database
    readonly blobs: BlobStore
    readonly manifests: ManifestStore
  },
  lost: (message: string) => void,
): Promise<Rebuilt> {
  const byRecord = inChains(await readAll(manifests, lost))
  const named = new Set<string>()
  let revisions = 0
  // Those that have a number keep it; then the others get the next ones.
  const isNumbered = (all: Revisions): boolean => all.at(-1)?.deposit.number !== undefined
  const ordered = Map.groupBy(byRecord.values(), isNumbered)
  for (const all of [...(ordered.get(true) ?? []), ...(ordered.get(false) ?? [])]) {
    await restoreOnce(database, all)
    revisions += all.length
    for (const { blob, key } of blobsOf(all)) {
      if (named.has(blob.id)) continue
      named.add(blob.id)
      const size = await blobs.size(blob.id as BlobId)
      if (size !== blob.size) lost(`The bytes of ${key} (blob ${blob.id}) are missing or damaged.`)
    }
  }
  const setAside = await setAsideNameless(blobs, named)
  return { records: byRecord.size, revisions, files: named.size, setAside }
}

/** Of a record that an earlier run has made, the rows are whole. */
async function restoreOnce({ read, write }: Database, all: Revisions): Promise<void> {
  const value = all.at(-1)?.pid.value
  if (value !== undefined && (await read.records.find(value))) return
  await write((unit) => unit.upkeep.restoreRecord(all))
}

/** Manifests of a record, oldest first. */
type Revisions = readonly RecordManifest[]

/**
 * Gives each record its concept and its place in the chain of versions: manifests from before there
 * were concepts name the version before it alone.
 */
function inChains(byRecord: ReadonlyMap<string, Revisions>): ReadonlyMap<string, Revisions> {
  const sorted = new Map<string, Revisions>()
  for (const [value, all] of byRecord) {
    sorted.set(
      value,
      all.toSorted((one, other) => one.revision - other.revision),
    )
  }
  const chains = new Map<string, string[]>()
  const concepts = new Map<string, ManifestPid>()
  for (const value of sorted.keys()) {
    const { value: concept } = findConcept(value, sorted, concepts)
    chains.set(concept, [...(chains.get(concept) ?? []), value])
  }
  for (const values of chains.values()) placeVersions(values, sorted, concepts)
  return sorted
}

/** The concept of a record: its own, or that of the first version before it. */
function findConcept(
  value: string,
  all: ReadonlyMap<string, Revisions>,
  known: Map<string, ManifestPid>,
): ManifestPid {
  const passed: string[] = []
  for (let at = value; ;) {
    passed.push(at)
    const last = all.get(at)?.at(-1)
    const found = known.get(at) ?? last?.concept?.pid
    const before = last?.predecessor ?? ''
    if (!found && all.has(before)) at = before
    else {
      const concept = found ?? toConcept(last)
      for (const each of passed) known.set(each, concept)
      return concept
    }
  }
}

function toConcept(first: RecordManifest | undefined): ManifestPid {
  const minted = mintRecid()
  const value = first && conceptOfOld(parseDepositId(first.deposit.pid.value))
  return {
    type: minted.type,
    value: value ?? minted.value,
    object_uuid: minted.objectUuid,
    status: minted.status,
    redirect: null,
  }
}

/** Numbers the versions of a concept by the time of publishing, unless their manifests all tell it. */
function placeVersions(
  values: readonly string[],
  all: Map<string, Revisions>,
  concepts: ReadonlyMap<string, ManifestPid>,
): void {
  const revisionsOf = (value: string): Revisions => all.get(value) ?? []
  if (values.every((value) => revisionsOf(value).at(-1)?.concept)) return
  const createdOf = (value: string): string => revisionsOf(value)[0]?.created ?? ''
  const ordered = values.toSorted((one, other) => (createdOf(one) < createdOf(other) ? -1 : 1))
  for (const [index, value] of ordered.entries()) {
    const pid = concepts.get(value)
    if (!pid) continue
    const predecessor = ordered[index - 1] ?? revisionsOf(value).at(-1)?.predecessor ?? null
    const concept = { pid, number: index + 1 }
    all.set(
      value,
      revisionsOf(value).map((each) => ({ ...each, predecessor, concept })),
    )
  }
}

async function readAll(
  manifests: ManifestStore,
  lost: (message: string) => void,
): Promise<ReadonlyMap<string, RecordManifest[]>> {
  const byRecord = new Map<string, RecordManifest[]>()
  for await (const name of manifests.list()) {
    if ('strange' in name) continue
    try {
      const manifest = await manifests.read(name)
      if (!manifest) continue
      byRecord.set(name.value, [...(byRecord.get(name.value) ?? []), manifest])
    } catch (error) {
      if (!isProblem(error, 'damaged_file')) throw error
      lost(`The manifest of ${name.value}, revision ${name.revision}, is damaged.`)
    }
  }
  return byRecord
}

function* blobsOf(manifests: readonly RecordManifest[]) {
  for (const { files } of manifests) {
    for (const { key, versions } of files) {
      for (const { blob } of versions) yield { key, blob }
    }
  }
}

/** Bytes without a row may be all that is left of a draft, so they must not become garbage. */
async function setAsideNameless(blobs: BlobStore, named: ReadonlySet<string>): Promise<number> {
  let count = 0
  for await (const entry of blobs.list()) {
    if ('strange' in entry || named.has(entry.id)) continue
    await blobs.quarantine(entry.id)
    count += 1
  }
  return count
}

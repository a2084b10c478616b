import { createHash } from 'node:crypto'
import type { FileBody } from '../../core/contract/schemas.ts'
import { Failure } from '../failure.ts'
import type { DigestOf } from '../transfer/known-digests.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import type { Entry } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'

/** Digest of a value of JSON. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** Digest of the names and sizes of files. */
export function namesDigest(files: readonly LocalFile[]): string {
  return digestOf(files.map(({ key, size }) => [key, size]))
}

/**
 * Digest of the names and the bytes of files, in any order; undefined where those of one are not known.
 *
 * @param checksums as the server writes them
 */
export function bytesDigest(
  files: readonly Pick<LocalFile, 'key'>[],
  checksums: ReadonlyMap<string, string>,
): string | undefined {
  const pairs = files.map(({ key }) => [key, checksums.get(key)] as const)
  if (pairs.some(([, checksum]) => checksum === undefined)) return undefined
  return digestOf(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

export function checksumsOf(files: readonly FileBody[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ filename, checksum }) => [filename, checksum]))
}

/** Rows that were read for the changes of their files, and the journal with what it lacked. */
export interface Compared {
  readonly rows: readonly PreparedRow[]
  readonly entries: ReadonlyMap<string, Entry>
  /** Entries that were made by an earlier version, and lacked the digest of the bytes. */
  readonly completed: readonly Entry[]
}

/**
 * Reads the files of rows that were sent before, where names and sizes are the same: their bytes may be
 * others.
 *
 * @param client asked for the bytes that a journal of an earlier version does not know
 */
export async function compareBytes(
  rows: readonly PreparedRow[],
  entries: ReadonlyMap<string, Entry>,
  {
    client,
    digestOf: read,
  }: { readonly client: DepositClient | undefined; readonly digestOf: DigestOf },
): Promise<Compared> {
  const known = new Map(entries)
  const completed: Entry[] = []
  const compared: PreparedRow[] = []
  for (const prepared of rows) {
    const { row, plan } = prepared
    const entry = known.get(row.identity)
    const names = namesDigest(plan.files)
    const isAlike = entry?.files === names || entry?.former?.files === names
    if (entry?.id === undefined || !isAlike || plan.files.length === 0) {
      compared.push(prepared)
      continue
    }
    if (entry.bytes === undefined && entry.files === names && entry.done !== undefined) {
      const bytes = await askBytes(client, entry.id, plan.files)
      if (bytes !== undefined) {
        completed.push({ ...entry, bytes })
        known.set(row.identity, { ...entry, bytes })
      }
    }
    const checksums = new Map<string, string>()
    for (const file of plan.files) {
      const checksum = await read(file).catch(() => undefined)
      // What cannot be read counts by its size: uploading it would say why.
      if (checksum === undefined) break
      checksums.set(file.key, checksum)
    }
    const bytes = bytesDigest(plan.files, checksums)
    compared.push({ ...prepared, ...(bytes !== undefined && { bytes }) })
  }
  return { rows: compared, entries: known, completed }
}

/** Undefined where the deposit has other files, or is not there any more. */
async function askBytes(
  client: DepositClient | undefined,
  id: string,
  files: readonly LocalFile[],
): Promise<string | undefined> {
  const present = await client?.listFiles(id).catch((error: unknown) => {
    if (error instanceof Failure && (error.problem?.status ?? 0) < 500) return undefined
    throw error
  })
  if (present?.length !== files.length) return undefined
  return bytesDigest(files, checksumsOf(present))
}

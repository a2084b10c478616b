import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { Failure } from '../failure.ts'
import { compareMetadata, type MetadataChange } from '../metadata/change.ts'
import { copiesOfDeposit, withCopies } from '../metadata/identical-copies.ts'
import type { Input } from '../metadata/read-metadata.ts'
import { requireSafeNames } from './safe-target.ts'
import { prepare, type Prepared } from './prepare.ts'
import { parsePointer, valueAt } from '../../core/base/json.ts'
import { plain } from '../plain.ts'
import { count } from '../output/units.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { fileDigest } from '../client/file-digest.ts'
import type { DigestOf } from './known-digests.ts'

/** Changes that make a deposit match a folder. */
export interface Changes extends FileChanges {
  readonly metadata: readonly MetadataChange[]
}

/** A folder, a deposit and their differences. */
export interface Comparison {
  readonly client: DepositClient
  /** Its metadata have the copies of the deposit that pushes made. */
  readonly folder: Prepared
  readonly deposit: DepositBody
  readonly present: readonly FileBody[]
  readonly changes: Changes
}

interface CompareOptions extends Reading {
  readonly metadata?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: boolean
  /** False leaves out the digests of a bag or crate: nothing will be sent. */
  readonly digests?: boolean
}

/**
 * Compares a folder with a deposit; nothing is changed. Metadata are compared only if the folder
 * has a metadata file.
 *
 * @param find called once the folder has been read and checked
 */
export async function compareFolder(
  input: Input,
  dir: string,
  options: CompareOptions,
  find: () => Promise<Pick<Comparison, 'client' | 'deposit'>>,
): Promise<Comparison> {
  const folder = await prepare(input, dir, { ...options, isCompared: true })
  return comparePrepared(folder, await find(), options)
}

interface Reading {
  /** Reads every file by default. */
  readonly digestOf?: DigestOf
  /** Whether metadata are compared; where the folder has a file of them by default. */
  readonly hasMetadata?: boolean
}

/** As {@link compareFolder}, for a folder that has been read. */
export async function comparePrepared(
  folder: Prepared,
  { client, deposit }: Pick<Comparison, 'client' | 'deposit'>,
  { digestOf = fileDigest, hasMetadata = folder.source !== undefined }: Reading = {},
): Promise<Comparison> {
  const present = await client.listFiles(deposit.id)
  requireSafeNames(present, `compare the folder with ${deposit.id}`)
  const files = await compareFiles(folder.plan.files, present, folder.isIgnored, digestOf)
  const found = { client, deposit, present }
  if (!hasMetadata) return { ...found, folder, changes: { ...files, metadata: [] } }
  const { wanted, changes: metadata } = await compareDocument(folder, { client, deposit })
  return { ...found, folder: { ...folder, metadata: wanted }, changes: { ...files, metadata } }
}

/** @returns the metadata to send, with the copies that pushes made, and what they change */
export async function compareDocument(
  folder: Prepared,
  { client, deposit }: Pick<Comparison, 'client' | 'deposit'>,
): Promise<{ readonly wanted: Metadata; readonly changes: readonly MetadataChange[] }> {
  const wanted = await withOwnCopies(client, deposit, folder.metadata)
  return { wanted, changes: compareMetadata(deposit.metadata, wanted) }
}

/** The metadata of a folder, with the copies that pushes of its deposit made elsewhere. */
async function withOwnCopies(
  client: DepositClient,
  { metadata, links }: DepositBody,
  folder: Metadata,
): Promise<Metadata> {
  const path = links['previous_version']
  const before = async (): Promise<Metadata | undefined> =>
    path === undefined ? undefined : (await readIfPublic(client, path))?.metadata
  return withCopies(folder, await copiesOfDeposit(metadata, folder, before), metadata)
}

/** Undefined for a version that was withdrawn. */
async function readIfPublic(client: DepositClient, path: string): Promise<DepositBody | undefined> {
  return client.readRecord(path).catch((error: unknown) => {
    if (error instanceof Failure && error.problem?.status === 410) return undefined
    throw error
  })
}

/** Changes as JSON. */
export function toChangesBody({ added, replaced, renamed, deleted, metadata }: Changes) {
  return {
    added: added.map(({ key, size }) => ({ filename: key, filesize: size })),
    replaced: replaced.map(({ local }) => ({ filename: local.key, filesize: local.size })),
    renamed: renamed.map(({ local, stored }) => ({ filename: local.key, from: stored.filename })),
    deleted: deleted.map(({ filename, filesize }) => ({ filename, filesize })),
    metadata,
  }
}

/** A line for each change: kind and name, with a tab between. */
export function changeLines(changes: Changes): readonly string[] {
  const { added, replaced, renamed, deleted, metadata } = changes
  return [
    ...added.map(({ key }) => `added\t${plain(key)}`),
    ...replaced.map(({ local }) => `replaced\t${plain(local.key)}`),
    ...renamed.map(
      ({ local, stored }) => `renamed\t${plain(stored.filename)}\t${plain(local.key)}`,
    ),
    ...deleted.map(({ filename }) => `deleted\t${plain(filename)}`),
    ...metadata.map(({ op, path }) => `metadata\t${op}\t${plain(path || '/')}`),
  ]
}

/** Names of the files, and pointers into the metadata. */
export function changedNames(changes: Changes): readonly string[] {
  return [
    ...changes.added.map(({ key }) => key),
    ...[...changes.replaced, ...changes.renamed].map(({ local }) => local.key),
    ...changes.deleted.map(({ filename }) => filename),
    ...changes.metadata.map(({ path }) => path),
  ]
}

/** A summary: `2 added, 1 deleted`; undefined without changes. */
export function summarize(changes: Changes): string | undefined {
  const parts = [
    [changes.added.length, 'added'],
    [changes.replaced.length, 'replaced'],
    [changes.renamed.length, 'renamed'],
    [changes.deleted.length, 'deleted'],
  ].flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]))
  const fields = changes.metadata.length
  const named = `${count(fields, 'metadata change')} (${fieldsOf(changes.metadata)})`
  const all = fields === 0 ? parts : [...parts, named]
  return all.length === 0 ? undefined : all.join(', ')
}

/** Names of the fields of the document, three at most. */
function fieldsOf(changes: readonly MetadataChange[]): string {
  const names = [...new Set(changes.map(({ path }) => stepsOf(path)[0] ?? ''))].map(plain)
  const rest = names.length > 3 ? [`${names.length - 3} more`] : []
  return [...names.slice(0, 3), ...rest].join(', ')
}

/** Most values that {@link lostValues} tells. */
const mostTold = 5

/**
 * A line for each value of the deposit that the folder would replace or remove: it may be a
 * correction that was made at the server.
 */
export function lostValues({ metadata }: Changes, deposit: DepositBody): readonly string[] {
  const lines = metadata.flatMap((change) => {
    const steps = stepsOf(change.path)
    const before = valueAt(deposit.metadata, steps)
    if (change.op === 'add' || before === undefined) return []
    const becomes = change.op === 'remove' ? 'is removed' : `becomes ${shortly(change.value)}`
    return [`${plain(steps.join('/'))}: ${shortly(before)} ${becomes}`]
  })
  const rest = lines.length - mostTold
  return rest > 0 ? [...lines.slice(0, mostTold), `and ${count(rest, 'further value')}`] : lines
}

function stepsOf(path: string): readonly string[] {
  return parsePointer(path) ?? []
}

function shortly(value: unknown): string {
  const text = plain(JSON.stringify(value) ?? '')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** A local file and its file in the deposit. */
interface Pair {
  readonly local: LocalFile
  readonly stored: FileBody
}

/** Changes that make the files of a deposit match a folder. */
interface FileChanges {
  readonly added: readonly LocalFile[]
  /** Same name, other bytes. */
  readonly replaced: readonly Pair[]
  /** Other name, same bytes. */
  readonly renamed: readonly Pair[]
  /** In the deposit only. */
  readonly deleted: readonly FileBody[]
}

/**
 * Compares by name, size and digest; a file is read only if the sizes are equal.
 *
 * @param isKept true for names that the folder leaves out; the deposit may still have them
 */
async function compareFiles(
  locals: readonly LocalFile[],
  stored: readonly FileBody[],
  isKept: (key: string) => boolean,
  digestOf: DigestOf,
): Promise<FileChanges> {
  const byKey = new Map(stored.map((file) => [file.filename, file]))
  const keys = new Set(locals.map(({ key }) => key))
  const replaced: Pair[] = []
  for (const local of locals) {
    const twin = byKey.get(local.key)
    if (twin === undefined) continue
    const isSame = local.size === twin.filesize && (await digestOf(local)) === twin.checksum
    if (!isSame) replaced.push({ local, stored: twin })
  }
  const unknown = locals.filter(({ key }) => !byKey.has(key))
  const orphans = stored.filter(({ filename }) => !keys.has(filename) && !isKept(filename))
  return { replaced, ...(await findRenamed(unknown, orphans, digestOf)) }
}

/**
 * Pairs unknown local files with unmatched files of the deposit by digest, each once. Empty files
 * are not paired.
 */
async function findRenamed(
  unknown: readonly LocalFile[],
  orphans: readonly FileBody[],
  digestOf: DigestOf,
): Promise<Omit<FileChanges, 'replaced'>> {
  const sizes = new Set(orphans.map(({ filesize }) => filesize))
  const byDigest = Map.groupBy(orphans, ({ checksum }) => checksum)
  const renamed: Pair[] = []
  const added: LocalFile[] = []
  for (const local of unknown) {
    const isCandidate = local.size > 0 && sizes.has(local.size)
    const alike = isCandidate ? byDigest.get(await digestOf(local)) : undefined
    const stored = alike?.shift()
    if (stored === undefined) added.push(local)
    else renamed.push({ local, stored })
  }
  const kept = new Set(renamed.map(({ stored }) => stored))
  return { added, renamed, deleted: orphans.filter((file) => !kept.has(file)) }
}

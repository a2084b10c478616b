import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inParallel } from '../../core/base/in-parallel.ts'
import { relationTypes, termOf } from '../../core/contract/datacite.ts'
import { safeKey } from '../../core/contract/file-key.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { uploadFiles } from '../client/upload-files.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { isSameAddress } from '../metadata/identical-copies.ts'
import type { Progress } from '../output/progress.ts'
import { statusOf } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import { makeWorkFolder } from '../transfer/work-folder.ts'
import type { OpenRemote } from './open-remote.ts'
import { placeOf } from './place.ts'
import { differencesOf, stateOf } from './pulled-state.ts'
import { PushJournal, readPushed, type Pushed } from './push-journal.ts'
import type { Copy, RemoteFile } from './port/repository.ts'
import { RemoteFailure } from './port/remote-failure.ts'
import { listOf, textOf, type Foreign } from './port/values.ts'

/** What a pull will make. */
export interface PullPlan {
  readonly copy: Copy
  readonly metadata: Metadata
  /** Files that are there whole, with names that a deposit can have. */
  readonly files: readonly PulledFile[]
  /** Names of files whose upload did not end there. */
  readonly leftOut: readonly string[]
}

/** A file of others, and its name in a deposit. */
export interface PulledFile extends RemoteFile {
  readonly key: string
}

/**
 * Reads a record of a repository.
 *
 * @throws {Failure} it has names that a deposit cannot have: all of them
 */
export async function planPull(remote: OpenRemote, copy: Copy): Promise<PullPlan> {
  const named = copy.files.map((file) => ({ file, safe: safeKey(file.name) }))
  const whole = named.filter(({ file }) => file.isWhole)
  const files = whole.flatMap(({ file, safe }) =>
    'key' in safe ? [{ ...file, key: safe.key }] : [],
  )
  const twins = [...Map.groupBy(files, ({ key }) => key)].filter(([, { length }]) => length > 1)
  const faults = [
    ...named.flatMap(({ file: { name }, safe }) =>
      'reason' in safe ? [`${name}: ${safe.reason}`] : [],
    ),
    ...twins.map(([key]) => `several would be ${key}`),
  ]
  const tried = `pull ${copy.id}`
  if (faults.length > 0) {
    const next = advice.lookAtRemote(copy.url)
    throw new Failure({ tried, said: faults.join('; '), next })
  }
  const unsized = files.filter(({ size }) => Number.isNaN(size)).map(({ name }) => name)
  if (unsized.length > 0) {
    const said = `${remote.host} does not say how large these files are: ${unsized.join(', ')}`
    throw new Failure({ tried, said, next: advice.reportRemote() })
  }
  const document = await remote.repository.toDocument(copy)
  const related = withCopy(listOf(document['related_identifiers']).map(inOurTerms), copy)
  const { related_identifiers: _, ...others } = document
  const metadata = related.length > 0 ? { ...others, related_identifiers: related } : others
  const leftOut = named.filter(({ file }) => !file.isWhole).map(({ file: { name } }) => name)
  return { copy, metadata, files, leftOut }
}

/** Repositories spell the kinds of relations in different ways. */
function inOurTerms(related: Foreign): Foreign {
  const relation = termOf(relationTypes, textOf(related['relation']) ?? '')
  return relation === undefined ? related : { ...related, relation }
}

/** The DOI of a draft is not registered yet, and its page is for few. */
function withCopy(related: readonly Foreign[], { status, doi, url }: Copy): readonly Foreign[] {
  if (status === 'draft') return related
  const identifier = doi ?? url
  const isCopy = (each: Foreign): boolean =>
    each['relation'] === 'IsIdenticalTo' && isSameAddress(String(each['identifier']), identifier)
  if (related.some(isCopy)) return related
  const scheme = doi === undefined ? 'url' : 'doi'
  return [...related, { identifier, relation: 'IsIdenticalTo', scheme }]
}

/** A draft, and what the pull did for it. */
export interface Pulled {
  readonly draft: DepositBody
  readonly did: 'make' | 'complete' | 'nothing'
}

/**
 * What a pull would do.
 *
 * @returns the draft that is there already, if there is one
 * @throws {Failure} the record has changed since
 */
export async function rehearsePull(
  context: CliContext,
  client: DepositClient,
  remote: OpenRemote,
  plan: PullPlan,
): Promise<Pick<Pulled, 'did'> & { readonly id: string | undefined }> {
  const { place, source, state, tried } = whereTo(client, remote, plan)
  const last = (await readPushed(context, place, source)).at(-1)
  const found = await findOld(client, last, state, tried)
  if (!found) return { did: 'make', id: undefined }
  return { did: last?.at === undefined ? 'complete' : 'nothing', id: found.id }
}

/** Of the journal of a pull. */
function whereTo(client: DepositClient, remote: OpenRemote, { copy, metadata, files }: PullPlan) {
  const { origin } = client.connection.server
  const [place, name] = addressOf(remote, copy)
  const state = stateOf(placeOf(remote), metadata, files)
  return { place, source: { key: `pull ${origin} ${name}` }, state, tried: `pull ${copy.url}` }
}

/**
 * Makes a draft of a record of others. One that was interrupted goes on: a file whose bytes were
 * right, and that is in the draft, is not fetched again.
 */
export async function pull(
  context: CliContext,
  client: DepositClient,
  remote: OpenRemote,
  plan: PullPlan,
  progress: Progress,
): Promise<Pulled> {
  const { copy, metadata, files } = plan
  const { place, source, state, tried } = whereTo(client, remote, plan)
  await using journal = await PushJournal.open(context, place, source)
  const { draft, isOld } = await findDraft(client, journal, { metadata, state }, tried)
  // What was deleted in it since stays so.
  if (isOld && journal.versions.at(-1)?.at !== undefined) return { draft, did: 'nothing' }
  const present = new Map(
    (await client.listFiles(draft.id)).map((file) => [file.filename, file.filesize]),
  )
  await using folder = await makeWorkFolder('pulled')
  await inParallel(files, remote.repository.limits.parallel, () => async (file) => {
    const stamped = { name: file.name, size: file.size, stamp: `${draft.id} ${file.md5 ?? ''}` }
    const isThere = present.get(file.key) === file.size && journal.digestOf(stamped) !== undefined
    if (!isThere) {
      const path = join(folder.path, randomUUID())
      const md5 = await fetchFile(remote, { copy, file, path }, progress)
      const { id, links } = draft
      const to = {
        connection: client.connection,
        id,
        bucket: links['bucket'] ?? '',
        bundles: undefined,
        replace: true,
      }
      const local = { path, key: file.key, size: file.size }
      await uploadFiles(to, [local], { jobs: 1, progress: quiet })
      await journal.keepDigest(stamped, md5)
      await rm(path, { force: true })
    }
    progress.fileDone()
  })
  const last = journal.versions.at(-1)
  if (last) await journal.note({ ...last, at: new Date().toISOString() })
  return { draft: await client.read(draft.id), did: isOld ? 'complete' : 'make' }
}

/**
 * What a journal names a record by: its page, which several interfaces of a service share. Only that
 * of the service itself is believed.
 */
function addressOf(remote: OpenRemote, { id, status, url }: Copy): readonly [string, string] {
  const isOwn = status === 'published' && URL.parse(url)?.host === remote.host
  return isOwn ? ['pages', url] : [placeOf(remote), id]
}

const quiet: Progress = { advance: () => {}, fileDone: () => {}, [Symbol.dispose]: () => {} }

/**
 * The draft that an earlier pull made, or a new one.
 *
 * @throws {Failure} there is one, and the record has changed since
 */
async function findDraft(
  client: DepositClient,
  journal: PushJournal,
  { metadata, state }: { readonly metadata: Metadata; readonly state: string },
  tried: string,
): Promise<{ readonly draft: DepositBody; readonly isOld: boolean }> {
  const last = journal.versions.at(-1)
  const old = await findOld(client, last, state, tried)
  if (old) return { draft: old, isOld: true }
  // Stored before it is used: asked again with the same key, the draft is made once.
  const key = last && last.id === undefined ? last.marker : randomUUID()
  await journal.note({ marker: key, isBegun: true })
  const draft = await client.create(metadata, key)
  await journal.note({ marker: key, isBegun: true, id: draft.id, pulled: state })
  return { draft, isOld: false }
}

/**
 * The draft that an earlier pull made, if it is still one.
 *
 * @throws {Failure} the record has changed since
 */
async function findOld(
  client: DepositClient,
  last: Pushed | undefined,
  state: string,
  tried: string,
): Promise<DepositBody | undefined> {
  if (last?.id === undefined) return undefined
  const found = await client.read(last.id).catch((error: unknown) => {
    if (error instanceof Failure && error.exitCode === exitCodes.notFound) return undefined
    throw error
  })
  if (!found || statusOf(found) !== 'draft') return undefined
  const other = differencesOf(last.pulled, state)
  if (other.length === 0) return found
  const said = `there is a draft of it already, ${found.id}, of an earlier state of the record, which differs by now: ${other.join(', ')}`
  const next = advice.deletePulled(found.id)
  throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
}

interface Fetched {
  readonly copy: Copy
  readonly file: RemoteFile
  /** Where its bytes go. */
  readonly path: string
}

/** Attempts to fetch a file to its end. */
const mostAttempts = 5

/**
 * Fetches a file, from where an attempt broke off.
 *
 * @returns its MD5
 * @throws {Failure} the repository says other bytes than it sends
 */
async function fetchFile(
  { repository, remote }: OpenRemote,
  { copy, file, path }: Fetched,
  progress: Progress,
): Promise<string> {
  let hash = createHash('md5')
  let arrived = 0
  for (let attempt = 1; arrived < file.size || attempt === 1; attempt += 1) {
    const opened = file.size === 0 ? undefined : await repository.download(copy, file, arrived)
    const { bytes, from } = opened ?? { bytes: Readable.from([]), from: 0 }
    if (from !== arrived) {
      if (from > 0) {
        bytes.destroy()
        throw wrong(`bytes from ${from} on came, and not from ${arrived} on`)
      }
      progress.advance(-arrived)
      hash = createHash('md5')
      arrived = 0
    }
    bytes.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      arrived += chunk.length
      progress.advance(chunk.length)
      // The rest would fill the disk.
      if (arrived > file.size) bytes.destroy(new Error('more bytes come than it says'))
    })
    try {
      await pipeline(bytes, createWriteStream(path, { flags: arrived === 0 ? 'w' : 'a' }))
    } catch (error) {
      if (arrived > file.size) break
      const isBroken = error instanceof RemoteFailure
      if (!isBroken || attempt >= mostAttempts || arrived === file.size) throw error
    }
    if (attempt >= mostAttempts) break
  }
  const md5 = hash.digest('hex')
  const isWrong = file.md5 !== undefined && file.md5 !== md5
  if (arrived === file.size && !isWrong) return md5
  const said =
    arrived > file.size
      ? `more bytes come than the ${file.size} that it says`
      : isWrong
        ? `its MD5 there is ${file.md5}, and that of the bytes that came is ${md5}`
        : `${arrived} bytes came, of ${file.size}`
  throw wrong(said)

  function wrong(reason: string): Failure {
    const tried = `pull ${file.name} from ${remote.name}`
    const lines = { tried, said: reason, next: advice.pushAgain() }
    return new Failure(lines, { exitCode: exitCodes.refused })
  }
}

import { resolve } from 'node:path'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { Failure } from '../failure.ts'
import type { CliContext } from '../session/context.ts'
import type { Journaled } from './journaled.ts'
import { markFolder } from './moved-folder.ts'
import { placeOf } from './place.ts'
import { dated, digestOfFiles, digestOfSource, readPushed, type Pushed } from './push-journal.ts'
import type { StoredRemote } from './remotes.ts'
import {
  fromDeposit,
  fromFolder,
  keyOf,
  keyOfFolder,
  keyOfJournal,
  markerOf,
  type Source,
} from './source.ts'

/** Where a deposit went. */
export interface Standing {
  /** The remote, as the user named it. */
  readonly name: string
  readonly status: 'draft' | 'published'
  readonly url: string
  readonly doi: string | null
  /** What was begun there after a version that is published, and is not published itself. */
  readonly begun: 'correction' | 'new version' | null
  /** DOI or address of the published version before a draft of a new one. */
  readonly after: string | null
  /** False where metadata or files have changed here since, or another version was pushed. */
  readonly level: boolean
  /** When it was compared with the repository last, by a push. ISO 8601, UTC. */
  readonly pushed: string | null
  /** As the repository says now, where it was asked. */
  readonly there?: There
}

/** A copy as its repository has it now. */
interface There {
  readonly state: 'same' | 'changed' | 'edited' | 'missing' | 'withdrawn' | 'unknown'
  /** Why it is unknown; of a record that was withdrawn, when and why. */
  readonly message: string | null
}

export interface Options {
  /** Asks each repository. */
  readonly remotes?: true
}

/** Of a folder. */
export type FolderOptions = Parameters<typeof fromFolder>[2] &
  Options & { readonly journal?: string }

/** The remotes there are: not none. */
interface Reach {
  readonly context: CliContext
  readonly remotes: readonly StoredRemote[]
}

/** Seconds without an answer, of a repository that is only looked at. */
const patience = 10

/** Where a deposit went, or another version of it. */
export function findOfDeposit(
  reach: Reach,
  client: DepositClient,
  deposit: DepositBody,
  options: Options,
): Promise<readonly Standing[]> {
  const pushed = { key: keyOf(client, deposit), marker: markerOf(deposit.id) }
  return standingsOf(reach, pushed, options, () => fromDeposit(client, deposit, deposit.id))
}

/** Where a folder went that knows no deposit. */
export async function findOfFolder(
  reach: Reach,
  dir: string,
  options: FolderOptions,
): Promise<readonly Standing[]> {
  const { context } = reach
  const { journal } = options
  if (journal !== undefined) {
    const kept = { key: keyOfJournal, journals: resolve(context.folder, journal) }
    const load = (): Promise<Source> => fromFolder(context, dir, options)
    return standingsOf(reach, { ...kept, marker: undefined }, options, load)
  }
  const folder = { ...(await markFolder(resolve(context.folder, dir), '')), files: [] }
  const pushed = { key: keyOfFolder(context, dir), folder, marker: undefined }
  return standingsOf(reach, pushed, options, () => fromFolder(context, dir, options))
}

/** @param load called if it was pushed at all */
async function standingsOf(
  { context, remotes }: Reach,
  { marker: own, ...journaled }: Journaled & Pick<Source, 'marker'>,
  options: Options,
  load: () => Promise<Source>,
): Promise<readonly Standing[]> {
  // Several names may stand for one place, which has one journal.
  const places = Map.groupBy(remotes, (remote) => placeOf({ remote }))
  const pushed = await Promise.all(
    [...places].map(async ([place, named]) => {
      const versions = await readPushed(context, place, journaled)
      // Each name has a token of its own.
      const last = versions.findLast(({ remote }) => remote !== undefined)?.remote
      const remote = named.find(({ name }) => name === last) ?? named[0]
      return { remote, versions }
    }),
  )
  const found = pushed.filter(({ versions }) => versions.some(({ url }) => url !== undefined))
  if (found.length === 0) return []
  const { about, files } = await load()
  const standings = found.map(async ({ remote, versions }) => {
    const last = versions.findLast(({ url }) => url !== undefined)
    const named = versions.find(({ marker }) => marker === own) ?? versions.at(-1)
    // Of a version whose draft was begun, the answer may have been lost.
    const current = named?.url === undefined ? last : named
    if (remote === undefined || current?.url === undefined) return []
    const { published, url, doi = null, marker, at = null } = current
    const begun = begunOf(named)
    const isSame = current.source === digestOfSource(dated(about, current), files, versions)
    const isCurrent = (own === undefined || marker === own) && named === current
    const level = isSame && isCurrent && !(published && begun)
    const status = published ? 'published' : 'draft'
    const before = versions.findLast((each) => each.published === true && each !== current)
    const after =
      begun === 'new version' && !published ? (before?.doi ?? before?.url ?? null) : null
    const standing = {
      name: remote.name,
      status,
      url,
      doi,
      begun,
      after,
      level,
      pushed: at,
    } as const
    return [options.remotes ? await look(context, remote, current, standing) : standing]
  })
  return (await Promise.all(standings)).flat()
}

function begunOf(pushed: Pushed | undefined): Standing['begun'] {
  if (pushed?.isCorrecting) return 'correction'
  return pushed?.base !== undefined && !pushed.published ? 'new version' : null
}

/** Asks the repository. The metadata there are not compared: a repository may write them otherwise. */
async function look(
  context: CliContext,
  remote: StoredRemote,
  { id, marker, there: files, published, isCorrecting }: Pushed,
  standing: Standing,
): Promise<Standing> {
  try {
    const { openStored } = await import('./open-remote.ts')
    const options = { quiet: true, timeout: patience, retries: 0 } as const
    await using open = await openStored(context, remote, options)
    const copy = id === undefined ? undefined : await open.repository.read(id)
    const isRecord = (copy?.status ?? standing.status) === 'published'
    const withdrawal =
      id !== undefined && isRecord ? await open.repository.findWithdrawal?.(id) : undefined
    if (withdrawal) {
      const { describeWithdrawal } = await import('./push-refusals.ts')
      const message = describeWithdrawal(withdrawal).trim()
      return { ...standing, there: { state: 'withdrawn', message } }
    }
    if (copy === undefined) return { ...standing, there: { state: 'missing', message: null } }
    // Where all versions are one deposit, somebody else has opened it.
    if (published && !isCorrecting && copy.status === 'draft')
      return { ...standing, there: { state: 'edited', message: null } }
    const isSame = copy.marker === marker && digestOfFiles(copy.files) === files
    const { status, doi = null } = copy
    const there = { state: isSame ? 'same' : 'changed', message: null } as const
    return { ...standing, status, doi: doi ?? standing.doi, there }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...standing, there: { state: 'unknown', message: error.said } }
  }
}

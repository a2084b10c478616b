import type { Command } from 'commander'
import { resolve } from 'node:path'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { progressForm } from '../options.ts'
import { narrate, notAsked, printDeposit, printPlan } from '../output/print.ts'
import { count, formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { OpenRemote } from '../remote/open-remote.ts'
import type { Copy } from '../remote/port/repository.ts'
import type { PullPlan } from '../remote/pull.ts'
import type { StoredRemote } from '../remote/remotes.ts'
import type { CliContext } from '../session/context.ts'
import { newChange, type CommonOptions } from './command.ts'

interface PullOptions extends CommonOptions {
  readonly record?: string
}

/** `deposit pull NAME:ID`: a draft of a record of others. */
export function pullCommand(context: CliContext): Command {
  return newChange('pull', {
    'deposit pull zenodo:1234': 'a draft of the record 1234 of the remote zenodo',
    'deposit pull 10.5281/zenodo.1234 --dry-run': 'shows what it would have',
    'deposit pull https://zenodo.org/records/1234': 'by its address',
  })
    .description(
      'Make a draft of a record that a repository of others has, with its metadata and files. Each ' +
        'file is verified by its MD5. The draft says that it is identical to that record; restricted ' +
        'and embargoed files stay so. Interrupted? Run the command again: it goes on with the same draft. A record ' +
        'that has changed there since it was pulled is refused while there is a draft of it.',
    )
    .argument('<record>', 'NAME:ID with the name of a remote, a DOI, or an address')
    .option('--record <file>', 'write the traffic there, without tokens and bytes, for a report')
    .option(...progressForm)
    .action((given: string, options: PullOptions) => pullRecord(context, given, options))
}

async function pullRecord(context: CliContext, given: string, options: PullOptions): Promise<void> {
  const { streams } = context
  const { planPull, pull } = await import('../remote/pull.ts')
  const { remote, copy } = await findRecord(context, given, options)
  await using open = remote
  const plan = await planPull(open, copy)
  const bytes = plan.files.reduce((sum, { size }) => sum + size, 0)
  const size = `${count(plan.files.length, 'file')} (${formatBytes(bytes)})`
  for (const name of plan.leftOut)
    narrate(streams, options, `warning: ${plain(name)}: Left out: its upload there did not end.`)
  const newest = copy.status === 'draft' ? undefined : await newestOf(open, copy)
  if (newest !== undefined)
    narrate(
      streams,
      options,
      `Note: ${plain(copy.url)} is not the newest version: ${plain(newest)} is`,
    )
  if (copy.status === 'draft')
    narrate(streams, options, `Note: ${plain(copy.url)} is a draft there, and has no DOI yet`)
  if (options.dryRun) {
    await rehearse(context, open, plan, { size, ...options })
    return
  }
  const client = await context.client(options)
  const { startProgress } = await import('../output/progress.ts')
  const transfer = { verb: 'Fetching', files: plan.files.length, bytes }
  const { draft, did } = await (async () => {
    using progress = await startProgress(streams, transfer, options.quiet === true)
    return await pull(context, client, open, plan, progress)
  })()
  const words = {
    make: `Made a draft of ${copy.url}, with ${size}`,
    complete: `Completed the draft of ${copy.url}, with ${size}`,
    nothing: `There is a draft of ${copy.url} already, which is as it was: changes that were made in the draft stay`,
  }[did]
  narrate(streams, options, words)
  printDeposit(streams, options, draft)
}

async function rehearse(
  context: CliContext,
  remote: OpenRemote,
  plan: PullPlan,
  { size, ...options }: PullOptions & { readonly size: string },
): Promise<void> {
  const { streams } = context
  const { rehearsePull } = await import('../remote/pull.ts')
  const client = await context.runningClient(options)
  if (!client) narrate(streams, options, notAsked)
  const { did, id } = client ? await rehearsePull(context, client, remote, plan) : madeAnew
  const { url } = plan.copy
  const words = {
    make: `Would make a draft of ${url}, with ${size}`,
    complete: `Would complete the draft of ${url}, ${id}, with ${size}`,
    nothing: `There is a draft of ${url} already, ${id}, which would stay as it is`,
  }[did]
  narrate(streams, options, words)
  const files =
    did === 'nothing' ? [] : plan.files.map(({ key, size: each }) => ({ key, size: each }))
  const would = ({ make: 'create', complete: 'finish', nothing: 'keep' } as const)[did]
  printPlan(streams, options, plan.metadata, files, would)
}

const madeAnew = { did: 'make', id: undefined } as const

/** The published version that is newer; a repository that does not say holds no pull up. */
async function newestOf({ repository }: OpenRemote, copy: Copy): Promise<string | undefined> {
  const newest = await repository.newestVersion(copy).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    return undefined
  })
  return newest === (copy.version ?? copy.id) ? undefined : newest
}

interface Found {
  readonly remote: OpenRemote
  readonly copy: Copy
}

/** @throws {Failure} no remote has it */
async function findRecord(
  context: CliContext,
  given: string,
  options: PullOptions,
): Promise<Found> {
  const [{ findRemote, kindOf, readRemotes }, { openStored }] = await Promise.all([
    import('../remote/remotes.ts'),
    import('../remote/open-remote.ts'),
  ])
  const all = await readRemotes(context)
  const tried = `pull ${given}`
  if (all.length === 0)
    throw new UsageFailure({ tried, said: 'there are no remotes yet', next: advice.addRemote() })
  const [, name, rest = ''] = namedRecord.exec(given) ?? []
  const isNamed = all.some((remote) => remote.name === name)
  if (name !== undefined && !isNamed && name !== 'doi' && doiIn(rest) === undefined)
    await findRemote(context, name)
  // Its pages may have another host than its interface.
  const isOf = ({ url, kind }: StoredRemote, host: string): boolean => {
    const { host: own } = new URL(url)
    const { hosts } = kindOf(kind)
    const bare = (text: string): string => text.replace(/^www\./, '')
    return bare(own) === bare(host) || (hosts?.test(own) === true && hosts.test(host))
  }
  const { id, candidates } = candidatesFor(given, all, isOf)
  if (candidates.length === 0) {
    const said = `no remote has the address ${URL.parse(given)?.host ?? given}`
    throw new UsageFailure({ tried, said, next: advice.addRemoteOf() })
  }
  const record =
    options.record === undefined ? {} : { record: resolve(context.folder, options.record) }
  const unasked = new Map<string, Failure>()
  for (const stored of candidates) {
    const keep = (error: unknown): undefined => {
      if (!(error instanceof Failure)) throw error
      unasked.set(stored.name, error)
    }
    const remote = await openStored(context, stored, { ...options, ...record }).catch(keep)
    const copy = await remote?.repository.resolve(id).catch(keep)
    const withdrawn = remote && (await refusalOfWithdrawn(remote, copy, id).catch(keep))
    if (withdrawn) {
      await remote?.[Symbol.asyncDispose]()
      throw withdrawn
    }
    // Numbers are the same at many services: a DOI tells whose record it is.
    if (remote && copy && isRecord(copy) && hasDoi(copy, doiIn(id))) return { remote, copy }
    await remote?.[Symbol.asyncDispose]()
  }
  throw notFound(
    tried,
    candidates.map((each) => each.name),
    unasked,
  )
}

/** @param unasked remotes that did not say whether they have it */
function notFound(
  tried: string,
  all: readonly string[],
  unasked: ReadonlyMap<string, Failure>,
): Failure {
  const [first] = unasked
  const asked = all.filter((name) => !unasked.has(name))
  if (first && asked.length === 0) return first[1]
  const none = `${asked.join(', ')} ${asked.length === 1 ? 'has' : 'have'} no such record`
  const others = [...unasked].map(([name, { said }]) => `${name} could not be asked: ${said}`)
  const next = first ? advice.findAt(...first) : advice.nameRemoteRecord()
  // One that does not answer may have it.
  const isCertain = [...unasked.values()].every((each) => each.exitCode !== exitCodes.unreachable)
  const exitCode = isCertain ? exitCodes.notFound : exitCodes.unreachable
  return new Failure({ tried, said: [none, ...others].join('; '), next }, { exitCode })
}

/** A draft of a record that was withdrawn there would bring it back without a word. */
async function refusalOfWithdrawn(
  { repository }: OpenRemote,
  copy: Copy | undefined,
  id: string,
): Promise<Failure | undefined> {
  // Numbers are the same at many services.
  const isOther = copy === undefined ? doiIn(id) !== undefined : !hasDoi(copy, doiIn(id))
  if (isOther || copy?.status === 'draft') return undefined
  const withdrawal = await repository.findWithdrawal?.(copy?.id ?? id)
  if (withdrawal === undefined) return undefined
  const { isWithdrawn } = await import('../remote/push-refusals.ts')
  const { doi, url = id } = copy ?? {}
  return isWithdrawn(withdrawal, { doi, url }, { tried: `pull ${id}` })
}

/** False of other JSON, of which nothing could be told. */
function isRecord({ id, metadata }: Copy): boolean {
  return id !== '' && Object.keys(metadata).length > 0
}

/** `NAME:ID` */
const namedRecord = /^([A-Za-z][\w-]*):(?!\/\/)(.+)$/

/** The remotes that may have a record: the one that is named, those at its address, or all. */
function candidatesFor(
  given: string,
  all: readonly StoredRemote[],
  isOf: (remote: StoredRemote, host: string) => boolean,
): { readonly id: string; readonly candidates: readonly StoredRemote[] } {
  const [, name, rest = ''] = namedRecord.exec(given) ?? []
  const named = all.filter((remote) => remote.name === name)
  if (named.length > 0) return { id: rest, candidates: named }
  const host = URL.parse(given)?.host
  const there = all.filter((remote) => host !== undefined && isOf(remote, host))
  if (there.length > 0) return { id: given, candidates: there }
  const isElsewhere = host !== undefined && host !== '' && !/^(?:dx\.|www\.)?doi\.org$/.test(host)
  return { id: given, candidates: isElsewhere && doiIn(given) === undefined ? [] : all }
}

function doiIn(text: string): string | undefined {
  return /10\.\d[\d.]*\/[^\s?#&]+/.exec(text.replaceAll(/%2f/gi, '/'))?.[0].toLowerCase()
}

/** Of a version too, where the DOI is that of all versions, or of one of an article of figshare. */
function hasDoi({ doi, conceptDoi }: Copy, asked: string | undefined): boolean {
  if (asked === undefined) return true
  const bare = (text: string): string => text.toLowerCase().replace(/\.v\d+$/, '')
  return [doi, conceptDoi].some((own) => own !== undefined && bare(own) === bare(asked))
}

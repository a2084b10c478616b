import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { recordUrl, sayPublished, statusOf } from '../output/deposit-facts.ts'
import { parseSeconds } from '../options.ts'
import { narrate, print } from '../output/print.ts'
import { spinWhile } from '../output/progress.ts'
import { idempotencyKey, knownDeposits, newChange, strict, type ActionOptions } from './command.ts'
import { forEachId } from '../session/each-id.ts'

interface PublishOptions extends ActionOptions {
  readonly yes?: true
  readonly strict?: true
  /** Seconds; true for the default. */
  readonly waitDoi?: number | true
}

/** `deposit publish <id>`: prints the URL of the record. */
export function publishCommand(context: CliContext): Command {
  return newChange('publish', {
    'deposit publish 4f2a91': "publishes it and prints the record's URL",
    'deposit publish': 'publishes the deposit that the current folder knows',
    'deposit publish 4f2a91 --json links.record_html': "the record's URL as JSON",
    'deposit publish 4f2a91 --wait-doi': 'prints the address of its DOI, once it is registered',
    'deposit publish 4f2a91 81c07d': 'publishes both, one after the other',
  })
    .description(
      'Publish a draft as a record: its metadata and a snapshot of its files. After an ' +
        'edit, the changes are merged with changes that others have made to the record since. ' +
        'If both changed the same field, nothing is published, and all three values are ' +
        'shown: `deposit merge` settles them.\n\n' +
        'A terminal shows the draft and asks first; elsewhere nothing is asked. A draft ' +
        'without any field of its schema is published only with --yes, and so is one that lacks changes ' +
        'made in its folder.',
    )
    .argument(...knownDeposits)
    .option('--yes', 'ask nothing; publish even without metadata or without changes of the folder')
    .option(...strict)
    .option(...waitDoi, parseWait)
    .option(...idempotencyKey)
    .action((ids: string[], options: PublishOptions) => publishAll(context, ids, options))
}

/** Also of `deposit release`. */
export const waitDoi = [
  '--wait-doi [seconds]',
  'wait until the DOI is registered, 60 s by default, and print its address',
] as const

export function parseWait(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : parseSeconds('--wait-doi', text)
}

async function publishAll(
  context: CliContext,
  given: readonly string[],
  options: PublishOptions,
): Promise<void> {
  const ids = given.length === 0 ? ['.'] : given
  if (options.idempotencyKey !== undefined) requireOne(ids)
  const client = await context.client(options)
  const [{ findNamed }, { asksFirst, summaryOf }] = await Promise.all([
    import('../folder/folder-deposit.ts'),
    import('../session/confirm.ts'),
  ])
  const asks = asksFirst(context, options)
  const published = await forEachId(context, ids, async (named) => {
    const { id, dir, deposit: found } = await findNamed(context, client, named, options)
    if (dir !== undefined && found !== undefined) {
      await requireSynced(context, client, { dir, deposit: found }, options)
      // The folder may be a copy of another: a person sees which deposit it is.
      if (!asks) narrate(context.streams, options, summaryOf(found))
    }
    const deposit = await publish(context, client, id, { ...options, asks })
    const lines = (): readonly string[] => [
      (options.waitDoi === undefined ? undefined : deposit.links['doi']) ??
        recordUrl(deposit) ??
        deposit.id,
    ]
    if (options.json === undefined)
      print(context.streams, options, { body: deposit, ids: [deposit.id], lines })
    return deposit
  })
  if (options.json !== undefined)
    print(context.streams, options, {
      body: await published.body((deposit) => deposit),
      ids: [],
      lines: () => [],
    })
}

/** @throws {Failure} the draft lacks changes of its folder, and `--yes` was not given */
async function requireSynced(
  context: CliContext,
  client: DepositClient,
  { dir, deposit }: { readonly dir: string; readonly deposit: DepositBody },
  options: PublishOptions,
): Promise<void> {
  if (statusOf(deposit) !== 'draft') return
  const { compareFolder, summarize } = await import('../transfer/compare-folder.ts')
  const { changes } = await compareFolder(context, dir, { digests: false }, async () => ({
    client,
    deposit,
  }))
  const summary = summarize(changes)
  if (summary === undefined) return
  const said = `the draft does not have the changes of the folder: ${summary}`
  if (options.yes) {
    narrate(context.streams, options, `Note: ${said}`)
    return
  }
  const { metadata: _, ...ofFiles } = changes
  const isFrozen =
    recordUrl(deposit) !== undefined && Object.values(ofFiles).some(({ length }) => length > 0)
  const next = isFrozen
    ? advice.nextVersion(dir)
    : advice.syncAndPublish(dir, changes.deleted.length > 0, deposit.id)
  throw new Failure({ tried: `publish ${deposit.id}`, said, next }, { exitCode: exitCodes.refused })
}

/** @throws {UsageFailure} a key stands for one request */
function requireOne(ids: readonly string[]): void {
  if (ids.length === 1) return
  throw new UsageFailure({
    tried: `publish ${ids.join(' ')}`,
    said: '--idempotency-key is for a single deposit',
    next: advice.publishEach(),
  })
}

async function publish(
  context: CliContext,
  client: DepositClient,
  id: string,
  options: PublishOptions & { readonly asks: boolean },
): Promise<DepositBody> {
  const { streams } = context
  const done = await publishedToWait(client, id, options)
  if (done) return waitWhereAsked({ streams, client }, done, options)
  if (options.asks) await askToPublish(context, client, id, options)
  else await tellWarnings(context, client, id, options)
  if (options.dryRun || (options.strict && !options.asks))
    await requirePublishable(client, id, options)
  const waiting = { quiet: options.quiet === true, text: 'Publishing' }
  const deposit = await spinWhile(streams, waiting, () =>
    client.runAction(id, 'publish', options.idempotencyKey),
  )
  narrate(streams, options, sayPublished(deposit))
  return options.dryRun ? deposit : waitWhereAsked({ streams, client }, deposit, options)
}

/** A deposit that is published already, where the question is for its DOI alone. */
async function publishedToWait(
  client: DepositClient,
  id: string,
  { waitDoi: seconds, dryRun, idempotencyKey: key }: PublishOptions,
): Promise<DepositBody | undefined> {
  if (seconds === undefined || dryRun || key !== undefined) return undefined
  const deposit = await client.read(id, `publish ${id}`)
  return statusOf(deposit) === 'published' && !deposit.withdrawn ? deposit : undefined
}

/** The deposit once its DOI is registered, if `--wait-doi` was given. */
export async function waitWhereAsked(
  { streams, client }: Pick<CliContext, 'streams'> & { readonly client: DepositClient },
  deposit: DepositBody,
  { waitDoi: seconds, quiet }: Pick<PublishOptions, 'waitDoi' | 'quiet'>,
): Promise<DepositBody> {
  if (seconds === undefined) return deposit
  const { defaultWait, waitForDoi } = await import('../transfer/wait-for-doi.ts')
  const registering = { quiet: quiet === true, text: 'Waiting for the DOI' }
  return spinWhile(streams, registering, () =>
    waitForDoi(client, deposit, seconds === true ? defaultWait : seconds),
  )
}

/**
 * Shows the draft and its warnings. A draft that the server would refuse is left to publishing.
 *
 * @throws {Failure} the answer was not yes, or there are warnings and `--strict` was given
 */
async function askToPublish(
  context: CliContext,
  client: DepositClient,
  id: string,
  options: PublishOptions,
): Promise<void> {
  const tried = `publish ${id}`
  const deposit = await client.read(id, tried)
  const rehearsal = await client.rehearse(id)
  const { errors, warnings, needs_review: needsReview } = rehearsal
  if (errors.length > 0 || needsReview || statusOf(deposit) !== 'draft') return
  const [{ confirm, summaryOf }, { toWarnings }, { lackOf, refuseStray, refuseWarnings }] =
    await Promise.all([
      import('../session/confirm.ts'),
      import('../output/finding.ts'),
      import('../check/preflight.ts'),
    ])
  refuseStray(tried, deposit)
  if (options.strict) refuseWarnings(tried, warnings)
  const lack = lackOf(deposit.metadata)
  const isTold = lack && warnings.some(({ message }) => message === `${lack.why}.`)
  const bare = lack === undefined || isTold ? [] : [`${lack.why.replace(/^it/, 'It')}.`]
  const before = await withdrawnBefore(deposit, rehearsal)
  const summary = [summaryOf(deposit), ...bare, ...before, ...toWarnings(warnings)]
  const question = 'Publish it for good? Its record is public and its files cannot change.'
  await confirm(context, { tried, summary, question, undone: 'published' })
}

/**
 * Tells the warnings of a draft. Every fault is left to publishing, which reports it.
 *
 * @throws {UsageFailure} it is a draft without metadata, and `--yes` was not given
 */
async function tellWarnings(
  { streams }: CliContext,
  client: DepositClient,
  id: string,
  options: PublishOptions,
): Promise<void> {
  const tried = `publish ${id}`
  const deposit = await client.read(id, tried)
  if (statusOf(deposit) !== 'draft') return
  const rehearsal = await client.rehearse(id)
  const { errors, warnings, needs_review: needsReview } = rehearsal
  // The server refuses it, and says what to do.
  if (needsReview) return
  const [{ refuseStray, requireMetadata }, { toWarnings }] = await Promise.all([
    import('../check/preflight.ts'),
    import('../output/finding.ts'),
  ])
  const { yes } = options
  if (errors.length === 0) refuseStray(tried, deposit)
  if (errors.length === 0) await requireAccessSaid(client, deposit)
  if (errors.length === 0)
    requireMetadata(deposit.metadata, {
      yes,
      tried,
      next: advice.giveTitle(deposit.id),
      correct: advice.correctDocument(deposit.id),
    })
  for (const note of await withdrawnBefore(deposit, rehearsal)) narrate(streams, options, note)
  // With --strict they are the reason of the refusal.
  if (options.strict && errors.length === 0) return
  for (const warning of toWarnings(warnings)) narrate(streams, options, warning)
}

/** @throws {Failure} it would make closed files public, which its metadata do not say */
async function requireAccessSaid(client: DepositClient, deposit: DepositBody): Promise<void> {
  const { findOpening, refuseOpening } = await import('../check/opening.ts')
  const opening = await findOpening(client, deposit, deposit.metadata)
  if (opening === undefined) return
  const { id } = deposit
  throw refuseOpening(`publish ${id}`, opening, (access) => advice.setAccess(id, access))
}

/** A note where the version before was withdrawn: the draft may have what that had. */
async function withdrawnBefore(
  draft: DepositBody,
  { withdrawn_version: withdrawn }: RehearsalBody,
): Promise<readonly string[]> {
  if (withdrawn === undefined || recordUrl(draft) !== undefined) return []
  const { sayWithdrawn } = await import('../folder/withdrawn-version.ts')
  return [`Note: ${sayWithdrawn(withdrawn)}; this is the next version of it`]
}

/** Refuses with every reason that publishing would be refused for. */
async function requirePublishable(
  client: DepositClient,
  id: string,
  options: PublishOptions,
): Promise<void> {
  const [{ requireFaultless, requireReviewed }, { refuseWarnings }] = await Promise.all([
    import('../client/rehearsal.ts'),
    import('../check/preflight.ts'),
  ])
  const tried = `publish ${id}`
  const { errors, warnings, needs_review: needsReview } = await client.rehearse(id)
  await client.permissions.requireMayPublish(id)
  if (needsReview) requireReviewed(tried, await client.read(id, tried))
  if (options.strict && errors.length === 0) refuseWarnings(tried, warnings)
  requireFaultless(tried, id, errors)
}

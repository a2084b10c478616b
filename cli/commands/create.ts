import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { WithdrawalBody } from '../../core/contract/withdrawal.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { advice } from '../advice.ts'
import type { CliContext } from '../session/context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { ownMetadata, recordUrl, statusOf } from '../output/deposit-facts.ts'
import { pathWord, shellWord } from '../plain.ts'
import { narrate, notAsked, print, printPlan } from '../output/print.ts'
import { count } from '../output/units.ts'
import type { Memory } from '../folder/memory.ts'
import type { UploadPlan } from '../transfer/plan-upload.ts'
import type { Prepared } from '../transfer/prepare.ts'
import {
  asIs,
  exclude,
  followLinks,
  idempotencyKey,
  newChange,
  strict,
  withoutMetadata,
  type CommonOptions,
} from './command.ts'
import { jobs, progressForm } from '../options.ts'

interface CreateOptions extends CommonOptions {
  readonly metadata?: string
  readonly title?: string
  readonly publish?: true
  readonly yes?: true
  readonly strict?: true
  readonly new?: true
  readonly asIs?: true
  readonly remember: boolean
  readonly idempotencyKey?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly jobs?: number
}

/** `deposit create [dir]`: a draft with everything in a folder, published on request. */
export function createCommand(context: CliContext): Command {
  return newChange('create', {
    'deposit create results/ --publish': "publishes the folder and prints the record's URL",
    'deposit create results/': 'makes a draft of it and prints its id',
    'deposit create --title "Tides of 2024"': 'makes an empty draft',
    'deposit create --metadata - < metadata.json': 'reads the metadata from a pipe',
    'deposit create bag.zip': 'makes a draft of a bag or crate in an archive',
  })
    .description(
      'Create a draft: from a folder, with the metadata in its metadata.yaml (or .yml, .json) ' +
        'and every other file under its path; or an empty one. If the folder has two such ' +
        'metadata files, choose one with --metadata. Without one, the metadata come from the ' +
        'first of .zenodo.json, ro-crate-metadata.json, CITATION.cff, codemeta.json and ' +
        'datapackage.json, with a note about fields that were left out. A crate or a Data Package that ' +
        '`deposit export` saved comes first, and brings all metadata of its record, unless it was ' +
        'changed since. The fields are in deposit-metadata(5).\n\n' +
        'Metadata, names and files are checked before anything is sent. Hidden files and those ' +
        'in .depositignore are left out. Links are refused without --follow-links, except for a ' +
        'metadata file named with --metadata.\n\n' +
        'Published files are public, unless the field access restricts them. --publish refuses ' +
        'other words for "embargoed" or "restricted" that access does not carry out; also those of ' +
        'another metadata file in the folder, such as datacite.xml, unless yours have the field ' +
        'access. It also refuses metadata in which a recommended field is missing because its name ' +
        'is misspelt: to publish them anyway, create the draft and run `deposit publish`. Without ' +
        'any field of the schema, as where all of them are in a field `metadata`, --publish needs --yes. Without ' +
        'any metadata, it refuses a folder with a file such as ' +
        'Metadata.yaml, whose name is nearly that of the metadata.\n\n' +
        'A bag (BagIt), a crate (RO-Crate), a Data Package (Frictionless) or a ZIP archive of ' +
        'one is verified first, as with `deposit verify`, and refused with a list of its ' +
        'faults. Of a bag, only the payload is taken, without data/ and with hidden files; if ' +
        'it has no other metadata, those of metadata/datacite.xml or bag-info.txt are used. ' +
        'With --as-is, all of them are files like any others, an archive is one file, and ' +
        'the folder does not remember its deposit.\n\n' +
        'The folder then knows its deposit, by a file .deposit.json that is never uploaded and ' +
        'holds no secret: the same command continues with that deposit, and status, sync, diff, ' +
        'publish, open and newversion need no id there. When the service has moved to another address, ' +
        'write that in place of the old one in the file, as its `server`. If it cannot be written to, the id ' +
        'is kept with the sign-ins, as it is for an archive, until that changes. With --idempotency-key, the ' +
        'deposit of the key is used instead of the one that the folder knows. Without a folder, the command makes ' +
        'another deposit, also in a folder that knows one, and says so.',
    )
    .argument('[dir]', 'folder to upload, or ZIP archive of a bag or crate')
    .option('--metadata <file>', 'metadata in YAML or JSON; - reads standard input')
    .option('--title <text>', 'title of the deposit')
    .option(...exclude)
    .option(...followLinks)
    .option(...asIs)
    .option('--new', 'make another deposit of a folder that knows one; it then knows the new one')
    .option('--no-remember', 'neither read nor write .deposit.json')
    .option('--publish', 'publish it after everything is uploaded')
    .option(...withoutMetadata)
    .option(...strict)
    .option(...jobs('files sent at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .option(...idempotencyKey)
    .action((dir: string | undefined, options: CreateOptions) => create(context, dir, options))
}

async function create(
  context: CliContext,
  dir: string | undefined,
  given: CreateOptions,
): Promise<void> {
  const { streams } = context
  const { readyFolder } = await import('../check/ready-folder.ts')
  const prepared = await readyFolder(context, dir, { ...given, archives: true })
  // The other commands of a folder verify it.
  const options = given.asIs ? { ...given, remember: false } : given
  const { metadata, plan, resume, isArchive } = prepared
  const memory = await recall(context, dir, options)
  const isKnown = !options.new && options.idempotencyKey === undefined
  if (dir !== undefined && memory?.deposit !== undefined && isKnown)
    return continueKnown(context, { dir, prepared }, options)
  const known = dir === undefined ? await findKnown(context, options) : undefined
  if (known !== undefined) narrate(streams, options, known)
  if (options.dryRun) {
    await askFirst(context, metadata, plan, options)
    rehearse(context, metadata, plan, options)
    return
  }
  const client = await context.client(options)
  const { draft, note, isShared } = await make({ context, client, dir }, metadata, options)
  if (dir !== undefined && isShared) return continueKnown(context, { dir, prepared }, options)
  const { keepDraft } = await import('../transfer/keep-draft.ts')
  // With the same key it is published only once: perhaps only the answer was lost.
  const { publish, idempotencyKey: key } = options
  const publishKey = key === undefined ? randomUUID() : `${key}.publish`
  const keyed = `--idempotency-key ${shellWord(publishKey)}${options.yes ? ' --yes' : ''}`
  const toPublish = `deposit publish ${draft.id} ${keyed}`
  const toSend = publish ? `${resume(draft.id)} && ${toPublish}` : resume(draft.id)
  const found = await (key === undefined
    ? draft
    : keepDraft(draft.id, toSend, () => client.read(draft.id)))
  if (note !== undefined) narrate(streams, options, note)
  narrate(streams, options, sayFound(draft, found))
  const isDone = statusOf(found) === 'published'
  if (isDone) await requireSame(client, found, plan, { ...options, dir })
  else await keepDraft(draft.id, toSend, () => send(context, client, found, plan, options))
  const deposit = await (publish && !isDone
    ? keepDraft(draft.id, toPublish, () => client.runAction(draft.id, 'publish', publishKey))
    : show(client, found, options))
  const line = (options.publish ? recordUrl(deposit) : undefined) ?? deposit.id
  print(streams, options, { body: deposit, ids: [deposit.id], lines: () => [line] })
  const isForPerson = streams.isOutTerminal && streams.isWatched && !options.quiet
  // Not wrapped, so that the command can be copied.
  if (isForPerson && !publish && dir !== undefined && options.remember && !isArchive)
    streams.note(`next: ${advice.publishOf(dir)}`)
  const isEmpty = dir === undefined && Object.keys(metadata).length === 0
  if (isForPerson && !publish && isEmpty) {
    streams.note('The draft has no metadata and no files')
    // For a folder with a deposit this was told at the start.
    if (known === undefined) streams.note(`next: ${advice.createOf('.')}`)
  }
}

/** That the current folder has a deposit already, which a command without a folder leaves alone. */
async function findKnown(
  context: CliContext,
  { remember, new: isNew }: CreateOptions,
): Promise<string | undefined> {
  if (!remember || isNew) return undefined
  const { readSoundMemory } = await import('../folder/memory.ts')
  const memory = await readSoundMemory(context, '.').catch(() => undefined)
  if (memory?.deposit === undefined) return undefined
  const { file, deposit } = memory
  return `The folder has the deposit ${deposit.id} already, as ${file} says; this is another one, without its files: ${advice.continueFolder()}`
}

async function recall(
  context: CliContext,
  dir: string | undefined,
  { remember }: CreateOptions,
): Promise<Memory | undefined> {
  if (dir === undefined || !remember) return undefined
  const { readMemory } = await import('../folder/memory.ts')
  return readMemory(context, dir)
}

interface Made {
  readonly draft: DepositBody
  readonly note?: string
  /** True where another command began it for the same folder. */
  readonly isShared?: boolean
}

/** The draft, and a note about the folder that knows it. A key that was used before finds it. */
async function make(
  { context, client, dir }: FromFolder & { context: CliContext; client: DepositClient },
  metadata: Metadata,
  { idempotencyKey: key, remember: isRemembered }: CreateOptions,
): Promise<Made> {
  if (dir === undefined || !isRemembered) return { draft: await client.create(metadata, key) }
  const { createRemembered, remember } = await import('../folder/memory.ts')
  const place = { context, client, dir }
  if (key === undefined) return createRemembered(place, metadata)
  const draft = await client.create(metadata, key)
  return { draft, note: await remember(place, draft) }
}

interface Known {
  readonly dir: string
  readonly prepared: Prepared
}

/** Brings the folder to the deposit that it knows, and publishes that on request. */
async function continueKnown(
  context: CliContext,
  { dir, prepared }: Known,
  options: CreateOptions,
): Promise<void> {
  const { streams } = context
  const [{ findFolderDeposit }, { comparePrepared, summarize }, { applyChanges }, ofDraft] =
    await Promise.all([
      import('../folder/folder-deposit.ts'),
      import('../transfer/compare-folder.ts'),
      import('../transfer/apply-changes.ts'),
      import('../transfer/keep-draft.ts'),
    ])
  const { keepDraft, publishedWithout } = ofDraft
  const client = await context.client(options)
  const found = await findFolderDeposit(context, client, dir, options)
  if (found.withdrawn !== undefined) throw withdrawn(dir, found.id, found.withdrawn)
  const { metadata } = prepared
  const isWritten = prepared.source !== undefined
  const kept = isWritten ? {} : ownMetadata(found.metadata)
  const folder = { ...prepared, metadata: { ...kept, ...metadata } }
  const isGiven = isWritten || options.title !== undefined
  const compared = await comparePrepared(
    folder,
    { client, deposit: found },
    { hasMetadata: isGiven },
  )
  const isPublished = statusOf(found) === 'published'
  // A draft keeps files that others have added.
  const changes = isPublished ? compared.changes : { ...compared.changes, deleted: [] }
  const summary = summarize(changes)
  if (isPublished && summary !== undefined) throw publishedWithout(dir, found.id, summary, prepared)
  const publish = options.publish && !isPublished
  if (options.dryRun) {
    const would = `change ${found.id}: ${summary ?? 'nothing'}${publish ? ' and publish it' : ''}`
    narrate(streams, options, `Would ${would}`)
    printPlan(streams, options, metadata, prepared.plan.files, would)
    return
  }
  const again = `deposit create ${pathWord(dir)}${options.publish ? ' --publish' : ''}`
  const sending = { streams, jobs: options.jobs, quiet: options.quiet === true }
  const deposit = await keepDraft(found.id, again, async () => {
    if (!isPublished) await applyChanges(sending, { ...compared, changes })
    return publish ? client.runAction(found.id, 'publish') : client.read(found.id)
  })
  narrate(streams, options, isPublished ? 'Published already' : `Changed: ${summary ?? 'nothing'}`)
  const line = (options.publish ? recordUrl(deposit) : undefined) ?? deposit.id
  print(streams, options, { body: deposit, ids: [deposit.id], lines: () => [line] })
}

/** There is no record to continue with, and its address says so to everybody. */
function withdrawn(
  dir: string,
  id: string,
  { reason, bytes_destroyed: isDestroyed }: WithdrawalBody,
): Failure {
  const said = `its record was withdrawn (${reason})`
  const next = isDestroyed ? advice.followWithdrawn(dir) : advice.restoreRecord(id, dir)
  return new Failure({ tried: `continue ${id}`, said, next }, { exitCode: exitCodes.refused })
}

/**
 * An earlier run with the same key has made the deposit, and perhaps changed it since.
 *
 * @param draft as it was when it was made
 */
function sayFound(draft: DepositBody, found: DepositBody): string {
  if (statusOf(found) === 'published') return `Found ${found.id}, published already`
  return `${found.revision === draft.revision ? 'Created' : 'Found'} draft ${found.id}`
}

/** @throws {Failure} the deposit is published, and has not the files of the folder */
async function requireSame(
  client: DepositClient,
  { id }: DepositBody,
  { files }: UploadPlan,
  { dir = '', metadata, exclude = [], followLinks: follows }: CreateOptions & FromFolder,
): Promise<void> {
  const { findOthers } = await import('../transfer/send-files.ts')
  const others = await findOthers(await client.listFiles(id), files)
  if (others.length === 0) return
  const sync = [
    pathWord(dir),
    'NEW',
    ...(metadata === undefined ? [] : ['--metadata', shellWord(metadata)]),
    ...exclude.flatMap((pattern) => ['--exclude', shellWord(pattern)]),
    ...(follows ? ['--follow-links'] : []),
  ]
  const said = `it is published already, without these files: ${others.map(({ key }) => key).join(', ')}`
  const lines = { tried: `upload to ${id}`, said, next: advice.publishFolder(id, sync.join(' ')) }
  throw new Failure(lines, { exitCode: exitCodes.refused })
}

interface FromFolder {
  readonly dir: string | undefined
}

/** @throws {Failure} the server would refuse the deposit, or does not answer */
async function askFirst(
  context: CliContext,
  { $schema }: Metadata,
  { files }: UploadPlan,
  options: CreateOptions,
): Promise<void> {
  const client = await context.runningClient(options)
  if (client === undefined) {
    narrate(context.streams, options, notAsked)
    return
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  await client.permissions.requireMayCreate(options.publish === true, bytes)
  await client.permissions.requireSchemaForNew($schema)
}

/** Reports the draft and its files. */
function rehearse(
  context: CliContext,
  metadata: Metadata,
  { files }: UploadPlan,
  options: CreateOptions,
): void {
  const { streams } = context
  const would = `create a deposit with ${count(files.length, 'file')}${options.publish ? ' and publish it' : ''}`
  narrate(streams, options, `Would ${would}`)
  printPlan(streams, options, metadata, files, would)
}

async function send(
  { streams }: CliContext,
  client: DepositClient,
  deposit: DepositBody,
  { files }: UploadPlan,
  options: CreateOptions,
): Promise<void> {
  if (files.length === 0) return
  if (options.publish) {
    const { askServer } = await import('../check/preflight.ts')
    await askServer(client, deposit.id, files)
  }
  const { findMissing, sendFiles } = await import('../transfer/send-files.ts')
  const quiet = options.quiet === true
  // After an earlier run with the same key, the draft may have some files.
  const isNew = options.idempotencyKey === undefined
  const present = isNew ? [] : await client.listFiles(deposit.id)
  const to = { client, streams, deposit, present, replace: false, jobs: options.jobs, quiet }
  const sent = await sendFiles(to, files, await findMissing(to, files))
  narrate(streams, options, `Uploaded ${count(sent.length, 'file')}`)
}

/** The draft, with its files where they are printed. */
async function show(
  client: DepositClient,
  draft: DepositBody,
  { json }: CreateOptions,
): Promise<DepositBody> {
  return json === undefined ? draft : client.read(draft.id)
}

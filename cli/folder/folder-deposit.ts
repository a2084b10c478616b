import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isSameService } from '../../core/base/loopback.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice, type Advice } from '../advice.ts'
import { ApiFailure } from '../client/api-failure.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { conceptOf } from '../output/deposit-facts.ts'
import { narrate } from '../output/print.ts'
import { formatAge } from '../output/units.ts'
import type { CliContext } from '../session/context.ts'
import type { ConnectOptions } from '../session/open-client.ts'
import { readMemory, serverOf, type FolderDeposit } from './memory.ts'

/**
 * The deposit of a folder, as the server has it now. Tells which it is: the folder may be a copy.
 *
 * @throws {UsageFailure} the folder has none yet
 * @throws {Failure} it is at another server, was deleted, or belongs to another user
 */
export async function findFolderDeposit(
  context: CliContext,
  client: DepositClient,
  dir: string,
  options: { readonly quiet?: true },
): Promise<DepositBody> {
  const memory = await readMemory(context, dir)
  if (memory?.deposit === undefined) throw hasNone(dir)
  const { file, deposit } = memory
  requireSameServer(context, client, file, deposit)
  const tried = `find the deposit of ${file}`
  const found = await client.read(deposit.id, tried).catch(async (cause: unknown) => {
    if (!(cause instanceof Failure)) throw cause
    const newest = await findAfterDeletion(client, deposit, cause)
    if (newest === undefined) throw explain(cause, tried, dir, file) ?? cause
    narrate(context.streams, options, `Draft ${deposit.id} of the next version was deleted`)
    return newest
  })
  const { origin } = client.connection.server
  narrate(context.streams, options, `Deposit ${found.id} at ${origin}, as ${file} says`)
  return found
}

/** The newest version, where the draft of the next one was deleted. */
async function findAfterDeletion(
  client: DepositClient,
  { concept, id }: FolderDeposit,
  { problem }: Failure,
): Promise<DepositBody | undefined> {
  if (concept === undefined || problem?.code !== 'deposit_deleted') return undefined
  const newest = await client.readNewest(concept).catch(() => undefined)
  return newest?.id === id ? undefined : newest
}

function hasNone(dir: string): UsageFailure {
  return new UsageFailure({
    tried: `find the deposit of ${dir === '.' ? 'the folder' : dir}`,
    said: 'the folder does not know one yet',
    next: advice.nameDeposit(dir),
  })
}

function requireSameServer(
  context: CliContext,
  client: DepositClient,
  file: string,
  { server, id }: FolderDeposit,
): void {
  const here = serverOf(context, client)
  const url = URL.parse(server)
  const isHere = here === server || (url !== null && isSameService(url, client.connection.server))
  if (isHere) return
  const there = server === 'local' ? 'the local daemon' : server
  throw new Failure(
    {
      tried: `find the deposit of ${file}`,
      said: `${id} is at ${there}, and the command talks to ${client.connection.server.origin}`,
      next: advice.returnToServer(server, file, here),
    },
    { exitCode: exitCodes.refused },
  )
}

/** Why the server does not show the deposit; undefined for faults of another kind. */
function explain(cause: Failure, tried: string, dir: string, file: string): Failure | undefined {
  const { problem, exitCode } = cause
  const why: Readonly<Record<number, string>> = {
    403: 'it belongs to another user',
    404: 'the server has no such deposit, or it belongs to another user',
    410: 'it was deleted',
  }
  const said = why[problem?.status ?? 0]
  // Another endpoint of the server may have it: its own advice helps.
  const isElsewhere = cause.next.includes('--endpoint')
  if (said === undefined || isElsewhere || problem?.code === 'insufficient_scope') return undefined
  const request = `${problem?.code}, request ${problem?.request_id}`
  const next = advice.forgetDeposit(dir, file)
  return new Failure({ tried, said: `${said} (${request})`, next }, { cause, exitCode })
}

/**
 * The deposit of the newest version of a record; the given one if it was never published. A folder
 * may be an old checkout.
 */
export async function findNewest(
  client: DepositClient,
  deposit: DepositBody,
): Promise<DepositBody> {
  const path = deposit.links['record']
  if (path === undefined) return deposit
  const concept = conceptOf(deposit)
  if (concept !== undefined)
    return client.readNewest(concept).catch((error: unknown) => {
      // All versions are withdrawn: the deposit is there still.
      if (error instanceof ApiFailure && error.problem.code === 'record_withdrawn') return deposit
      throw error
    })
  // Servers from before there were concepts.
  let record = await client.readRecord(path)
  const seen = new Set([record.id])
  for (;;) {
    const next = record.links['next_version']
    if (next === undefined) break
    record = await client.readRecord(next)
    if (seen.has(record.id)) break
    seen.add(record.id)
  }
  const newest = record.links['deposit']
  return seen.size === 1 || newest === undefined ? deposit : client.read(newest)
}

/** A draft that is older was there before, and not made just now. Milliseconds. */
const freshMs = 60_000

/** Says which draft the action newversion gave: there may have been one with changes. */
export function sayVersion(of: string, draft: DepositBody): string {
  const age = Date.now() - Date.parse(draft.created)
  if (draft.revision === 0 && age < freshMs)
    return `Started a new version of ${of}: draft ${draft.id}`
  const when = formatAge(draft.updated, Date.now())
  return `The next version of ${of} is begun already: draft ${draft.id}, changed ${when}`
}

/** A deposit that the user named, or that of a folder. */
export interface NamedDeposit {
  readonly id: string
  /** The folder; undefined where an identifier was given. */
  readonly dir?: string
  /** As the server has it; only where it was found by a folder. */
  readonly deposit?: DepositBody
}

/**
 * The deposit for an argument: an identifier, an address, or a folder that knows its deposit;
 * without an argument, the one that the current folder knows.
 */
export async function findNamed(
  context: CliContext,
  client: DepositClient,
  given: string | undefined,
  options: { readonly quiet?: true },
): Promise<NamedDeposit> {
  const dir = given ?? '.'
  if (given !== undefined && !(await isFolder(context, given))) return { id: given }
  const deposit = await findFolderDeposit(context, client, dir, options)
  return { id: deposit.id, dir, deposit }
}

/** The deposit for an argument, as {@link findNamed} finds it. */
export async function readNamed(
  context: CliContext,
  client: DepositClient,
  given: string | undefined,
  options: { readonly quiet?: true },
): Promise<DepositBody> {
  const { id, deposit } = await findNamed(context, client, given, options)
  return deposit ?? client.read(id)
}

/** The folder that an argument names, the current one without one; undefined for a deposit. */
export async function findFolder(
  context: CliContext,
  given: string | undefined,
): Promise<{ readonly path: string; readonly knowsDeposit: boolean } | undefined> {
  if (given !== undefined && !(await isFolder(context, given))) return undefined
  const path = given ?? '.'
  const memory = await readMemory(context, path)
  return { path, knowsDeposit: memory?.deposit !== undefined }
}

/** A command for files of a deposit, which the first of its words names. */
type FilesCommand = 'cat' | 'rm' | 'restore' | 'upload'

/**
 * The way to name files without the deposit, for words of which the first is none: in a folder that
 * knows its deposit, all may be meant as its files. Undefined where they are not.
 */
async function nameFilesThere(
  context: CliContext,
  command: FilesCommand,
  words: readonly string[],
): Promise<Advice | undefined> {
  const [given = ''] = words
  const isOther = isIdentifier(given) || given.includes('://')
  if (isOther || resolve(context.folder, given) === resolve(context.folder)) return undefined
  if ((await isFolder(context, given)) && (await readMemory(context, given))?.deposit !== undefined)
    return undefined
  const isKnown = (await readMemory(context, '.'))?.deposit !== undefined
  return isKnown ? advice.nameFilesThere(command, words) : undefined
}

/**
 * Looks for the deposit of a command for files, or for its files.
 *
 * @param words the deposit and the files, as they were given
 * @throws {Failure} as `look`; where the words may be files alone, it says how to name them
 */
export async function lookForFiles<Found>(
  context: CliContext,
  command: FilesCommand,
  words: readonly string[],
  look: () => Promise<Found>,
): Promise<Found> {
  try {
    return await look()
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    const isNone = cause instanceof UsageFailure || cause.problem?.status === 404
    if (!isNone) throw cause
    const next = await nameFilesThere(context, command, words)
    if (next === undefined) throw cause
    const { tried, said, exitCode } = cause
    throw new Failure({ tried, said, next }, { cause, exitCode })
  }
}

const triedOf: Readonly<Record<FilesCommand, string>> = {
  cat: 'print files of',
  rm: 'delete files of',
  restore: 'restore files of',
  upload: 'upload files to',
}

/** @throws {UsageFailure} no file is named */
export async function requireFileNames(
  context: CliContext,
  command: FilesCommand,
  given: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0) return
  throw new UsageFailure({
    tried: `${triedOf[command]} ${given}`,
    said: `missing required argument '${command === 'upload' ? 'path' : 'key'}'`,
    next: (await nameFilesThere(context, command, [given])) ?? advice.seeHelp(`deposit ${command}`),
  })
}

/** A word that may be an identifier is not taken for a folder. */
async function isFolder({ folder }: CliContext, given: string): Promise<boolean> {
  const isPath = given === '.' || given === '..' || /[/\\]/.test(given)
  const stats = await stat(resolve(folder, given)).catch(() => undefined)
  return stats?.isDirectory() === true && (isPath || !isIdentifier(given))
}

/** Whether a word is an identifier of a deposit or the beginning of one, or that of a record. */
function isIdentifier(word: string): boolean {
  return /^(?:[0-9a-f]{6,32}|[0-9a-z]{5}-[0-9a-z]{5})$/.test(word)
}

/** The client and the deposit for a folder: the given one, or the one that it knows. */
export async function findToCompare(
  context: CliContext,
  { dir, given }: { readonly dir: string; readonly given: string | undefined },
  options: ConnectOptions & { readonly quiet?: true },
): Promise<{ readonly client: DepositClient; readonly deposit: DepositBody }> {
  const client = await context.client(options)
  const deposit =
    given === undefined
      ? await findFolderDeposit(context, client, dir, options)
      : await client.read(given)
  return { client, deposit }
}

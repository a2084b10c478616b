import { constants } from 'node:fs'
import { mkdir, open, stat, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { codeOf, isMissing } from '../../core/base/errno.ts'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import { isSameService } from '../../core/base/loopback.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { reasonOfNoWrite } from '../no-write.ts'
import { narrate } from '../output/print.ts'
import { reasonOf } from '../reason.ts'
import type { CliContext } from '../session/context.ts'
import type { ConnectOptions } from '../session/open-client.ts'
import { folderFile } from '../transfer/read-folder.ts'

/** The deposit of a folder, as `.deposit.json` has it. It holds no secret. */
interface FolderDeposit {
  /** Origin of the server; `local` for the daemon of this machine. */
  readonly server: string
  readonly id: string
}

/** A folder that remembers its deposit. */
export interface Memory {
  /** The file, as the user would name it. */
  readonly file: string
  /** Undefined before the first one was made. */
  readonly deposit: FolderDeposit | undefined
}

/** Largest file that is read. Bytes. */
const largest = 10_000

/**
 * Reads the memory of a folder; undefined if it has none.
 *
 * @throws {UsageFailure} its file was not written by `deposit`
 */
export async function readMemory(context: CliContext, dir: string): Promise<Memory | undefined> {
  const folder = resolve(context.folder, dir)
  const file = join(dir, folderFile)
  const own = await readText(join(folder, folderFile), file)
  // Without a folder for our sign-ins, nothing was stored there.
  const beside = await readText(await pathBeside(context, folder), file).catch(() => undefined)
  if (own === undefined && beside === undefined) return undefined
  return { file, deposit: parse(file, beside) ?? parse(file, own) }
}

/** For a folder that cannot be written: in the folder with our sign-ins. */
async function pathBeside({ config }: CliContext, folder: string): Promise<string> {
  const name = createHash('sha256').update(folder).digest('hex')
  return join(await config.privateFolder(), 'folders', `${name}.json`)
}

/** A link in a folder from elsewhere could lead to any file, and a pipe would never end. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function readText(path: string, shown: string): Promise<string | undefined> {
  try {
    await using file = await open(path, flags)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(largest))
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (isMissing(error)) return undefined
    const said = codeOf(error) === 'ELOOP' ? 'it is a link' : reasonOf(error)
    throw unusable(shown, said, error)
  }
}

function parse(file: string, text: string | undefined): FolderDeposit | undefined {
  if (text === undefined) return undefined
  const said = 'it does not name the server and the id of a deposit'
  let found: { readonly server?: unknown; readonly id?: unknown } | null
  try {
    found = JSON.parse(text) as typeof found
  } catch (cause) {
    throw unusable(file, said, cause)
  }
  if (typeof found !== 'object' || found === null) throw unusable(file, said)
  const { server, id } = found
  if (server === undefined && id === undefined) return undefined
  const isServer = server === 'local' || (typeof server === 'string' && isOrigin(server))
  if (!isServer || typeof id !== 'string' || !/^[0-9a-z-]{1,64}$/.test(id))
    throw unusable(file, said)
  return { server, id }
}

/** Lets a folder remember the deposit that will be made of it. */
export async function beginMemory(folder: string): Promise<void> {
  await writeFile(join(folder, folderFile), '{}\n', { flag: 'wx' }).catch((error: unknown) => {
    // The folder knows a deposit already; or only the metadata could be written.
    if (codeOf(error) !== 'EEXIST' && reasonOfNoWrite(error) === undefined) throw error
  })
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text
}

function unusable(file: string, said: string, cause?: unknown): UsageFailure {
  const lines = { tried: `read ${file}`, said, next: advice.removeFile(file) }
  return new UsageFailure(lines, { cause })
}

/**
 * Stores the deposit of a folder. A folder that cannot be written is remembered beside our
 * sign-ins, for this user alone.
 */
export async function remember(
  context: CliContext,
  dir: string,
  client: DepositClient,
  { id }: DepositBody,
): Promise<void> {
  const folder = resolve(context.folder, dir)
  const text = `${JSON.stringify({ server: serverOf(context, client), id }, null, 2)}\n`
  try {
    await writeTextDurably(join(folder, folderFile), text, 0o644)
  } catch (error) {
    if (reasonOfNoWrite(error) === undefined) throw error
    const path = await pathBeside(context, folder)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeTextDurably(path, text)
  }
}

function serverOf({ config }: CliContext, { connection }: DepositClient): string {
  return config.server() === undefined ? 'local' : connection.server.origin
}

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
  const found = await client.read(deposit.id, tried).catch((cause: unknown) => {
    throw cause instanceof Failure ? (explain(cause, tried, dir, file) ?? cause) : cause
  })
  const { origin } = client.connection.server
  narrate(context.streams, options, `Deposit ${found.id} at ${origin}, as ${file} says`)
  return found
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
      next: advice.returnToServer(server, file),
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

/** A deposit that the user named, or that of a folder. */
export interface NamedDeposit {
  readonly id: string
  /** The folder; undefined where an identifier was given. */
  readonly dir?: string
  /** As the server has it; only where it was found by a folder. */
  readonly deposit?: DepositBody
}

/**
 * The deposit for an argument: an identifier, an address, or a folder that knows its deposit. A
 * folder is written with a slash, or as `.`; without an argument it is the current one.
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

async function isFolder({ folder }: CliContext, given: string): Promise<boolean> {
  if (given !== '.' && given !== '..' && !/[/\\]/.test(given)) return false
  const stats = await stat(resolve(folder, given)).catch(() => undefined)
  return stats?.isDirectory() === true
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

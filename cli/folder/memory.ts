import { constants } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { createHash, randomUUID } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { codeOf, isMissing } from '../../core/base/errno.ts'
import { createTextDurably, writeTextDurably } from '../../core/base/durable-files.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { reasonOfNoWrite } from '../no-write.ts'
import { conceptOf } from '../output/deposit-facts.ts'
import { plain } from '../plain.ts'
import { reasonOf } from '../reason.ts'
import type { CliContext } from '../session/context.ts'
import { folderFile } from '../transfer/read-folder.ts'

/** The deposit of a folder, as `.deposit.json` has it. It holds no secret. */
export interface FolderDeposit {
  /** Origin of the server; `local` for the daemon of this machine. */
  readonly server: string
  /** Of all versions; older files have none. */
  readonly concept?: string
  readonly id: string
}

/** A deposit that is being created: its answer may have been lost. */
interface Begun {
  readonly server: string
  /** Idempotency key. */
  readonly key: string
}

/** The memory of a folder: one of the two. */
export interface Memory {
  /** The file, as the user would name it. */
  readonly file: string
  readonly deposit?: FolderDeposit
  readonly begun?: Begun
}

/** Largest file that is read. Bytes. */
const largest = 10_000

/**
 * Reads the memory of a folder; undefined if it has none.
 *
 * @throws {UsageFailure} its file is damaged, or no file of ours
 */
export async function readMemory(context: CliContext, dir: string): Promise<Memory | undefined> {
  const places = await placesOf(context, dir)
  const file = places.inside === undefined ? places.beside : join(dir, folderFile)
  const own = places.inside && (await readText(places.inside, file))
  // Without a folder for our sign-ins, nothing was stored there.
  const beside = await readText(places.beside, file).catch(() => undefined)
  const text = beside ?? own
  return text === undefined ? undefined : { file, ...parse(dir, file, text) }
}

/** Like {@link readMemory}, for a user who named the record: undefined too if the file is damaged. */
export async function readSoundMemory(
  context: CliContext,
  dir: string,
): Promise<Memory | undefined> {
  return readMemory(context, dir).catch((cause: unknown) => {
    if (cause instanceof DamagedMemory) return undefined
    throw cause
  })
}

/** The file does not say which deposit the folder has. */
class DamagedMemory extends UsageFailure {}

interface Places {
  /** In the folder; an archive has none. */
  readonly inside: string | undefined
  /** With our sign-ins, for an archive and for a folder that cannot be written. */
  readonly beside: string
}

/** An archive is known by its path, size and time: another one under its name is another deposit. */
async function placesOf({ folder, config }: CliContext, dir: string): Promise<Places> {
  const path = resolve(folder, dir)
  const stats = await stat(path).catch(() => undefined)
  const isFile = stats?.isFile() === true
  const known = isFile ? [path, stats.size, stats.mtimeMs].join('\n') : path
  const name = createHash('sha256').update(known).digest('hex')
  return {
    inside: isFile ? undefined : join(path, folderFile),
    beside: join(await config.privateFolder(), 'folders', `${name}.json`),
  }
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

/** Further fields, of a later version, are passed over. */
function parse(dir: string, file: string, text: string): Omit<Memory, 'file'> {
  const damaged = (said: string, cause?: unknown): DamagedMemory => {
    const next = advice.restoreMemory(dir, file)
    return new DamagedMemory({ tried: `read ${file}`, said, next }, { cause })
  }
  const said = 'it does not name the server and the id of a deposit'
  let found: Readonly<Partial<Record<'server' | 'concept' | 'id' | 'key', unknown>>> | null
  try {
    found = JSON.parse(text) as typeof found
  } catch (cause) {
    if (text.trim() === '') throw damaged('it is empty', cause)
    if (/^(?:<{7}|={7}|>{7})/m.test(text)) throw damaged('git left a conflict in it', cause)
    throw damaged(`it is not whole JSON: ${plain(reasonOf(cause))}`, cause)
  }
  if (typeof found !== 'object' || found === null) throw damaged(said)
  const { server, concept, id, key } = found
  if (typeof server === 'string' && (server === 'local' || isOrigin(server))) {
    if (isWord(id)) return { deposit: { server, ...(isValue(concept) && { concept }), id } }
    if (id === undefined && isWord(key)) return { begun: { server, key } }
  }
  throw damaged(said)
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-z-]{1,64}$/.test(value)
}

function isValue(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9][\w.~-]{0,199}$/.test(value)
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text
}

function unusable(file: string, said: string, cause: unknown): UsageFailure {
  const lines = { tried: `read ${file}`, said, next: advice.removeFile(file) }
  return new UsageFailure(lines, { cause })
}

/** A folder, and the server of its deposit. */
export interface Place {
  readonly context: CliContext
  readonly client: DepositClient
  readonly dir: string
}

/**
 * Creates a deposit that the folder remembers. Its idempotency key is stored first: a command that
 * was killed before the answer finds the same draft when it is run again.
 */
export async function createRemembered(place: Place, metadata: Metadata): Promise<Remembered> {
  const memory = await readMemory(place.context, place.dir)
  const { draft, isShared = false } =
    memory?.deposit === undefined
      ? await createOnce(place, metadata, memory?.begun)
      : { draft: await place.client.create(metadata) }
  return { draft, isShared, note: await remember(place, draft) }
}

interface Remembered {
  readonly draft: DepositBody
  /** True where another command began it, perhaps at this moment. */
  readonly isShared: boolean
  /** Says where the folder has it. */
  readonly note: string
}

async function createOnce(
  { context, client, dir }: Place,
  metadata: Metadata,
  begun: Begun | undefined,
): Promise<{ readonly draft: DepositBody; readonly isShared?: boolean }> {
  const server = serverOf(context, client)
  const create = async (key: string): Promise<DepositBody> =>
    client.create(metadata, key).catch(async (cause: unknown) => {
      if (statusIn(cause) < 500) await forget(context, dir)
      throw cause
    })
  const createByNewKey = async (): Promise<{ readonly draft: DepositBody }> => {
    const key = randomUUID()
    await store(context, dir, { server, key })
    return { draft: await create(key) }
  }
  if (begun !== undefined && begun.server !== server) return createByNewKey()
  const key = begun?.key ?? randomUUID()
  if (begun === undefined && !(await claim(context, dir, { server, key }))) {
    // Another command is at the folder: both work on one deposit.
    const { deposit, begun: other } = (await readMemory(context, dir)) ?? {}
    if (deposit !== undefined) return { draft: await client.read(deposit.id), isShared: true }
    if (other?.server === server)
      return { draft: await client.create(metadata, other.key), isShared: true }
    return createByNewKey()
  }
  if (begun === undefined) return { draft: await create(key) }
  try {
    return { draft: await client.create(metadata, key), isShared: true }
  } catch (cause) {
    // The metadata have changed since.
    if (cause instanceof Failure && cause.problem?.code === 'idempotency_key_reused')
      return createByNewKey()
    throw cause
  }
}

function statusIn(cause: unknown): number {
  return (cause instanceof Failure ? cause.problem?.status : undefined) ?? Infinity
}

/**
 * Stores the deposit of a folder. A folder that cannot be written is remembered beside our
 * sign-ins, for this user alone.
 *
 * @returns a note that says where
 */
export async function remember(
  { context, client, dir }: Place,
  deposit: DepositBody,
): Promise<string> {
  const concept = conceptOf(deposit)
  const stored = await store(context, dir, {
    server: serverOf(context, client),
    ...(concept !== undefined && { concept }),
    id: deposit.id,
  })
  const file = join(dir, folderFile)
  const { inside } = await placesOf(context, dir)
  if (inside === undefined)
    return stored === 'nowhere'
      ? `warning: the deposit of ${dir} cannot be remembered: run again, the command makes another`
      : `The deposit of ${dir} is remembered for this user: the same command continues with it`
  return {
    inside: `The folder remembers its deposit in ${file}: commands there need no id`,
    beside: `${file} cannot be written; the deposit is remembered for this user: commands there need no id`,
    nowhere: `warning: ${file} cannot be written: commands there need the id of the deposit`,
  }[stored]
}

async function store(
  context: CliContext,
  dir: string,
  content: FolderDeposit | Begun,
): Promise<'inside' | 'beside' | 'nowhere'> {
  const text = `${JSON.stringify(content, null, 2)}\n`
  const { inside, beside } = await placesOf(context, dir)
  if (inside !== undefined && (await write(inside, text, 0o644))) {
    // The folder could not be written before.
    await rm(beside, { force: true }).catch(() => {})
    return 'inside'
  }
  await mkdir(dirname(beside), { recursive: true, mode: 0o700 }).catch(() => {})
  return (await write(beside, text)) ? 'beside' : 'nowhere'
}

/** Stores what is begun; false where another command has stored something at the same moment. */
async function claim(context: CliContext, dir: string, content: Begun): Promise<boolean> {
  const text = `${JSON.stringify(content, null, 2)}\n`
  const { inside, beside } = await placesOf(context, dir)
  for (const [path, mode] of [[inside, 0o644] as const, [beside] as const]) {
    if (path === undefined) continue
    if (path === beside)
      await mkdir(dirname(beside), { recursive: true, mode: 0o700 }).catch(() => {})
    try {
      return await createTextDurably(path, text, mode)
    } catch (error) {
      if (reasonOfNoWrite(error) === undefined) throw error
    }
  }
  return true
}

/** Removes the file in which nothing is remembered. */
async function forget(context: CliContext, dir: string): Promise<void> {
  const { inside, beside } = await placesOf(context, dir)
  for (const path of [inside, beside])
    if (path !== undefined) await rm(path, { force: true }).catch(() => {})
}

/** False where the place cannot be written. */
async function write(path: string, text: string, mode?: number): Promise<boolean> {
  try {
    await writeTextDurably(path, text, mode)
    return true
  } catch (error) {
    if (reasonOfNoWrite(error) === undefined) throw error
    return false
  }
}

/** The server as a folder names it. */
export function serverOf({ config }: CliContext, { connection }: DepositClient): string {
  return config.server() === undefined ? 'local' : connection.server.origin
}

import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import { Failure } from '../failure.ts'
import { whileLocked } from '../file-lock.ts'

/** A sign-in at one server. */
export interface Credential {
  readonly token: string
  /** ISO 8601; null where the token has no end. */
  readonly expires: string | null
  /** Gets the next token; good for one use. Absent where the token was made by hand. */
  readonly refresh?: string
}

type Credentials = Readonly<Record<string, Credential>>

/**
 * Sign-ins by the origin of the server, in a file that only this user can read.
 *
 * A file that others could have read or written is refused, not used and not repaired.
 */
export class CredentialStore {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /**
   * Runs `work` while no other command changes the sign-ins: between looking at one and saving what
   * comes in its place, it has to stay.
   */
  async exclusively<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return whileLocked(`${this.#file}.lock`, signal, work)
  }

  async find(origin: string): Promise<Credential | undefined> {
    return (await this.#read())[origin]
  }

  /** To be called by {@link exclusively} alone, as is `remove`. */
  async save(origin: string, credential: Credential): Promise<void> {
    await this.#write({ ...(await this.#read()), [origin]: credential })
  }

  /** @returns what there was */
  async remove(origin: string): Promise<Credential | undefined> {
    const { [origin]: removed, ...rest } = await this.#read()
    if (removed !== undefined) await this.#write(rest)
    return removed
  }

  async #read(): Promise<Credentials> {
    const text = await readPrivateFile(this.#file)
    return text === undefined ? {} : parseCredentials(text)
  }

  async #write(credentials: Credentials): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await writeTextDurably(this.#file, `${JSON.stringify(credentials, null, 2)}\n`)
  }
}

/**
 * Reads a file that is ours alone; undefined where there is none.
 *
 * @throws {Failure} it is a link, belongs to somebody else, or others can read it
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const { uid, mode } = await file.stat()
    const isForeign = process.getuid !== undefined && uid !== process.getuid()
    const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0
    if (isForeign) throw notPrivate(path, 'it belongs to another user')
    if (isOpen) throw notPrivate(path, 'others can read it')
    return await file.readFile('utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    if (hasCode(error, 'ELOOP')) throw notPrivate(path, 'it is a link', error)
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function notPrivate(path: string, said: string, cause?: unknown): Failure {
  const next = `look at it; then \`chmod 600 ${path}\` or remove it, and sign in again`
  return new Failure({ tried: `use the secrets in ${path}`, said, next }, { cause })
}

function parseCredentials(text: string): Credentials {
  const stored: unknown = parseJson(text)
  if (typeof stored !== 'object' || stored === null) return {}
  return Object.fromEntries(
    Object.entries(stored).flatMap(([origin, value]: [string, unknown]) =>
      isCredential(value) ? [[origin, value]] : [],
    ),
  )
}

/** Damaged means signed out: nothing is lost that `deposit login` does not bring back. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== 'object' || value === null) return false
  if (!('token' in value) || typeof value.token !== 'string') return false
  if ('refresh' in value && typeof value.refresh !== 'string') return false
  return 'expires' in value && (value.expires === null || typeof value.expires === 'string')
}

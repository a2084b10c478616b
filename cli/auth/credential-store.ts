import { dirname } from 'node:path'
import { writeTextDurably, makeFolders } from '../../core/base/durable-files.ts'
import { whileLocked } from '../../core/base/file-lock.ts'
import { readPrivateFile } from '../private-file.ts'

/** A sign-in at one server. */
export interface Credential {
  readonly token: string
  /** ISO 8601; null where the token has no end. */
  readonly expires: string | null
  /** Gets the next token; good for one use. Absent where the token was made by hand. */
  readonly refresh?: string
  /** The issuer of both. `refresh` is sent to it alone, even if the server names another issuer. */
  readonly issuer?: string
  /** The home whose key granted it; the token is sent to its daemon alone. */
  readonly home?: string
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
   * Runs `work` under a lock, so that no other command changes the sign-ins between a read and a
   * write.
   */
  async exclusively<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return whileLocked(`${this.#file}.lock`, signal, work)
  }

  async find(origin: string): Promise<Credential | undefined> {
    return (await this.#read())[origin]
  }

  /** Call it inside {@link exclusively}, as `remove`. */
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
    makeFolders(dirname(this.#file), 0o700)
    await writeTextDurably(this.#file, `${JSON.stringify(credentials, null, 2)}\n`)
  }
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

/** A damaged file counts as signed out; `deposit login` writes a new one. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map<string, unknown>(Object.entries(value))
  const isText = (name: string): boolean => typeof fields.get(name) === 'string'
  const further = ['refresh', 'issuer', 'home'].filter((name) => fields.has(name))
  return (
    isText('token') &&
    (isText('expires') || fields.get('expires') === null) &&
    further.every(isText)
  )
}

import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSettled, type Daemon } from './daemon.ts'
import { makeHome, type Home } from './home.ts'
import type { Scale } from './scale.ts'
import { seed, type Seeded } from './seed.ts'

/**
 * The files of a run on one disk: homes of daemons and files to send. Things that take long to make
 * are made once and kept to the end of the run; all others end with the stack they were made for.
 */
export class Workshop implements AsyncDisposable {
  readonly root: string
  readonly scale: Scale
  /** Homes with records, which no measurement changes, are kept here. */
  readonly #kept: string | undefined
  readonly #files = new Map<number, Promise<string>>()
  readonly #homes = new Map<string, Promise<Home>>()
  readonly #daemons = new Map<string, Promise<Daemon>>()
  readonly #stack = new AsyncDisposableStack()
  #folders = 0

  private constructor(root: string, scale: Scale, kept: string | undefined) {
    this.root = root
    this.scale = scale
    this.#kept = kept
    this.#stack.defer(() => rm(root, { recursive: true, force: true }))
  }

  /** @param kept a folder that keeps homes with records for further runs */
  static async open(scale: Scale, kept?: string): Promise<Workshop> {
    return new Workshop(await mkdtemp(join(tmpdir(), 'deposit-bench-')), scale, kept)
  }

  /** A new folder. */
  async folder(stack: AsyncDisposableStack): Promise<string> {
    const path = await this.#folder()
    stack.defer(() => rm(path, { recursive: true }))
    return path
  }

  /** A file of this many bytes, which do not compress; in a folder of its own. */
  async newFile(size: number, stack: AsyncDisposableStack): Promise<string> {
    return writeRandom(join(await this.folder(stack), 'file.bin'), size)
  }

  /** The one file of this many bytes. */
  file(size: number): Promise<string> {
    const file = this.#files.get(size) ?? writeRandom(join(this.root, `${size}.bin`), size)
    this.#files.set(size, file)
    return file
  }

  /** A new home with no deposits. */
  async home(stack: AsyncDisposableStack): Promise<Home> {
    return this.#copyOfEmpty(await this.folder(stack))
  }

  /** The one home with this many deposits of a kind. */
  homeWith(deposits: number, kind: Seeded = 'drafts'): Promise<Home> {
    const name = `${deposits} ${kind}`
    const home = this.#homes.get(name) ?? this.#makeHome(deposits, kind)
    this.#homes.set(name, home)
    return home
  }

  /**
   * The one daemon on the home with this many deposits of a kind, after its background work, which takes
   * minutes if there are many; it runs to the end of the run.
   */
  daemonWith(deposits: number, kind: Seeded = 'drafts'): Promise<Daemon> {
    const name = `${deposits} ${kind}`
    const daemon = this.#daemons.get(name) ?? this.#startDaemon(deposits, kind)
    this.#daemons.set(name, daemon)
    return daemon
  }

  async #startDaemon(deposits: number, kind: Seeded): Promise<Daemon> {
    return this.#stack.use(await startSettled(await this.homeWith(deposits, kind)))
  }

  async #makeHome(deposits: number, kind: Seeded): Promise<Home> {
    if (kind === 'records' && this.#kept !== undefined)
      return this.#keptHome(join(this.#kept, `${deposits}-${kind}`), deposits)
    const path = await this.#folder()
    if (deposits === 0) return makeHome(path)
    const home = await this.#copyOfEmpty(path)
    seed(path, deposits, kind)
    return home
  }

  async #keptHome(path: string, records: number): Promise<Home> {
    const file = join(path, whole)
    const known = await readFile(file, 'utf8').catch(() => undefined)
    if (known !== undefined) return { ...(JSON.parse(known) as Omit<Home, 'path'>), path }
    await rm(path, { recursive: true, force: true })
    const { token, adminToken } = await this.#copyOfEmpty(path)
    seed(path, records, 'records')
    await writeFile(file, JSON.stringify({ token, adminToken }))
    return { path, token, adminToken }
  }

  async #copyOfEmpty(path: string): Promise<Home> {
    const empty = await this.homeWith(0)
    await cp(empty.path, path, { recursive: true })
    return { ...empty, path }
  }

  async #folder(): Promise<string> {
    const path = join(this.root, String(this.#folders++))
    await mkdir(path)
    return path
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

/** Written last, with the tokens: a kept home without it is incomplete. */
const whole = 'tokens.json'

async function writeRandom(path: string, size: number): Promise<string> {
  const block = randomBytes(Math.min(size, 2 ** 20))
  await using file = await open(path, 'w')
  for (let left = size; left > 0; left -= block.length) {
    await file.write(block, 0, Math.min(left, block.length))
  }
  await file.sync()
  return path
}

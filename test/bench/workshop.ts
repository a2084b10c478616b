import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeHome, type Home } from './home.ts'
import type { Scale } from './scale.ts'
import { seed } from './seed.ts'

/**
 * Where a run keeps everything, on one disk: homes of daemons and files to send. What takes long to
 * make is made once, and all of it is gone at the end.
 */
export class Workshop implements AsyncDisposable {
  readonly root: string
  readonly scale: Scale
  readonly #files = new Map<number, Promise<string>>()
  readonly #homes = new Map<number, Promise<Home>>()
  #folders = 0

  private constructor(root: string, scale: Scale) {
    this.root = root
    this.scale = scale
  }

  static async open(scale: Scale): Promise<Workshop> {
    return new Workshop(await mkdtemp(join(tmpdir(), 'deposit-bench-')), scale)
  }

  /** A new folder. */
  async folder(): Promise<string> {
    const path = join(this.root, String(this.#folders++))
    await mkdir(path)
    return path
  }

  /** A file of this many bytes, which do not compress. */
  file(size: number): Promise<string> {
    const file = this.#files.get(size) ?? writeFile(join(this.root, `${size}.bin`), size)
    this.#files.set(size, file)
    return file
  }

  /** A home of its own with no deposits. */
  async home(): Promise<Home> {
    const template = await this.homeWith(0)
    const path = await this.folder()
    await cp(template.path, path, { recursive: true })
    return { ...template, path }
  }

  /** The one home with this many deposits. */
  homeWith(deposits: number): Promise<Home> {
    const home = this.#homes.get(deposits) ?? this.#makeHome(deposits)
    this.#homes.set(deposits, home)
    return home
  }

  async #makeHome(deposits: number): Promise<Home> {
    if (deposits === 0) return makeHome(await this.folder())
    const home = await this.home()
    await seed(home.path, deposits)
    return home
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.root, { recursive: true, force: true })
  }
}

async function writeFile(path: string, size: number): Promise<string> {
  const block = randomBytes(Math.min(size, 2 ** 20))
  await using file = await open(path, 'w')
  for (let left = size; left > 0; left -= block.length) {
    await file.write(block, 0, Math.min(left, block.length))
  }
  await file.sync()
  return path
}

import { createHash } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../core/base/file-lock.ts'

/** A folder for copies that only this user can read, removed on disposal. */
export interface WorkFolder extends AsyncDisposable {
  readonly path: string
}

/**
 * Makes a folder for temporary copies, and removes those that commands left which were killed.
 *
 * @param purpose a word in its name, for people who find it
 */
export async function makeWorkFolder(
  purpose: 'input' | 'metadata' | 'unpacked' | 'pulled',
): Promise<WorkFolder> {
  await removeLeft()
  const path = await mkdtemp(join(tmpdir(), `deposit-${purpose}-${machine()}-${process.pid}-`))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Machines and containers may share the folder, and each has process ids of its own. */
function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}

async function removeLeft(): Promise<void> {
  const pattern = new RegExp(`^deposit-(?:input|metadata|unpacked|pulled)-${machine()}-(\\d+)-`)
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = pattern.exec(name) ?? []
    if (pid === undefined || Number(pid) === process.pid || isAlive(Number(pid))) continue
    const path = join(tmpdir(), name)
    const stats = await lstat(path).catch(() => undefined)
    const isOwn = stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid)
    if (isOwn) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

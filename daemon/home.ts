import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { StartFailure } from './start-failure.ts'

/** Where everything the daemon keeps lies below `DEPOSIT_HOME`. */
export interface Home {
  readonly root: string
  readonly database: string
  readonly blobs: string
  readonly schemas: string
  readonly lock: string
  /** What the running daemon says of itself: pid, url, version, started. */
  readonly announcement: string
  readonly ownerKey: string
  /** What the embedded issuer signs with. */
  readonly issuerKeys: string
}

export function homeAt(root: string): Home {
  return {
    root,
    database: join(root, 'deposit.db'),
    blobs: join(root, 'blobs'),
    schemas: join(root, 'schemas'),
    lock: join(root, 'daemon.lock'),
    announcement: join(root, 'daemon.json'),
    ownerKey: join(root, 'owner.key'),
    issuerKeys: join(root, 'issuer.keys'),
  }
}

/**
 * Makes the folder where it is missing, for its owner alone.
 *
 * @throws {StartFailure} it belongs to somebody else, or cannot be made or written
 */
export async function prepareHome(root: string): Promise<Home> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    const { uid, mode } = await stat(root)
    if (process.getuid && uid !== process.getuid()) {
      throw new StartFailure('no_permission', `${root} belongs to another user.`)
    }
    if (mode & 0o077) await chmod(root, 0o700)
  } catch (error) {
    if (error instanceof StartFailure) throw error
    throw new StartFailure('cannot_create', `${root} cannot be used: ${String(error)}`)
  }
  return homeAt(root)
}

/** The key that only the owner of the machine's account can read; made on first use. */
export async function ownerKey({ ownerKey: path }: Home): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const key = randomBytes(32).toString('hex')
  await writeDurably(path, `${key}\n`)
  return key
}

/** Replaces a file of ours at once and durably; it is for its owner alone. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

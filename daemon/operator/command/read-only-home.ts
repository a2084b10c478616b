import { constants, existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatBytes } from '../../../core/base/amounts.ts'
import { advice } from '../../advice.ts'
import type { Home } from '../../home/home.ts'
import { StartFailure } from '../../start-failure.ts'
import { isMissing } from '../../../core/base/errno.ts'

/** The stores of a home, for commands that read. */
export interface CopiedStores extends AsyncDisposable {
  readonly home: Home
  /** Bytes that were copied. */
  readonly size: number
}

/** SQLite's files of a home, each of which may have changes in a log beside it. */
const databases = ['deposit.db', 'small-blobs.db']

/**
 * The stores of a home in which nothing may be written: its databases are copied to a temporary
 * folder, its blobs are read where they are. SQLite cannot open a database in WAL mode there without
 * its log, and `immutable=1` would not see changes that only the log has. The home must be locked.
 *
 * @throws {StartFailure} there is no room for the copy
 */
export async function copyStores(home: Home): Promise<CopiedStores> {
  const files = databases.flatMap((name) => [name, `${name}-wal`])
  const sizes = await Promise.all(files.map((name) => sizeOf(join(home.root, name))))
  const present = files.filter((_, at) => sizes[at] !== undefined)
  const size = sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0)
  try {
    await using stack = new AsyncDisposableStack()
    const root = await mkdtemp(join(tmpdir(), 'depositd-'))
    stack.defer(() => rm(root, { recursive: true, force: true }))
    for (const name of present) {
      await copyFile(join(home.root, name), join(root, name), constants.COPYFILE_FICLONE)
    }
    const owned = stack.move()
    const blobs = existsSync(home.blobs) ? home.blobs : join(root, 'blobs')
    const copied = { ...home, root, blobs, database: join(root, 'deposit.db') }
    return { home: copied, size, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const said = `The databases of ${home.root} cannot be copied to ${tmpdir()}: ${reason}.`
    throw new StartFailure('io', said, {
      cause: error,
      next: advice.useOtherTemporary(formatBytes(size)),
    })
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

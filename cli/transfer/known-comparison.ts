import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { CliContext } from '../session/context.ts'
import { readVersion } from '../version.ts'
import {
  compareDocument,
  comparePrepared,
  type Changes,
  type Comparison,
} from './compare-folder.ts'
import { withKnownDigests } from './known-digests.ts'
import type { Prepared } from './prepare.ts'

/** A file that changed later than this before it was looked at could change again unseen. */
const leastRestMs = 2000

/**
 * Compares a folder with its deposit. Where all files were the same the last time, and neither the
 * folder nor the revision of the deposit has changed since, no file is read and none is listed.
 */
export async function compareKnown(
  context: Pick<CliContext, 'config' | 'folder'>,
  dir: string,
  folder: Prepared,
  of: Pick<Comparison, 'client' | 'deposit'>,
): Promise<Changes> {
  const name = createHash('sha256').update(resolve(context.folder, dir)).digest('hex')
  const path = join(await context.config.cacheFolder(), 'same', name)
  const state = folder.state()
  const mark = state && markOf(state.digest, of)
  if (mark !== undefined && (await readFile(path, 'utf8').catch(() => undefined)) === mark) {
    const { changes } =
      folder.source === undefined ? { changes: [] } : await compareDocument(folder, of)
    return { added: [], replaced: [], renamed: [], deleted: [], metadata: changes }
  }
  const { changes } = await withKnownDigests(context, dir, (digestOf) =>
    comparePrepared(folder, of, { digestOf }),
  )
  const { metadata: _, ...ofFiles } = changes
  const isSame = Object.values(ofFiles).every(({ length }) => length === 0)
  const isAtRest = state !== undefined && state.restMs > leastRestMs
  if (mark !== undefined && isSame && isAtRest && (await isStill(of))) await keep(path, mark)
  return changes
}

function markOf(folder: string, { client, deposit }: Pick<Comparison, 'client' | 'deposit'>) {
  const { origin } = client.connection.server
  const { links, revision, updated } = deposit
  const seen = [readVersion(), folder, origin, links['self'], revision, updated]
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex')
}

/** False where the files that were listed may be those of a later revision. */
async function isStill({
  client,
  deposit,
}: Pick<Comparison, 'client' | 'deposit'>): Promise<boolean> {
  const isSame = ({ revision, updated }: DepositBody): boolean =>
    revision === deposit.revision && updated === deposit.updated
  return client.read(deposit.id).then(isSame, () => false)
}

/** Without it all is compared again, so no fault of the disk is told. */
async function keep(path: string, mark: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, mark, { mode: 0o600 })
    await rename(draft, path)
  } catch {
    await rm(draft, { force: true }).catch(() => {})
  }
}

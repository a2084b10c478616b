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
  context: Where,
  dir: string,
  folder: Prepared,
  of: Pick<Comparison, 'client' | 'deposit'>,
): Promise<Changes> {
  const state = folder.state()
  const mark = state && markOf(state.digest, of)
  if (mark !== undefined && (await readSame(context, dir))?.mark === mark) {
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
  if (mark !== undefined && isSame && isAtRest && (await isStill(of)))
    await keep(await pathOf(context, dir), `${mark}\n${state.digest}\n`)
  return changes
}

/** The last comparison in which all files were the same. */
interface Same {
  /** Of the folder and the deposit. */
  readonly mark: string
  /** Digest of the state of the folder, in which every file could be read. */
  readonly folder: string
}

export async function readSame(context: Where, dir: string): Promise<Same | undefined> {
  const text = await readFile(await pathOf(context, dir), 'utf8').catch(() => '')
  const [mark = '', folder = ''] = text.split('\n')
  return text === '' ? undefined : { mark, folder }
}

type Where = Pick<CliContext, 'config' | 'folder'>

async function pathOf({ config, folder }: Where, dir: string): Promise<string> {
  const name = createHash('sha256').update(resolve(folder, dir)).digest('hex')
  return join(await config.cacheFolder(), 'same', name)
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
async function keep(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, text, { mode: 0o600 })
    await rename(draft, path)
  } catch {
    await rm(draft, { force: true }).catch(() => {})
  }
}

import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { narrate } from '../output/print.ts'
import { count } from '../output/units.ts'
import { toPackageLine } from '../packages/contents.ts'
import type { CliContext } from '../session/context.ts'
import type { ConnectOptions } from '../session/open-client.ts'
import { conclude, findRecord, readRecord, sayRecord, type Verdict } from './compared-record.ts'

type Options = ConnectOptions & { readonly quiet?: true }

interface OcflFolder {
  /** As it was typed, and absolute. */
  readonly path: string
  readonly folder: string
  readonly kind: 'root' | 'object'
  readonly id: string | undefined
}

/** A storage root is judged alone; an object is also compared with its record. */
export async function judgeOcfl(
  context: CliContext,
  { path, folder, kind, id }: OcflFolder,
  options: Options,
): Promise<Verdict> {
  const { streams, signal } = context
  if (kind === 'root' && id !== undefined) throw notOne(path)
  const [{ compareObject, verifyObject, verifyRoot }, { readTree }, { startProgress }] =
    await Promise.all([
      import('./verify-ocfl.ts'),
      import('../../core/packages/ocfl/folder-tree.ts'),
      import('../output/progress.ts'),
    ])
  // The objects of a root are read one after another: nobody knows yet how many there are.
  const tree = kind === 'object' ? await readTree(folder) : undefined
  const sizes = tree?.files.map(({ size }) => size) ?? []
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const transfer = { verb: 'Verifying', files: sizes.length, bytes }
  using progress = await startProgress(streams, transfer, options.quiet === true)
  const told = {
    fileDone: () => progress.fileDone(),
    advance: (read: number) => {
      signal.throwIfAborted()
      progress.advance(read)
    },
  }
  const found = await (tree === undefined ? verifyRoot(folder, told) : verifyObject(tree, told))
  const named = kind === 'root' ? undefined : (id ?? found.ids[0])
  const record = await (id === undefined
    ? findRecord(context, named, options)
    : readRecord(await context.client(options), id))
  const { inventory, warnings, files, ids } = found
  const differences = record && inventory ? compareObject(inventory, record) : []
  const errors = [...found.errors, ...differences]
  for (const warning of warnings) narrate(streams, options, `warning: ${toPackageLine(warning)}`)
  const body = {
    path,
    kind: `ocfl-${kind}`,
    record: record?.id ?? named ?? null,
    compared: record !== undefined,
    objects: ids.length,
    files,
    bytes: found.bytes,
    errors,
    warnings,
  }
  const more = kind === 'root' ? ` in ${count(ids.length, 'object')}` : sayRecord(record, named)
  return conclude(context, body, options, { more })
}

function notOne(path: string): UsageFailure {
  return new UsageFailure({
    tried: `verify ${path}`,
    said: 'it is a storage root of many records, and one is named',
    next: advice.leaveOut('the identifier'),
  })
}

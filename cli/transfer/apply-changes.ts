import type { ShowProgress } from '../output/progress.ts'
import type { Streams } from '../output/streams.ts'
import { arrange, sendMissing } from './send-files.ts'
import type { Comparison } from './compare-folder.ts'

interface ApplyOptions {
  readonly streams: Streams
  /** Parallel uploads; undefined for the default. */
  readonly jobs: number | undefined
  readonly quiet: boolean
  readonly show?: ShowProgress | undefined
}

/**
 * Applies the changes of a comparison. Files first: if they are frozen, nothing is changed.
 * Deletions last: nothing is missing after an interruption, and it can be compared and applied
 * again.
 */
export async function applyChanges(
  { streams, jobs, quiet, show }: ApplyOptions,
  { client, deposit, folder, changes }: Comparison,
): Promise<void> {
  const { added, replaced, renamed, deleted, metadata } = changes
  const { id } = deposit
  for (const { local, stored } of renamed) await client.renameFile(id, stored.filename, local.key)
  const missing = [...added, ...replaced.map(({ local }) => local)]
  await sendMissing({ client, streams, deposit, replace: true, jobs, quiet, show }, missing)
  if (metadata.length > 0) {
    const { revision } = await client.read(id)
    await client.replace(id, folder.metadata, revision)
  }
  for (const { filename } of deleted) await client.deleteFile(id, filename)
  const keys = folder.plan.files.map(({ key }) => key)
  const isMoved = added.length + renamed.length > 0
  if (isMoved) await arrange(client, id, keys)
}

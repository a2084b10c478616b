import type { BlobId } from '../files/file.ts'
import type { Parts } from './parts.ts'

/**
 * Removes bytes that no row names any more, also what was set aside as damaged: what was deleted or
 * destroyed is gone. A failure is left to garbage collection.
 */
export async function removeBlobs(
  { blobs, report }: Pick<Parts, 'blobs' | 'report'>,
  ids: readonly BlobId[],
): Promise<void> {
  for (const id of ids) await blobs.remove(id).catch(report)
  await blobs.removeAside(ids).catch(report)
}

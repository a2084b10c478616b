import type { Parts } from './parts.ts'

/** How long bytes without a row are left alone: an upload may be about to name them. */
export const graceMs = 86_400_000

const batchSize = 100

/**
 * Removes what was on its way to the store when something died: it was said before its first byte,
 * and no row has named it since. Nothing is looked for in the store.
 */
export async function collectAbandoned({ database, blobs, clock }: Parts): Promise<void> {
  const before = new Date(Date.parse(clock.settled()) - graceMs).toISOString()
  await database.write((unit) => unit.intents.removeSettled(before))
  for (;;) {
    const ids = await database.read.intents.before(before, batchSize)
    for (const id of ids) {
      // From here on nobody finishes it: so it cannot get a row while its bytes are removed.
      if (!(await database.write((unit) => unit.intents.giveUp(id, before)))) continue
      await blobs.remove(id)
      await database.write((unit) => unit.intents.remove(id))
    }
    if (ids.length < batchSize) return
  }
}

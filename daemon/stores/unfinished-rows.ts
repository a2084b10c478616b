import { findRebuild } from '../../core/index.ts'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

/**
 * Refuses rows of a rebuild that has not ended: records that it has not made yet would be missing,
 * and their bytes garbage.
 *
 * @throws {StartFailure}
 */
export async function requireRebuilt(database: Parameters<typeof findRebuild>[0]): Promise<void> {
  const begun = await findRebuild(database)
  if (!begun) return
  const said = 'A rebuild of this database has not ended: records may be missing.'
  throw new StartFailure('config', said, { next: advice.rebuildAgain(begun.root) })
}

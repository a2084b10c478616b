import { findUnfinished, type UnfinishedRows } from '../../core/index.ts'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

/**
 * Refuses rows of a rebuild or a move that has not ended: records that are not there yet would be
 * missing, and their bytes garbage.
 *
 * @throws {StartFailure}
 */
export async function requireAllRows(
  database: Parameters<typeof findUnfinished>[0],
): Promise<void> {
  const begun = await findUnfinished(database)
  if (!begun) return
  throw unfinished(begun)
}

export function unfinished(begun: UnfinishedRows): StartFailure {
  if (begun.kind === 'rebuild') {
    const said = 'A rebuild of this database has not ended: records may be missing.'
    return new StartFailure('config', said, { next: advice.rebuildAgain(begun.root) })
  }
  const { from, command, made } = begun
  const said = `The move from ${from} to this database has not ended: its rows are not here yet.`
  return new StartFailure('config', said, { next: advice.moveAgain(from, command, made) })
}

import { setImmediate } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { FileWriter } from '../../ports/files.ts'
import { preparedChange } from './prepared.ts'
import type { Tables } from './schema/tables.ts'

/** Rows that are changed before other requests get their turn: some milliseconds of SQLite. */
const changedAtOnce = 1000

/** Puts the files of a bucket into an order; those that stand where they should stay untouched. */
export function fileOrderer(db: Kysely<Tables>): FileWriter['reorder'] {
  const at = (position: number, id: string, elsewhere: number) =>
    db
      .updateTable('files')
      .set({ position })
      .where('id', '=', id)
      .where('position', '<>', elsewhere)
  const place = preparedChange(db, at)
  const placeAnew = preparedChange(db, (position: number, id: string, elsewhere: number) =>
    at(position, id, elsewhere).set({
      published_position: sql<number>`coalesce(published_position, position)`,
    }),
  )
  return async (files, isPublished) => {
    const move = isPublished ? placeAnew : place
    for (const [position, { id }] of files.entries()) {
      if (position > 0 && position % changedAtOnce === 0) await setImmediate()
      await move(position, id, position)
    }
  }
}

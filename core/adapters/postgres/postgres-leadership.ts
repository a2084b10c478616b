import { sql, type Kysely } from 'kysely'
import type { Tables } from '../database/schema/tables.ts'

/** `depo` in ASCII: the first of the two numbers of our advisory locks. */
const space = 0x6465706f

/**
 * Takes `work` for this daemon until it is disposed of; undefined while another has it. The lock
 * lives in a connection of `db` that is held as long: where that breaks off, another may take it.
 */
export async function leadWork(
  db: Kysely<Tables>,
  work: string,
): Promise<AsyncDisposable | undefined> {
  const taken = Promise.withResolvers<boolean>()
  const over = Promise.withResolvers<void>()
  const holding = db.connection().execute(async (connection) => {
    taken.resolve(await tryLock(connection, work))
    if (!(await taken.promise)) return
    await over.promise
    await sql`select pg_advisory_unlock(${space}, hashtext(${work}))`.execute(connection)
  })
  holding.catch(taken.reject)
  if (!(await taken.promise)) return undefined
  return {
    [Symbol.asyncDispose]: async () => {
      over.resolve()
      // The server gives back what was locked over a connection that broke off.
      await holding.catch(() => undefined)
    },
  }
}

async function tryLock(db: Kysely<Tables>, work: string): Promise<boolean> {
  const { rows } = await sql<{
    readonly taken: boolean
  }>`select pg_try_advisory_lock(${space}, hashtext(${work})) as taken`.execute(db)
  return rows[0]?.taken === true
}

import { randomUUID } from 'node:crypto'
import type { Database } from '../ports/database.ts'

const name = 'service'

/** The id of the service that the rows are of; undefined where none was made yet. */
export function findServiceId({ read }: Pick<Database, 'read'>): Promise<string | undefined> {
  return read.sharedSecrets.find(name)
}

/**
 * The same, which is made where there is none. Of two daemons that make one at once, one unit of work
 * is run again and finds the other's.
 */
export async function serviceId(database: Pick<Database, 'read' | 'write'>): Promise<string> {
  const known = await findServiceId(database)
  if (known !== undefined) return known
  const made = randomUUID()
  return database.write(async ({ sharedSecrets }) => {
    const others = await sharedSecrets.find(name)
    if (others === undefined) await sharedSecrets.insert(name, made)
    return others ?? made
  })
}

/** Makes the rows those of a service that was moved. */
export async function giveServiceId(database: Pick<Database, 'write'>, id: string): Promise<void> {
  await database.write(({ sharedSecrets }) => sharedSecrets.put(name, id))
}

import { randomUUID } from 'node:crypto'
import type { Database } from '../ports/database.ts'
import type { SharedSecretReader } from '../ports/issuer.ts'

const name = 'service'

interface ServiceRows {
  readonly read: { readonly sharedSecrets: Pick<SharedSecretReader, 'find'> }
}

/** The id of the service that the rows are of; undefined where none was made yet. */
export function findServiceId({ read }: ServiceRows): Promise<string | undefined> {
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

const marked = 'service-marked'

/** Notes that a store of bytes was marked as the service's. */
export async function noteMarked(database: Pick<Database, 'read' | 'write'>): Promise<void> {
  if (await wasMarked(database)) return
  await database.write(({ sharedSecrets }) => sharedSecrets.put(marked, 'true'))
}

/** Whether the store of the service has, or had, its mark: one without it may be another one. */
export async function wasMarked({ read }: ServiceRows): Promise<boolean> {
  return (await read.sharedSecrets.find(marked)) !== undefined
}

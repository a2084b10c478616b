import { randomUUID } from 'node:crypto'
import type { Database } from '../ports/database.ts'
import type { SharedSecretReader } from '../ports/issuer.ts'

const name = 'rebuild'

interface NoteRows {
  readonly read: { readonly sharedSecrets: Pick<SharedSecretReader, 'find'> }
}

/** A rebuild that has begun and not ended: the rows may be a part of those that it makes. */
export interface Rebuild {
  /** The storage root that the records come from; undefined where they come from the manifests. */
  readonly root?: string
  /** Tells the runs of one rebuild apart. */
  readonly run: string
}

/** The rebuild of these rows that has not ended; undefined where there is none. */
export async function findRebuild({ read }: NoteRows): Promise<Rebuild | undefined> {
  const found = await read.sharedSecrets.find(name)
  if (found === undefined) return undefined
  const { root, run } = JSON.parse(found) as Rebuild
  return root === undefined ? { run } : { run, root }
}

/** Notes that a rebuild begins or resumes: until it ends, nobody else may use the rows or their bytes. */
export async function beginRebuild(
  database: Pick<Database, 'write'>,
  root: string | undefined,
): Promise<Rebuild> {
  const begun = { run: randomUUID(), ...(root !== undefined && { root }) }
  await database.write(({ sharedSecrets }) => sharedSecrets.put(name, JSON.stringify(begun)))
  return begun
}

/** Removes the note of a run, unless another run has made its own since. */
export async function endRebuild(
  database: Pick<Database, 'write'>,
  { run }: Rebuild,
): Promise<void> {
  await database.write(async ({ sharedSecrets }) => {
    const noted = await findRebuild({ read: { sharedSecrets } })
    if (noted?.run === run) await sharedSecrets.remove(name)
  })
}

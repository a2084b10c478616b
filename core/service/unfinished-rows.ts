import { randomUUID } from 'node:crypto'
import type { Database } from '../ports/database.ts'
import type { SharedSecretReader } from '../ports/issuer.ts'
import type { ServiceMark } from '../ports/store-marks.ts'

/** The name of the note among the shared secrets, of moves as well. */
export const unfinishedNote = 'rebuild'

interface NoteRows {
  readonly read: { readonly sharedSecrets: Pick<SharedSecretReader, 'find'> }
}

/** A rebuild that has begun and not ended: the rows may be a part of those that it makes. */
interface RebuildOfRows {
  readonly kind: 'rebuild'
  /** The storage root that the records come from; undefined where they come from the manifests. */
  readonly root?: string
  /** The state of the bytes when it began, as {@link stateOf} has it. Earlier versions did not note it. */
  readonly before?: string
}

/** A move to these rows that has begun and not ended: none of them is there yet. */
interface MoveOfRows {
  readonly kind: 'move'
  /** Id of the service. */
  readonly service: string
  /** The place that it is moved from, for a person. */
  readonly from: string
  /** The command that resumes it, without a password. */
  readonly command: string
  /** Places that have nothing but what the move brought there, for a person. */
  readonly made: readonly string[]
}

export type RowsToMake = RebuildOfRows | MoveOfRows

/** Work on the rows that has not ended. */
export type UnfinishedRows = RowsToMake & {
  /** Tells the runs of one work apart. */
  readonly run: string
}

/** Tells one use of a store from the next: by its service, and the daemon that used it last. */
export function stateOf(mark: ServiceMark | undefined): string {
  return mark === undefined ? '' : `${mark.service} ${mark.last?.run ?? ''}`
}

/** The work on these rows that has not ended; undefined where there is none. */
export async function findUnfinished({ read }: NoteRows): Promise<UnfinishedRows | undefined> {
  const found = await read.sharedSecrets.find(unfinishedNote)
  if (found === undefined) return undefined
  // Notes of earlier versions have no kind.
  return { kind: 'rebuild', ...(JSON.parse(found) as object) } as UnfinishedRows
}

/** Notes that work begins or resumes: until it ends, no other process may use the rows or their bytes. */
export async function noteUnfinished(
  database: Pick<Database, 'write'>,
  work: RowsToMake,
): Promise<UnfinishedRows> {
  const begun = { ...work, run: randomUUID() }
  const text = JSON.stringify(begun)
  await database.write(({ sharedSecrets }) => sharedSecrets.put(unfinishedNote, text))
  return begun
}

/** Removes the note of a run, unless another run has made its own since. */
export async function endUnfinished(
  database: Pick<Database, 'write'>,
  { run }: UnfinishedRows,
): Promise<void> {
  await database.write(async ({ sharedSecrets }) => {
    const noted = await findUnfinished({ read: { sharedSecrets } })
    if (noted?.run === run) await sharedSecrets.remove(unfinishedNote)
  })
}

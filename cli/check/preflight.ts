import { advice, type Advice } from '../advice.ts'
import type { Metadata, DepositClient } from '../client/deposit-client.ts'
import { Failure, UsageFailure } from '../failure.ts'
import type { MetadataFile } from '../metadata/read-metadata.ts'
import { checkMetadata, type Purpose } from './check-document.ts'
import { toLine, type Finding } from '../output/finding.ts'
import type { LocalFile } from '../client/upload-file.ts'

interface Flight {
  /** What is to be sent. */
  readonly metadata: Metadata
  /** Where it comes from, with the place of each fault. */
  readonly source?: MetadataFile | undefined
  readonly purpose: Purpose
  /** As in {@link Failure}. */
  readonly tried: string
}

/**
 * Finds in the metadata all that the server would refuse, before anything is sent. With the names
 * and files that `prepare` has checked, it is what can be known here.
 *
 * @returns warnings to tell
 * @throws {Failure} with every fault and its place; the exit status is that of the server's refusal
 */
export async function preflight(flight: Flight): Promise<readonly Finding[]> {
  const { metadata, source, purpose, tried } = flight
  const { errors, warnings } = await checkMetadata(metadata, source, purpose)
  if (errors.length === 0) return warnings
  const lines = { tried, said: errors.map(toLine).join('; '), next: advice.correctInput() }
  throw new Failure(lines)
}

/** Said of what would be published without metadata. */
export const noMetadata = 'it has no metadata at all, not even a title; --yes publishes it so'

/** A schema says of which kind the metadata are, and is none of them. */
export function lacksMetadata({ _deposit: _, $schema: __, ...fields }: Metadata): boolean {
  return Object.keys(fields).length === 0
}

/**
 * A record cannot be taken back, so that one without metadata is published on request alone.
 *
 * @param yes it was requested
 * @throws {UsageFailure}
 */
export function requireMetadata(
  metadata: Metadata,
  {
    yes,
    tried,
    next,
  }: { readonly yes?: true | undefined; readonly tried: string; readonly next: Advice },
): void {
  if (yes || !lacksMetadata(metadata)) return
  throw new UsageFailure({ tried, said: noMetadata, next })
}

/** Bytes that are sent about as fast as the server is asked. */
const fewBytes = 1024 * 1024

/**
 * Asks the server whether it would publish the metadata of a draft, before much is sent: it may
 * have schemas of its own.
 *
 * @throws {Failure} with all that it would refuse
 */
export async function askServer(
  client: DepositClient,
  id: string,
  files: readonly LocalFile[],
): Promise<void> {
  if (files.reduce((sum, { size }) => sum + size, 0) < fewBytes) return
  const { errors } = await client.rehearse(id)
  // A draft that was published since is no fault: its publish is asked for again.
  const faults = errors.filter(({ code }) => code === 'invalid_document')
  if (faults.length === 0) return
  throw new Failure({
    tried: `publish ${id}`,
    said: faults.map(toLine).join('; '),
    next: advice.correctDocument(id),
  })
}

import { advice, type Advice } from '../advice.ts'
import type { Metadata, DepositClient } from '../client/deposit-client.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { Failure, severally, UsageFailure } from '../failure.ts'
import { checkMetadata, strayIn, type Origin, type Purpose } from './check-document.ts'
import { shareLines, toLine, type Finding } from '../output/finding.ts'
import type { LocalFile } from '../client/upload-file.ts'

/** With its origin, for the lines of faults. */
interface Flight extends Origin {
  /** The metadata to send. */
  readonly metadata: Metadata
  readonly purpose: Purpose
  /** As in {@link Failure}. */
  readonly tried: string
  /** `--strict`: warnings refuse, these about files among them. */
  readonly strict?: { readonly further: readonly string[] } | undefined
}

/**
 * Finds faults in the metadata before anything is sent. Together with the names and files that
 * `prepare` checks, this is all that can be checked locally.
 *
 * @returns warnings to tell
 * @throws {Failure} with every fault and its place; the exit status is that of the server's refusal
 */
export async function preflight(flight: Flight): Promise<readonly Finding[]> {
  const { metadata, purpose, tried, strict } = flight
  const { errors, warnings } = await checkMetadata(metadata, flight, purpose)
  const refused = strict ? [...errors, ...warnings, ...strict.further.map(toFinding)] : errors
  if (errors.length > 0) throw refuse(tried, refused, advice.correctInput())
  if (refused.length > 0) throw refuse(tried, refused, advice.correctWarnings())
  return warnings
}

/**
 * Refuses for `--strict`, as refused metadata are.
 *
 * @param further warnings about files
 * @throws {Failure} there is a warning
 */
export function refuseWarnings(
  tried: string,
  warnings: readonly Finding[],
  further: readonly string[] = [],
): void {
  const all = [...warnings, ...further.map(toFinding)]
  if (all.length > 0) throw refuse(tried, all, advice.correctWarnings())
}

/**
 * Refuses to publish a draft with fields that are probably meant to close its files.
 *
 * @throws {Failure} naming each, and what to write in its place
 */
export function refuseStray(
  tried: string,
  { id, metadata }: Pick<DepositBody, 'id' | 'metadata'>,
): void {
  const faults = strayIn(metadata)
  if (faults.length > 0) throw refuse(tried, faults, advice.correctDocument(id))
}

function refuse(tried: string, faults: readonly Finding[], next: Advice): Failure {
  const lines = shareLines(faults).map(toLine)
  return new Failure({ tried, said: lines.join('; '), next }, { faults, ...severally(lines) })
}

function toFinding(message: string): Finding {
  return { field: '', message }
}

/** Message for a publish without metadata. */
export const noMetadata = 'it has no metadata at all, not even a title; --yes publishes it anyway'

/** True for metadata with no field but `$schema` and `_deposit`. */
export function lacksMetadata({ _deposit: _, $schema: __, ...fields }: Metadata): boolean {
  return Object.keys(fields).length === 0
}

/**
 * Refuses to publish without metadata unless `yes`: a record is permanent.
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

/** Smaller uploads take no longer than the question. */
const fewBytes = 1024 * 1024

/**
 * Asks the server whether it would publish a draft, before large files are sent: the server may
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
  // A draft that an earlier run has published is no fault.
  const faults = errors.filter(({ code }) => code === 'invalid_document')
  if (faults.length === 0) return
  throw new Failure({
    tried: `publish ${id}`,
    said: faults.map(toLine).join('; '),
    next: advice.correctDocument(id),
  })
}

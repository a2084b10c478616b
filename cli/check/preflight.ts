import { advice, type Advice } from '../advice.ts'
import type { Metadata, DepositClient } from '../client/deposit-client.ts'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { Failure, severally, together, UsageFailure } from '../failure.ts'
import { isDescribed, findWrapped } from '../../core/contract/described.ts'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { checkMetadata, schemaOf, strayIn, type Origin, type Purpose } from './check-document.ts'
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

/** What is missing in metadata that describe nothing. */
export interface Lack {
  readonly why: string
  /** For a refusal to publish. */
  readonly said: string
  /** There are fields, but the schema has none of them. */
  readonly hasFields: boolean
}

/**
 * What keeps a document from being published without `--yes`: no field that its schema has, as where
 * all of them are in a field `metadata`. Undefined where there is one.
 */
export function lackOf(metadata: Metadata): Lack | undefined {
  const name = schemaOf(metadata)
  const schema = name === undefined ? undefined : { ...packageSchemas[name] }
  if (isDescribed(schema, metadata)) return undefined
  const { _deposit: _, $schema: __, access: ___, ...fields } = metadata
  const hasFields = Object.keys(fields).length > 0
  const [wrapped] = schema === undefined ? [] : findWrapped(schema, metadata)
  const why =
    wrapped?.message.replace(/\.$/, '') ??
    (hasFields
      ? 'it has none of the fields of its schema, not even a title'
      : 'it has no metadata at all, not even a title')
  return { why, said: `${why}; --yes publishes it anyway`, hasFields }
}

/**
 * Refuses to publish without metadata unless `yes`: a record is permanent.
 *
 * @param yes it was requested
 * @param next where there are no fields at all
 * @param correct where there are fields, but none that has an effect
 * @throws {UsageFailure}
 */
export function requireMetadata(
  metadata: Metadata,
  {
    yes,
    tried,
    next,
    correct,
  }: {
    readonly yes?: true | undefined
    readonly tried: string
    readonly next: Advice
    readonly correct: Advice
  },
): void {
  const lack = yes ? undefined : lackOf(metadata)
  if (lack === undefined) return
  throw new UsageFailure({ tried, said: lack.said, next: lack.hasFields ? correct : next })
}

/** Runs a check, and keeps its failure beside those of others. */
export async function failureTo<Found>(
  failures: Failure[],
  check: () => Found | Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    failures.push(error)
    return undefined
  }
}

/** @throws {Failure} the failures, all in one */
export function requireNone(failures: readonly Failure[]): void {
  const [first, ...others] = failures
  if (first !== undefined)
    throw together([first, ...others], advice.allOf(failures.map(({ next }) => next)))
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
  requireValid(id, (await client.rehearse(id)).errors)
}

/** @throws {Failure} the server would refuse the document */
export function requireValid(id: string, errors: RehearsalBody['errors']): void {
  // A draft that an earlier run has published is no fault.
  const faults = errors.filter(({ code }) => code === 'invalid_document')
  if (faults.length === 0) return
  throw new Failure({
    tried: `publish ${id}`,
    said: faults.map(toLine).join('; '),
    next: advice.correctDocument(id),
  })
}

import type { JsonObject } from '../base/json.ts'
import { doiOf } from '../contract/foreign-values.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { Fault } from '../errors/errors.ts'
import type { RecordReader } from '../ports/records.ts'
import type { IdentifierReader } from '../ports/identifiers.ts'
import type { Provider } from '../ports/provider.ts'

interface Rows {
  readonly identifiers: IdentifierReader
  readonly records: RecordReader
}

/**
 * Faults of a DOI that a document names as its own: one of this service is that of another record,
 * or of none; and two versions cannot have the same.
 *
 * @param document as it would be published
 */
export async function findDoiFaults(
  { identifiers, records }: Rows,
  providers: readonly Provider[],
  { id, concept, record }: Pick<Deposit, 'id' | 'concept' | 'record'>,
  document: JsonObject,
): Promise<readonly Fault[]> {
  const doi = doiOf(document['doi'])?.toLowerCase()
  if (doi === undefined) return []
  const known = await identifiers.find(doi)
  if (known?.of === 'record' && known.deposit === id) return []
  const own = (await identifiers.ofDeposits([id]))
    .get(id)
    ?.find(({ of, scheme }) => of === 'record' && scheme === 'doi')
  if (own) return fault(`This record has the DOI ${own.value}, and a record has one DOI.`, leaveOut)
  if (known?.of === 'concept' && known.subject === concept)
    return fault(`${doi} is the DOI of all versions of this record.`)
  if (known) {
    const other = await records.find(known.subject)
    const what =
      other?.concept === concept ? 'an earlier version' : 'another record of this service'
    return fault(`${doi} is the DOI of ${what}.`)
  }
  if (providers.some(({ isOwn }) => isOwn?.(doi)))
    return fault(`DOIs such as ${doi} are made by this service alone.`)
  const before = record ? undefined : await records.findLast(concept)
  if (before && doiOf(before.metadata['doi'])?.toLowerCase() === doi)
    return fault(`${doi} is the DOI of the version before, ${before.value}.`)
  return []
}

/**
 * The fault of a draft that asks for a DOI of this service, and names one from elsewhere: its record
 * has one DOI.
 *
 * @param reserved the DOI that was reserved for it before, which it may name
 */
export function findSecondDoi(document: JsonObject, reserved?: string): readonly Fault[] {
  const doi = doiOf(document['doi'])
  if (doi === undefined || doi.toLowerCase() === reserved?.toLowerCase()) return []
  return fault(`The metadata name the DOI ${doi}, and a record has one DOI.`, leaveOut)
}

const leaveOut =
  'Remove it from this field; the DOI of an article or another work belongs in the related works.'

function fault(
  said: string,
  advice = 'Name the one that was made for these data elsewhere, or leave the field out.',
): readonly Fault[] {
  return [{ field: '/doi', message: `${said} ${advice}` }]
}

import { schemaOfEdited } from '../deposit/deposit-schema.ts'
import type { Deposit, DraftDeposit, PublishedDeposit } from '../deposit/deposit.ts'
import { problem, refused } from '../errors/errors.ts'
import type { PidReader, RecordReader } from '../ports/database.ts'
import type { RecordRef, PublishedRecord } from '../record/record.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'

/** The latest revision of the record a deposit was published as. */
export async function findLatest(
  { records }: { readonly records: RecordReader },
  ref: RecordRef,
): Promise<PublishedRecord> {
  const record = await records.find(ref.value)
  if (!record) throw problem('record_not_found')
  return record
}

/**
 * The fields that a deposit takes from its record for an edit or a discard.
 *
 * @param current the schema the deposit has
 */
export function publishedFields(
  record: PublishedRecord,
  current: string | null,
  schemas: SchemaRegistry,
): Pick<PublishedDeposit, 'metadata' | 'schema' | 'record'> {
  const { type, value, revision, metadata } = record
  return {
    metadata,
    schema: schemaOfEdited(schemas, current, record),
    record: { type, value, revision },
  }
}

/**
 * The deposit as a draft. A published one is refused, naming `edit` only where its record is not sealed.
 *
 * @throws {DepositError} invalid_action
 */
export async function requireEditable(
  deposit: Deposit,
  operation: string,
  pids: PidReader,
): Promise<DraftDeposit> {
  if (deposit.status === 'draft') return deposit
  const pid = await pids.find(deposit.record)
  if (pid?.status === 'R') throw refused(operation, 'sealed')
  throw refused(operation, operation === 'publish' ? 'published_already' : 'published')
}

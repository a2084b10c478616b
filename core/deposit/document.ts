import type { JsonObject } from '../base/json.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Deposit } from './deposit.ts'

/** Turns the registry path of a schema into its absolute URL. */
export type SchemaUrl = (path: string) => string

/**
 * The document of a deposit as clients see it: the user's fields, `$schema` and `_deposit`.
 * Values that are not set yet are absent.
 *
 * @see Specification, "Deposit"
 */
export function toDepositDocument(deposit: Deposit, schemaUrl: SchemaUrl): JsonObject {
  return { ...deposit.metadata, ...reservedOfDeposit(deposit, schemaUrl) }
}

/** The fields of its document that are not the user's: `$schema` and `_deposit`. */
export function reservedOfDeposit(deposit: Deposit, schemaUrl: SchemaUrl): JsonObject {
  const { id, status, owners, createdBy, base, record } = deposit
  return {
    $schema: deposit.schema === null ? null : schemaUrl(deposit.schema),
    _deposit: {
      id,
      status,
      owners,
      created_by: createdBy,
      ...(base === undefined ? {} : { pid: base }),
      ...(record ? { type: record.type, value: record.value, revision_id: record.revision } : {}),
    },
  }
}

/** The document of a record: the user's fields, `$schema`, and the dump of its deposit. */
export function toRecordDocument(record: PublishedRecord, schemaUrl: SchemaUrl): JsonObject {
  return { ...record.metadata, ...reservedOfRecord(record, schemaUrl) }
}

/** As {@link reservedOfDeposit}. */
export function reservedOfRecord(record: PublishedRecord, schemaUrl: SchemaUrl): JsonObject {
  const { id, owners, createdBy, base } = record.deposit
  return {
    $schema: record.schema === null ? null : schemaUrl(record.schema),
    _deposit: {
      id,
      status: 'published',
      owners,
      created_by: createdBy,
      ...(base === undefined ? {} : { pid: base }),
      type: record.type,
      value: record.value,
      revision_id: record.revision,
    },
  }
}

/** The user's part of a document a client sent: what it says in reserved fields is left out. */
export function userFields(document: JsonObject): JsonObject {
  const { _deposit, $schema, ...fields } = document
  return fields
}

import { problem, type DepositError } from '../errors/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'

type Schemas = Pick<
  SchemaRegistry,
  'defaultPath' | 'parseDepositUrl' | 'parseRecordUrl' | 'depositSchemaOf' | 'recordSchemaOf'
>

/** The record a deposit was published as; undefined for one that never was. */
type RecordSchema = Pick<PublishedRecord, 'schema'> | undefined

/**
 * Path of the schema of a deposit whose document was just sent. A document that names none keeps the
 * one the deposit has. Null comes about only where a record's schema has no twin among the deposits'.
 *
 * @param current the schema the deposit has; undefined for a new one
 * @throws {DepositError} unknown_schema: the document names none of the deposits', or null
 * @see Contract §5, "`_deposit`"
 */
export function schemaOfDocument(
  schemas: Schemas,
  document: JsonObject,
  current: string | null | undefined,
  record: RecordSchema,
): string | null {
  const named = document['$schema']
  if (named === null && current !== null) throw nullSchema()
  if (named !== undefined && named !== null) return schemas.parseDepositUrl(named)
  if (current === undefined) return schemas.defaultPath
  return current === null
    ? twinOf(schemas, record, schemas.defaultPath)
    : schemas.parseDepositUrl(current)
}

/** Path of the schema that a deposit takes from its record, when it is edited or discarded. */
export function schemaOfEdited(
  schemas: Schemas,
  current: string | null,
  record: RecordSchema,
): string | null {
  return twinOf(schemas, record, current ?? schemas.defaultPath)
}

/**
 * Path of the schema that a draft must be valid against to be published, and that its record gets;
 * null if the registry has no record schema for the draft's.
 *
 * @throws {DepositError} unknown_schema: the draft has a schema that is none of the deposits'
 */
export function schemaToPublish(
  schemas: Schemas,
  draft: string | null,
  record: RecordSchema,
): string | null {
  const known = draft === null ? record?.schema : undefined
  return known ?? schemas.recordSchemaOf(draft ?? schemas.defaultPath)
}

/** Path of the schema of a record that is corrected by `document`. @throws {DepositError} unknown_schema */
export function schemaOfCorrection(
  schemas: Schemas,
  document: JsonObject,
  { schema }: PublishedRecord,
): string | null {
  const named: Json | undefined = document['$schema']
  if (named === null && schema !== null) throw nullSchema()
  if (named !== undefined && named !== null) return schemas.parseRecordUrl(named)
  return schema ?? schemas.recordSchemaOf(schemas.defaultPath)
}

function twinOf(schemas: Schemas, record: RecordSchema, otherwise: string): string | null {
  return record && record.schema !== null ? schemas.depositSchemaOf(record.schema) : otherwise
}

function nullSchema(): DepositError<'unknown_schema'> {
  return problem('unknown_schema', {
    reason: '$schema cannot be null: omit it, or name a schema of this service.',
  })
}

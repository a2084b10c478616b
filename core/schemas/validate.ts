import spdx from 'spdx-correct'
import { problem, type Fault } from '../errors/errors.ts'
import { findWrapped } from '../contract/described.ts'
import { findDoubts, findMissing } from '../contract/metadata-advice.ts'
import type { JsonObject } from '../base/json.ts'
import { toFault } from '../contract/schema-fault.ts'
import type { SchemaRegistry } from './registry.ts'
import { findStrayFields } from './stray-fields.ts'

/** Most faults that are reported at once. */
const maxFaults = 100

/**
 * Everything in which `document` does not follow the schema at `path`, in the order of the schema;
 * nothing where there is no schema.
 *
 * @throws {DepositError} unknown_schema
 */
export function findFaults(
  schemas: SchemaRegistry,
  path: string | null,
  document: JsonObject,
): readonly Fault[] {
  if (path === null) return []
  const validate = schemas.validatorOf(path)
  if (validate(document)) return []
  const faults = (validate.errors ?? []).map(toFault)
  const distinct = new Map(faults.map((fault) => [`${fault.field} ${fault.message}`, fault]))
  return [...distinct.values()].slice(0, maxFaults)
}

/** @throws {DepositError} invalid_document: with all that {@link findFaults} found, if anything */
export function requireValid(
  schemas: SchemaRegistry,
  path: string | null,
  document: JsonObject,
): void {
  const faults = findFaults(schemas, path, document)
  if (faults.length > 0) throw problem('invalid_document', { faults })
}

/**
 * Recommended fields that a document lacks, and probable mistakes: nothing that publishing would
 * refuse.
 *
 * @param now ISO 8601, in UTC
 */
export function findWarnings(
  schemas: SchemaRegistry,
  path: string | null,
  document: JsonObject,
  now: string,
): readonly Fault[] {
  const schema = path === null ? undefined : schemas.find(path)
  const stray = findStrayFields(schemas, [path], document, now)
    .filter(({ isSure }) => !isSure)
    .map(({ field, message }) => ({ field, message }))
  if (schema === undefined) return stray
  const wrapped = findWrapped(schema, document)
  const isTold = ({ field }: Fault): boolean =>
    [...wrapped, ...stray].some((found) => found.field === field)
  const doubts = findDoubts(schema, document, { now, spdx }).filter((doubt) => !isTold(doubt))
  return [...wrapped, ...findMissing(schema, document), ...stray, ...doubts]
}

import { InvalidDocument, type Fault } from '../errors.ts'
import { ownField, type JsonObject } from '../json.ts'
import { childPointer } from '../contract/json-pointer.ts'
import { toFault } from '../contract/schema-fault.ts'
import type { SchemaRegistry } from './registry.ts'

/** Most faults that are told at once: more help nobody. */
const maxFaults = 100

/**
 * Everything in which `document` does not follow the schema at `path`, in the order of the schema;
 * nothing where there is no schema.
 *
 * @throws {UnknownSchema}
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

/** @throws {InvalidDocument} with all that {@link findFaults} found, if anything */
export function requireValid(
  schemas: SchemaRegistry,
  path: string | null,
  document: JsonObject,
): void {
  const faults = findFaults(schemas, path, document)
  if (faults.length > 0) throw new InvalidDocument(faults)
}

/**
 * What a document should have and lacks, by the keyword `recommended` of the schema: nothing that
 * stands in the way of publishing.
 */
export function findWarnings(
  schemas: SchemaRegistry,
  path: string | null,
  document: JsonObject,
): readonly Fault[] {
  const schema = path === null ? undefined : schemas.find(path)
  const recommended = schema ? ownField(schema, 'recommended') : undefined
  if (!Array.isArray(recommended)) return []
  return recommended
    .filter((name) => typeof name === 'string')
    .filter((name) => isBlank(ownField(document, name)))
    .map((name) => ({
      field: childPointer('', name),
      message: `A record should have the field "${name}".`,
    }))
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return (typeof value === 'string' && value.trim() === '') || isEmptyArray(value)
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

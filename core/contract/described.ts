import { isFields, type Fields } from './access-names.ts'
import { childPointer } from '../base/json.ts'
import type { SchemaFault } from './schema-fault.ts'

/** Fields that describe nothing: they say who may have the files, or are the service's. */
const aside = new Set(['access', '$schema'])

/** The names of the fields of a schema that describe a record; undefined if they cannot be known. */
function describingIn({ properties }: Fields): ReadonlySet<string> | undefined {
  if (!isFields(properties)) return undefined
  return new Set(Object.keys(properties).filter((name) => !aside.has(name)))
}

/**
 * Whether a document has a field that describes the record: of those of its schema, where these are
 * known, and else any.
 *
 * @param schema undefined where it is not known here
 */
export function isDescribed(schema: Fields | undefined, document: Fields): boolean {
  const known = schema && describingIn(schema)
  return Object.entries(document).some(([name, value]) => {
    if (name === '_deposit' || aside.has(name) || isEmpty(value)) return false
    return known?.has(name) ?? true
  })
}

/**
 * That a document has all that describes the record in a field `metadata`, as the interfaces of Zenodo
 * and InvenioRDM have it: no field of the schema has a value, and those within have no effect. Nothing
 * for a schema that has a field of this name.
 */
export function findWrapped(schema: Fields, document: Fields): readonly SchemaFault[] {
  const { metadata } = document
  const known = describingIn(schema)
  if (known === undefined || known.has('metadata') || !isFields(metadata)) return []
  if (isDescribed(schema, document)) return []
  const inner = Object.keys(metadata).filter((name) => known.has(name))
  if (inner.length === 0) return []
  const [first = ''] = inner
  const message =
    `The fields are inside "metadata", where they have no effect, and the record would have no "${first}". ` +
    `Move them out of it, to the top of the document${wayFor(document, metadata)}.`
  return [{ field: childPointer('', 'metadata'), message }]
}

/** For the metadata of other services, which are in other words: who converts them. */
function wayFor(document: Fields, metadata: Fields): string {
  const { creators, resource_type: type } = metadata
  const isOfZenodo = ['upload_type', 'access_right'].some((name) => Object.hasOwn(metadata, name))
  const isAlone = Object.keys(document).length === 1
  if (isOfZenodo && isAlone) return '; or save it as .zenodo.json, which `deposit create` converts'
  const isOfRdm =
    isFields(type) ||
    (Array.isArray(creators) && creators.some((one) => isFields(one) && 'person_or_org' in one))
  return isOfRdm ? '; `deposit pull` takes over a record of an InvenioRDM' : ''
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return value.trim() === ''
  return typeof value === 'object' && Object.keys(value).length === 0
}

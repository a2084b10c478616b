import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts'

/** A fault of Zenodo's metadata: the path of the field with dots between. */
export interface MetadataFault {
  readonly field: string
  readonly message: string
  /** A number of Zenodo's. */
  readonly code?: number
}

/** Tells what is wrong with a value, if anything. */
type Rule = (value: Json, field: string) => readonly MetadataFault[]

const fault = (field: string, message: string): readonly MetadataFault[] => [{ field, message }]

const text: Rule = (value, field) =>
  typeof value === 'string' ? [] : fault(field, 'Not a valid string.')

const day: Rule = (value, field) =>
  typeof value === 'string' && /^\d{4}(?:-\d{2}){0,2}$/.test(value)
    ? []
    : fault(field, 'Not a valid date.')

const oneOf =
  (words: string): Rule =>
  (value, field) =>
    typeof value === 'string' && words.split(' ').includes(value)
      ? []
      : fault(field, `Not a valid choice. Select one of: ${words.replaceAll(' ', ', ')}.`)

const listOf =
  (rule: Rule): Rule =>
  (value, field) =>
    isJsonArray(value) ? faultsOfItems(rule, value, field) : fault(field, 'Not a valid list.')

/** Faults of a list that are told. */
const mostFaults = 100

function faultsOfItems(rule: Rule, items: readonly Json[], field: string): MetadataFault[] {
  const found: MetadataFault[] = []
  for (const [index, item] of items.entries()) {
    if (found.length >= mostFaults) break
    found.push(...rule(item, `${field}.${index}`))
  }
  return found
}

/** @param required names of the fields that an object must have */
const objectOf =
  (rules: Readonly<Record<string, Rule>>, ...required: readonly string[]): Rule =>
  (value, field) => {
    if (!isJsonObject(value)) return fault(field, 'Not a valid object.')
    const missing = required.filter((name) => isBlank(value[name]))
    return [
      ...missing.map((name) => ({ field: `${field}.${name}`, message: requiredMessage })),
      ...faultsOf(rules, value, `${field}.`),
    ]
  }

const requiredMessage = 'Missing data for required field.'

/** An identifier alone, or an object that has it. */
const license: Rule = (value, field) =>
  isJsonObject(value) ? objectOf({ id: text }, 'id')(value, field) : text(value, field)

const person = { name: text, affiliation: text, orcid: text, gnd: text }

const kinds = {
  access: 'open embargoed restricted closed',
  upload:
    'publication poster presentation dataset image video software lesson physicalobject workflow other',
  publication:
    'annotationcollection article book conferencepaper datamanagementplan datapaper deliverable dissertation milestone other patent peerreview preprint proceeding proposal report section softwaredocumentation standard taxonomictreatment technicalnote thesis workingpaper',
  image: 'figure plot drawing diagram photo other',
}

const rules: Readonly<Record<string, Rule>> = {
  upload_type: oneOf(kinds.upload),
  publication_type: oneOf(kinds.publication),
  image_type: oneOf(kinds.image),
  access_right: oneOf(kinds.access),
  access_conditions: text,
  embargo_date: day,
  publication_date: day,
  title: text,
  description: text,
  creators: listOf(objectOf(person, 'name')),
  contributors: listOf(objectOf({ ...person, type: text }, 'name', 'type')),
  doi: text,
  keywords: listOf(text),
  notes: text,
  method: text,
  version: text,
  language: text,
  license,
  references: listOf(text),
  related_identifiers: listOf(
    objectOf(
      { identifier: text, relation: text, scheme: text, resource_type: text },
      'identifier',
      'relation',
    ),
  ),
  communities: listOf(objectOf({ identifier: text }, 'identifier')),
  grants: listOf(objectOf({ id: text }, 'id')),
  subjects: listOf(objectOf({ term: text, identifier: text, scheme: text }, 'term')),
  dates: listOf(objectOf({ type: text, description: text }, 'type')),
  locations: listOf(objectOf({ place: text, description: text }, 'place')),
  thesis_supervisors: listOf(objectOf(person, 'name')),
  custom: objectOf({}),
}

/** Every fault in metadata that a client sends. A draft may lack any field. */
export function findFaults(metadata: JsonObject): readonly MetadataFault[] {
  return faultsOf(rules, metadata, 'metadata.')
}

function faultsOf(
  known: Readonly<Record<string, Rule>>,
  value: JsonObject,
  prefix: string,
): readonly MetadataFault[] {
  return Object.entries(value).flatMap(([name, item]) => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    // A client clears a field by null.
    return rule === undefined || item === null ? [] : rule(item, prefix + name)
  })
}

/** Every fault that keeps Zenodo from publishing metadata, and us. */
export function findPublishFaults(metadata: JsonObject): readonly MetadataFault[] {
  const { upload_type: type, access_right: access } = metadata
  const required = [
    'title',
    'upload_type',
    'description',
    'creators',
    ...(type === 'publication' ? ['publication_type'] : []),
    ...(type === 'image' ? ['image_type'] : []),
  ]
  const missing = required
    .filter((name) => isBlank(metadata[name]))
    .map((name) => ({ field: `metadata.${name}`, message: requiredMessage }))
  if (access === undefined || access === 'open') return missing
  const limits = `The files cannot be kept closed: publishing makes them public. ${
    access === 'embargoed' ? 'Publish when the embargo is over, or set' : 'If they are open, set'
  } access_right to open.`
  return [...missing, { field: 'metadata.access_right', message: limits }]
}

function isBlank(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' ? value.trim() === '' : isJsonArray(value) && value.length === 0
}

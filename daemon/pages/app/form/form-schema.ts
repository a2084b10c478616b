import type { RJSFSchema } from '@rjsf/utils'
import { isArray, isObject } from '../api/json.ts'
import type { Json, JsonObject } from '../api/json.ts'
import { text } from '../../text/text.ts'
import { vocabularyOf } from './vocabulary.ts'

/** A schema for the form, and what stays beside it. */
export interface FormSchema {
  readonly schema: RJSFSchema
  /** Names of fields whose lack is worth a word. */
  readonly recommended: ReadonlySet<string>
}

/**
 * Makes the form's schema: that of the deposit, with what the record's demands. Fields that the
 * schema does not know are not the form's; they are kept as they are.
 */
export function toFormSchema(deposit: JsonObject, record: JsonObject | undefined): FormSchema {
  const required = record?.['required'] ?? []
  const recommended = deposit['recommended'] ?? record?.['recommended']
  const own = { ...deposit, properties: withObjects(deposit['properties']) }
  const schema = withUnions({ ...own, required, additionalProperties: false })
  // The service's own registry checked that this is a JSON Schema.
  return { schema: schema as RJSFSchema, recommended: new Set(texts(recommended)) }
}

/** The fields of `document` that the form shows, and those that it does not: unknown ones, and texts where it has an object. */
export function splitDocument(schema: RJSFSchema, document: JsonObject) {
  const isShown = ([name, part]: readonly [string, unknown]): boolean => {
    const value = document[name]
    const { type } = part as { readonly type?: unknown }
    return type !== 'object' || value === undefined || isObject(value)
  }
  const known = new Set(
    Object.entries(schema.properties ?? {})
      .filter(isShown)
      .map(([name]) => name),
  )
  const entries = Object.entries(document)
  return {
    shown: Object.fromEntries(entries.filter(([name]) => known.has(name))),
    other: Object.fromEntries(entries.filter(([name]) => !known.has(name))),
  }
}

/** Of `access` the form shows the object alone: words of others (`access: open`) are kept beside it. */
function withObjects(properties: Json | undefined): JsonObject {
  const known = isObject(properties) ? properties : {}
  const { access } = known
  if (!isObject(access) || !texts(access['type']).includes('object')) return known
  return { ...known, access: { ...access, type: 'object' } }
}

/** A value of several types is a choice between them: `{type: [a, b]}` becomes `anyOf`. */
function withUnions(schema: Json): Json {
  if (isArray(schema)) return schema.map(withUnions)
  if (!isObject(schema)) return schema
  const { type, ...rest } = schema
  const inside = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, withUnions(value)] as const),
  )
  const types = texts(type).filter((name) => name !== 'null')
  // Its widget takes both forms: the name alone, and the name with an identifier.
  if (types.length === 2 && types.includes('string') && vocabularyOf(schema) !== undefined)
    return { ...inside, type: 'string' }
  if (!isArray(type) || types.length < 2) return type === undefined ? inside : { ...inside, type }
  const { title = '', description, properties, required, items, ...shared } = inside
  const options = types.map((name) => ({
    type: name,
    title: typeTitles.get(name) ?? name,
    ...(name === 'object' && properties !== undefined && { properties, required: required ?? [] }),
    ...(name === 'array' && items !== undefined && { items }),
  }))
  return { ...shared, title, ...(description !== undefined && { description }), anyOf: options }
}

/** The choices between types, in words. */
const typeTitles: ReadonlyMap<string, string> = new Map([
  ['string', text('form.type.string')],
  ['object', text('form.type.object')],
  ['array', text('form.type.array')],
  ['number', text('form.type.number')],
  ['integer', text('form.type.number')],
  ['boolean', text('form.type.boolean')],
])

function texts(value: Json | undefined): readonly string[] {
  return isArray(value) ? value.filter((element) => typeof element === 'string') : []
}

/** A person is asked for one name: the parts of it are not shown. */
const oneName = {
  given_name: { 'ui:widget': 'hidden' },
  family_name: { 'ui:widget': 'hidden' },
}

/**
 * How the package's own schemas are laid out, in the form library's words (`uiSchema`), with one
 * addition: `sections` group the fields of the document. Fields that are in no section come last.
 *
 * @see https://rjsf-team.github.io/react-jsonschema-form/docs/api-reference/uiSchema
 */
export const defaultLayout: JsonObject = {
  sections: [
    {
      title: text('form.section.about'),
      fields: [
        'title',
        'creators',
        'description',
        'resource_type',
        'publication_date',
        'license',
        'access',
        'keywords',
      ],
    },
    {
      title: text('form.section.more'),
      closed: true,
      fields:
        'version publisher language contributors subjects methods dates locations notes'.split(' '),
    },
    {
      title: text('form.section.connections'),
      closed: true,
      fields: 'related_identifiers references doi alternate_identifiers funding'.split(' '),
    },
  ],
  creators: { items: oneName },
  contributors: { items: oneName },
  keywords: { 'ui:field': 'keywords' },
  description: { 'ui:widget': 'textarea' },
  methods: { 'ui:widget': 'textarea' },
  notes: { 'ui:widget': 'textarea' },
}

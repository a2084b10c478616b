import { isJsonObject, childPointer, parsePointer } from '../base/json.ts'
import type { ErrorObject } from 'ajv'
import { doiOf } from './foreign-values.ts'
import { lineFor } from './metadata-examples.ts'
import { nearest } from './nearest.ts'

/** A fault in a document, and its place. */
export interface SchemaFault {
  /** JSON pointer. */
  readonly field: string
  readonly message: string
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

const formatNames: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-11-20',
  'date-or-period': 'a date, or two with a slash between, such as 2025-04-01/2025-06-30',
  'date-time': 'a time such as 2026-11-20T12:00:00Z',
  email: 'an e-mail address',
  'language-tag': 'a language tag such as en or pt-BR',
  'partial-date': 'a date such as 2026-11-20, 2026-11 or 2026',
  'relation-type': 'one of DataCite’s relation types, such as IsSupplementTo',
  uri: 'an absolute URI',
}

/** An error of the validator as a sentence, at the place to change. */
export function toFault(error: ErrorObject): SchemaFault {
  const field = fieldOf(error)
  if (error.keyword === 'format' && error.params['format'] === 'orcid')
    return { field, message: 'That is not a valid ORCID iD; check the last digit.' }
  const doi = error.keyword === 'pattern' && field.endsWith('/doi') ? doiOf(error.data) : undefined
  if (doi !== undefined) return { field, message: `Write the DOI alone: ${doi}` }
  const message = sentence(`${subjectOf(error, field)} ${predicateOf(error)}`)
  const isForm = error.keyword === 'type' || error.keyword === 'required'
  const line = isForm ? lineFor(field, error.parentSchema) : undefined
  return { field, message: line === undefined ? message : `${message} Write: ${line}` }
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`
}

/** A missing field is reported at its own place, not at its parent. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const name: unknown = params[keyword === 'required' ? 'missingProperty' : 'additionalProperty']
  return typeof name === 'string' ? childPointer(instancePath, name) : instancePath
}

function subjectOf({ parentSchema, keyword }: ErrorObject, field: string): string {
  const name = parsePointer(field)?.at(-1)
  const schema: unknown = keyword === 'required' ? propertyOf(parentSchema, name) : parentSchema
  const title = isJsonObject(schema) ? schema['title'] : undefined
  if (typeof title === 'string') return title
  return name === undefined ? 'The document' : `"${name}"`
}

function propertyOf(schema: unknown, name: string | undefined): unknown {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  return isJsonObject(properties) && name !== undefined ? properties[name] : undefined
}

function predicateOf({
  keyword,
  params,
  schema,
  parentSchema,
  message,
  data,
}: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing'
    case 'type':
      return `must be ${[params['type']].flat().map(typeName).join(' or ')}`
    case 'format':
      return `must be ${formatNames[String(params['format'])] ?? `a ${params['format']}`}`
    case 'enum':
      return notInEnum(data, [schema].flat())
    case 'minLength':
    case 'minItems':
      return params['limit'] === 1 ? 'must not be empty' : String(message)
    case 'pattern':
      return `must match the pattern ${params['pattern']}${exampleOf(parentSchema)}`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a field of this schema'
    case 'anyOf':
    case 'oneOf':
      return 'has none of the forms that the schema allows'
    default:
      return message ?? `does not follow "${keyword}"`
  }
}

function exampleOf(schema: unknown): string {
  const examples = isJsonObject(schema) ? schema['examples'] : undefined
  const [example] = Array.isArray(examples) ? (examples as readonly unknown[]) : []
  return typeof example === 'string' ? `, such as ${example}` : ''
}

/** Suggests a similar value, or lists all of them. */
function notInEnum(data: unknown, values: readonly unknown[]): string {
  const texts = values.filter((value) => typeof value === 'string')
  const near = typeof data === 'string' ? nearest(data, texts) : undefined
  if (near !== undefined) return `cannot be ${JSON.stringify(data)}; did you mean "${near}"?`
  return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}

function typeName(type: unknown): string {
  return typeNames[String(type)] ?? String(type)
}

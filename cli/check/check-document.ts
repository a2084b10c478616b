import type { ErrorObject } from 'ajv'
import { childPointer } from '../../core/contract/json-pointer.ts'
import { defaults } from '../../core/contract/defaults.ts'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { metadataFormats } from '../../core/contract/metadata-formats.ts'
import { toFault } from '../../core/contract/schema-fault.ts'
import type { Metadata } from '../client/deposit-client.ts'
import type { Findings } from './finding.ts'

/**
 * What the package's schemas say of a document that is to be published: the one that its `$schema`
 * names, or the default. A schema of an operator's own is known to the server alone.
 */
export async function checkDocument(document: Metadata): Promise<Findings> {
  const name = schemaOf(document)
  if (name === undefined) return { errors: [], warnings: [unknownSchema(document)] }
  const schema = packageSchemas[name]
  const errors = await validate(schema, document)
  const recommended: unknown = 'recommended' in schema ? schema.recommended : []
  const wanted = Array.isArray(recommended) ? recommended.map(String) : []
  const missing = wanted.filter((field) => isBlank(document[field]))
  return {
    errors,
    warnings: missing.map((field) => ({
      field: childPointer('', field),
      message: `A record should have the field "${field}".`,
    })),
  }
}

type SchemaName = keyof typeof packageSchemas

/** The record's twin of the deposit's schema: a draft may be incomplete. */
function schemaOf({ $schema: given }: Metadata): SchemaName | undefined {
  const path = typeof given === 'string' ? given : defaults.DEPOSIT_DEFAULT_JSONSCHEMA
  const [, name = ''] = /(?:^|\/)([\w.-]+\.json)#?$/.exec(path) ?? []
  return isSchemaName(name) ? name : undefined
}

function isSchemaName(name: string): name is SchemaName {
  return Object.hasOwn(packageSchemas, name)
}

async function validate(schema: object, document: Metadata): Promise<Findings['errors']> {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  const ajv = new Ajv({ allErrors: true, verbose: true, ownProperties: true, strict: false })
  formats.default.default(ajv)
  for (const [name, check] of Object.entries(metadataFormats))
    ajv.addFormat(name, { type: 'string', validate: check })
  const isValid = ajv.compile(schema)
  if (isValid(document)) return []
  return distinct(isValid.errors ?? [])
}

function distinct(errors: readonly ErrorObject[]): Findings['errors'] {
  const faults = errors.map(toFault).map(({ field, message }) => ({ field, message }))
  return [...new Map(faults.map((fault) => [`${fault.field} ${fault.message}`, fault])).values()]
}

function unknownSchema({ $schema: schema }: Metadata) {
  return { field: '/$schema', message: `${String(schema)} is checked by the server alone.` }
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return (typeof value === 'string' && value.trim() === '') || isEmptyList(value)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

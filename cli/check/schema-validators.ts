import type { ErrorObject, Options } from 'ajv'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { schemaFormats } from './schema-formats.ts'

export type SchemaName = keyof typeof packageSchemas

/** Whether a document follows a schema; afterwards it has the errors of this document. */
export type Validate = ((document: unknown) => boolean) & {
  errors?: readonly ErrorObject[] | null
}

/** The schemas are our own. */
export const validation: Options = {
  allErrors: true,
  verbose: true,
  ownProperties: true,
  strict: false,
  validateSchema: false,
  meta: false,
  formats: schemaFormats,
}

const compiled = new Map<SchemaName, Validate>()

/**
 * The validator of a schema of the package. The build puts validators that were compiled then in the
 * place of this module (`cli/build/compiled-schemas.ts`): compiling takes longer than most commands.
 */
export async function validatorOf(name: SchemaName): Promise<Validate> {
  const known = compiled.get(name)
  if (known !== undefined) return known
  const { Ajv } = await import('ajv')
  // Optimizing takes longer than the documents of a command do.
  const code = { optimize: false }
  const made = new Ajv({ ...validation, code }).compile(packageSchemas[name])
  compiled.set(name, made)
  return made
}

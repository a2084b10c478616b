import { _, Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { validation, type SchemaName } from './schema-validators.ts'

/**
 * JavaScript that defines `validate`: the validator of a schema, compiled. It uses `schemaFormats`
 * and `ucs2length` (`schema-formats.ts`).
 *
 * @throws {Error} the code needs more
 */
export function codeOf(name: SchemaName): string {
  const code = { source: true, esm: true, formats: _`schemaFormats` }
  const ajv = new Ajv({ ...validation, code })
  const text = standalone
    .default(ajv, ajv.compile(packageSchemas[name]))
    .replace(/export const validate = (\w+);export default \1;/, 'const validate = $1;')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'ucs2length')
  if (/\bexport\b|\brequire\(/.test(text))
    throw new Error(`the validator of ${name} is no function`)
  return text
}

import { fileURLToPath } from 'node:url'
import { _, Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { normalizePath, type Plugin } from 'vite'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { validation, type SchemaName } from '../check/schema-validators.ts'

const room = normalizePath(fileURLToPath(new URL('../check', import.meta.url)))
/** The modules that are made of the schemas lie there, for the build alone. */
const compiled = `${room}/compiled/`

/** Puts validators that are compiled now in the place of the module that compiles them. */
export const compiledSchemas: Plugin = {
  name: 'compiled-schemas',
  load: (id) => {
    if (id === `${room}/schema-validators.ts`) return { code: chooser, moduleType: 'js' }
    const name = id.startsWith(compiled) ? id.slice(compiled.length, -'.js'.length) : undefined
    return isSchemaName(name) ? { code: moduleOf(name), moduleType: 'js' } : undefined
  },
  resolveId: (id) => (id.startsWith(compiled) ? id : undefined),
}

/** Loads one of them: a command needs one at most. */
const chooser = `const modules = {
${Object.keys(packageSchemas)
  .map((name) => `  '${name}': () => import('${compiled}${name}.js'),`)
  .join('\n')}
}
export const validatorOf = async (name) => (await modules[name]()).validate
`

function moduleOf(name: SchemaName): string {
  return `import { schemaFormats, ucs2length } from '${room}/schema-formats.ts'
${codeOf(name)}
export { validate }
`
}

function isSchemaName(name: string | undefined): name is SchemaName {
  return name !== undefined && Object.hasOwn(packageSchemas, name)
}

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

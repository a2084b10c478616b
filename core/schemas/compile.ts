import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { RE2JS } from 're2js'
import type { JsonObject } from '../base/json.ts'
import { metadataFormats } from '../contract/metadata-formats.ts'

/** Base under which schemas refer to each other by their paths. Nothing is ever fetched from it. */
const internalBase = 'https://schemas.invalid/'

const draft07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/
const draft2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

const options: Options = {
  allErrors: true,
  verbose: true,
  ownProperties: true,
  // Operators' schemas may bear hints for forms and formats of their own, which mean nothing here.
  strict: false,
  logger: false,
  code: { regExp: Object.assign(linearRegExp, { code: 'linearRegExp' }) },
}

/** Compiles schemas of one set, each when it is first asked for. */
export class SchemaCompiler {
  readonly #draft07 = withFormats(new Ajv(options))
  readonly #draft2020 = withFormats(new Ajv2020(options))
  readonly #schemas: ReadonlyMap<string, JsonObject>
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(schemas: ReadonlyMap<string, JsonObject>) {
    this.#schemas = schemas
    for (const [path, schema] of schemas) {
      // Checked when it is compiled: one broken schema is no reason not to know the others.
      this.#dialectOf(path, schema).addSchema(identified(path, schema), undefined, false, false)
    }
  }

  /** @throws Error when the schema is broken, or refers to one that the set does not have */
  compile(path: string): ValidateFunction {
    const compiled = this.#compiled.get(path)
    if (compiled) return compiled
    const schema = this.#schemas.get(path) ?? {}
    const dialect = this.#dialectOf(path, schema)
    void dialect.validateSchema(schema, true)
    const validator = dialect.getSchema(internalBase + path)
    if (!validator) throw new Error(`there is no schema ${path}`)
    this.#compiled.set(path, validator)
    return validator
  }

  #dialectOf(path: string, schema: JsonObject): Ajv {
    const dialect = schema['$schema'] ?? 'http://json-schema.org/draft-07/schema#'
    if (typeof dialect === 'string' && draft07.test(dialect)) return this.#draft07
    if (typeof dialect === 'string' && draft2020.test(dialect)) return this.#draft2020
    throw new Error(`the schema ${path} is written in neither draft-07 nor draft 2020-12`)
  }
}

function identified(path: string, schema: JsonObject): JsonObject {
  return { ...schema, $id: internalBase + path }
}

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv)
  for (const [name, validate] of Object.entries(metadataFormats)) {
    ajv.addFormat(name, { type: 'string', validate })
  }
  return ajv
}

/** A pattern that takes time in proportion to the text, for any pattern. */
function linearRegExp(pattern: string): { readonly test: (text: string) => boolean } {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  return { test: (text) => compiled.matcher(text).find() }
}

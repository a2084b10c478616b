import { Ajv, type ValidateFunction, type Options } from 'ajv'
import { packageSchemas } from '../contract/metadata.ts'
import { schemasPrefix } from '../contract/routes.ts'
import { problem } from '../errors/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { typesOnly } from './types-only.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { RE2JS } from 're2js'
import { metadataFormats } from '../contract/metadata-formats.ts'

/**
 * The JSON Schemas of this service, by their path below `/schemas/`. Nothing is ever fetched: a
 * schema is here or it is unknown.
 *
 * @see Specification, "Deposit", rule 3
 */
export interface SchemaRegistry {
  readonly paths: readonly string[]
  /** Those below the prefix of deposit schemas. */
  readonly depositPaths: readonly string[]
  /** Path of the schema of deposits that name none: one of the deposits' own. */
  readonly defaultPath: string
  /** The schema as it is served. */
  readonly find: (path: string) => JsonObject | undefined
  /** Absolute URL of the schema at `path`. */
  readonly toUrl: (path: string) => string
  /**
   * Path of the schema that a `$schema` names: by the URL it is served at, or by its path.
   *
   * @throws {DepositError} unknown_schema: it is not one of this service
   */
  readonly parseUrl: (url: Json) => string
  /**
   * The same for a deposit: its deposit schema where `url` names the record schema of one.
   *
   * @throws {DepositError} unknown_schema: also where the path is not below the prefix of deposit schemas
   */
  readonly parseDepositUrl: (url: Json) => string
  /** The same for a record: its record schema where `url` names the deposit schema of one. */
  readonly parseRecordUrl: (url: Json) => string
  /** Null where the registry has no deposit schema for that record schema. */
  readonly depositSchemaOf: (recordPath: string) => string | null
  /**
   * Null where the registry has no record schema for that deposit schema.
   *
   * @throws {DepositError} unknown_schema: the path is none of a deposit schema
   */
  readonly recordSchemaOf: (depositPath: string) => string | null
  /**
   * Checks documents by the schema at `path`: of a deposit schema the types alone, since a draft
   * may be incomplete. Compiled when first asked for.
   *
   * @throws {DepositError} unknown_schema
   */
  readonly validatorOf: (path: string) => ValidateFunction
  /** Faults of schemas that cannot be compiled: for the start, not for requests. */
  readonly faults: () => readonly { readonly path: string; readonly reason: string }[]
}

/** Which schemas deposits of one endpoint may have. */
interface SchemaChoice {
  readonly defaultPath: string
  /** All of the deposits' where it is absent. */
  readonly paths?: readonly string[] | undefined
}

/** The same registry for deposits that may have some of its schemas alone. */
export function narrowSchemas(
  registry: SchemaRegistry,
  { defaultPath, paths }: SchemaChoice,
): SchemaRegistry {
  if (!paths) return { ...registry, defaultPath }
  return {
    ...registry,
    defaultPath,
    depositPaths: registry.depositPaths.filter((path) => paths.includes(path)),
    parseDepositUrl: (url) => {
      const path = registry.parseDepositUrl(url)
      if (paths.includes(path)) return path
      const names = paths.join(', ')
      throw problem('unknown_schema', {
        reason: `${path} is not a schema of these deposits; they may have ${names}.`,
      })
    },
  }
}

interface RegistryOptions {
  /** `DEPOSIT_JSONSCHEMAS_PREFIX`. */
  readonly prefix: string
  /** `DEPOSIT_DEFAULT_JSONSCHEMA`. */
  readonly defaultPath: string
  /** Scheme, host and port that clients know the service by; may only be known once it listens. */
  readonly origin: () => string
  /** The operator's schemas by path; one of the package's is replaced by its namesake. */
  readonly schemas?: Readonly<Record<string, JsonObject>>
}

export function createSchemaRegistry(options: RegistryOptions): SchemaRegistry {
  const { prefix, origin, defaultPath } = options
  const schemas = new Map<string, JsonObject>([
    ...Object.entries(packageSchemas).map(([path, schema]) => [path, toJson(schema)] as const),
    ...Object.entries(options.schemas ?? {}),
  ])
  const known = (path: string) => (schemas.has(path) ? path : null)
  const depositSchemaOf = (path: string) => known(prefix + path)
  const recordSchemaOf = (path: string) => known(requireOfDeposits(path).slice(prefix.length))
  const requireOfDeposits = (path: string): string => {
    if (path.startsWith(prefix)) return path
    throw problem('unknown_schema', {
      reason: `${path} is not a deposit schema: their paths begin with ${prefix}.`,
    })
  }
  const parseUrl = (url: Json) => {
    const base = origin() + schemasPrefix
    const path = typeof url === 'string' && url.startsWith(base) ? url.slice(base.length) : url
    if (typeof path === 'string' && schemas.has(path)) return path
    const shown = typeof url === 'string' ? url : JSON.stringify(url)
    throw problem('unknown_schema', { reason: `${shown} is not a schema of this service.` })
  }
  return {
    paths: [...schemas.keys()],
    depositPaths: [...schemas.keys()].filter((path) => path.startsWith(prefix)),
    defaultPath,
    find: (path) => schemas.get(path),
    toUrl: (path) => origin() + schemasPrefix + path,
    parseUrl,
    parseDepositUrl: (url) => {
      const path = parseUrl(url)
      return depositSchemaOf(path) ?? requireOfDeposits(path)
    },
    parseRecordUrl: (url) => {
      const path = parseUrl(url)
      return path.startsWith(prefix) ? (recordSchemaOf(path) ?? path) : path
    },
    depositSchemaOf,
    recordSchemaOf,
    ...(options.schemas && Object.keys(options.schemas).length > 0
      ? validators(schemas, prefix)
      : {
          validatorOf: (path) => packageValidators(schemas, prefix).validatorOf(path),
          faults: () => packageValidators(schemas, prefix).faults(),
        }),
  }
}

type Validators = Pick<SchemaRegistry, 'validatorOf' | 'faults'>

/** Of the package's schemas alone, by the prefix of deposit schemas: no start compiles them anew. */
const ofPackage = new Map<string, Validators>()

function packageValidators(schemas: ReadonlyMap<string, JsonObject>, prefix: string): Validators {
  const known = ofPackage.get(prefix)
  if (known) return known
  const made = validators(schemas, prefix)
  ofPackage.set(prefix, made)
  return made
}

function validators(schemas: ReadonlyMap<string, JsonObject>, prefix: string): Validators {
  const whole = new SchemaCompiler(schemas)
  const types = new Map([...schemas].map(([path, schema]) => [path, typesOnly(schema)] as const))
  const ofDrafts = new SchemaCompiler(types)
  const validatorOf = (path: string) => {
    if (!schemas.has(path))
      throw problem('unknown_schema', { reason: `${path} is not a schema of this service.` })
    return (path.startsWith(prefix) ? ofDrafts : whole).compile(path)
  }
  const faults = () =>
    [...schemas.keys()].flatMap((path) => {
      const reason = reasonNotToCompile(() => [whole.compile(path), validatorOf(path)])
      return reason === undefined ? [] : [{ path, reason }]
    })
  return { validatorOf, faults }
}

function reasonNotToCompile(compile: () => unknown): string | undefined {
  try {
    compile()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The package's own, which its files make JSON. */
function toJson(schema: object): JsonObject {
  if (!isJsonObject(schema)) throw new TypeError('a schema is an object')
  return schema
}

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
class SchemaCompiler {
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

/**
 * A pattern that takes time in proportion to the text, for any pattern. Ajv tells the patterns of a
 * schema apart by their texts.
 */
function linearRegExp(pattern: string): Pattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern }
}

interface Pattern {
  readonly test: (text: string) => boolean
  readonly toString: () => string
}

import { glob } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  createSchemaRegistry,
  isJsonObject,
  isProblem,
  narrowSchemas,
  type JsonObject,
  type SchemaRegistry,
} from '../../core/index.ts'
import { ConfigFaults } from '../config/faults.ts'
import { readJsonFile } from '../config/config-file.ts'
import type { RestEndpoint } from '../config/rest-endpoints.ts'
import { StartFailure } from '../start-failure.ts'

interface SchemaSettings {
  /** Folder of the operator's schemas. */
  readonly folder: string
  /** `DEPOSIT_JSONSCHEMAS_PREFIX`. */
  readonly prefix: string
  /** `DEPOSIT_DEFAULT_JSONSCHEMA`. */
  readonly defaultPath: string
  readonly origin: () => string
}

/**
 * The registry of the package's schemas and the operator's: every `*.json` below `folder`, by its
 * path. Faults of one are reported at the start, not when a deposit first names it.
 *
 * @throws {StartFailure} files are no JSON Schemas that can be used; the message has a line for each
 */
export async function openSchemas(settings: SchemaSettings): Promise<SchemaRegistry> {
  const { folder, prefix, defaultPath } = settings
  const faults = new ConfigFaults()
  const schemas = await readSchemas(folder, faults)
  const hasBroken = faults.any
  const registry = atStart(folder, () => createSchemaRegistry({ ...settings, schemas }))
  const found = Object.keys(schemas).length > 0 ? registry.faults() : []
  for (const { path, reason } of found) faults.add(`${join(folder, path)}: ${reason}`)
  if (!hasBroken && !registry.depositPaths.includes(defaultPath)) {
    const there = registry.depositPaths.join(', ') || 'none'
    faults.add(
      `DEPOSIT_DEFAULT_JSONSCHEMA names no schema of deposits: ${defaultPath}. ` +
        `DEPOSIT_JSONSCHEMAS_PREFIX is ${prefix}, and below it there are: ${there}.`,
    )
  }
  faults.requireNone()
  return registry
}

/**
 * The schemas that deposits of an endpoint may have.
 *
 * @throws {StartFailure} it names some that deposits cannot have
 */
export function chooseSchemas(
  schemas: SchemaRegistry,
  { name, options }: Pick<RestEndpoint, 'name' | 'options'>,
): SchemaRegistry {
  const { jsonschemas: paths, default_jsonschema: given } = options
  const known = schemas.depositPaths
  const key = `DEPOSIT_REST_ENDPOINTS.${name}`
  const strange = [...(paths ?? []), ...(given === undefined ? [] : [given])].find(
    (path) => !known.includes(path),
  )
  if (strange !== undefined) {
    throw new StartFailure(
      'config',
      `${key} names no schema of deposits: ${strange}. There are ${known.join(', ')}.`,
    )
  }
  const [first = schemas.defaultPath] = paths ?? []
  const isOpen = !paths || paths.includes(schemas.defaultPath)
  const defaultPath = given ?? (isOpen ? schemas.defaultPath : first)
  if (paths && !paths.includes(defaultPath)) {
    throw new StartFailure(
      'config',
      `${key}.default_jsonschema is ${defaultPath}, which is not in jsonschemas: ${paths.join(', ')}.`,
    )
  }
  return narrowSchemas(schemas, { defaultPath, paths })
}

async function readSchemas(
  folder: string,
  faults: ConfigFaults,
): Promise<Readonly<Record<string, JsonObject>>> {
  const schemas: Record<string, JsonObject> = {}
  for await (const path of glob('**/*.json', { cwd: folder })) {
    const file = join(folder, path)
    const schema = await faults.of(async () => readSchema(file))
    if (schema) schemas[path.split(sep).join('/')] = schema
  }
  return schemas
}

async function readSchema(file: string): Promise<JsonObject> {
  const schema = await readJsonFile(file)
  if (isJsonObject(schema)) return schema
  throw new StartFailure('config', `${file}: a JSON Schema is an object.`)
}

/** Turns what is wrong with the operator's files into a failure to start that names them. */
function atStart<Result>(where: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (isProblem(error) || (error instanceof Error && error.name === 'Error')) {
      throw new StartFailure('config', `${where}: ${error.message}`, { cause: error })
    }
    throw error
  }
}

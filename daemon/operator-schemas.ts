import { glob, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  createSchemaRegistry,
  DepositError,
  isJsonObject,
  type JsonObject,
  type SchemaRegistry,
} from '../core/index.ts'
import { parseJsonFile } from './config/faults.ts'
import { StartFailure } from './start-failure.ts'

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
 * path. What is wrong with one of them is said at the start, not when a deposit first names it.
 *
 * @throws {StartFailure} a file is no JSON Schema that can be used; the message names it
 */
export async function openSchemas(settings: SchemaSettings): Promise<SchemaRegistry> {
  const { folder, prefix, defaultPath } = settings
  const schemas = await readSchemas(folder)
  const registry = atStart(folder, () => createSchemaRegistry({ ...settings, schemas }))
  const [fault] = Object.keys(schemas).length > 0 ? registry.faults() : []
  if (fault) throw new StartFailure('config', `${join(folder, fault.path)}: ${fault.reason}`)
  if (registry.depositPaths.includes(defaultPath)) return registry
  throw new StartFailure(
    'config',
    `DEPOSIT_DEFAULT_JSONSCHEMA names no schema of deposits: ${defaultPath}. ` +
      `DEPOSIT_JSONSCHEMAS_PREFIX is ${prefix}, and below it there are: ${registry.depositPaths.join(', ') || 'none'}.`,
  )
}

async function readSchemas(folder: string): Promise<Readonly<Record<string, JsonObject>>> {
  const schemas: Record<string, JsonObject> = {}
  for await (const path of glob('**/*.json', { cwd: folder })) {
    const file = join(folder, path)
    schemas[path.split(sep).join('/')] = parseSchema(file, await readFile(file, 'utf8'))
  }
  return schemas
}

function parseSchema(file: string, text: string): JsonObject {
  const schema = parseJsonFile(file, text)
  if (isJsonObject(schema)) return schema
  throw new StartFailure('config', `${file}: a JSON Schema is an object.`)
}

/** Turns what is wrong with the operator's files into a failure to start that names them. */
function atStart<Result>(where: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof DepositError || (error instanceof Error && error.name === 'Error')) {
      throw new StartFailure('config', `${where}: ${error.message}`, { cause: error })
    }
    throw error
  }
}

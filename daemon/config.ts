import { isAbsolute, relative, resolve } from 'node:path'
import { defaultMaxResultWindow, defaultPort } from '../core/contract/defaults.ts'
import {
  mintedBy,
  recordMinters,
  type Actions,
  type Minter,
  type Receivers,
  type RecordMinter,
  type SearchOptions,
} from '../core/index.ts'
import { checkValues, contentOf, requireKnownKeys, requireValid } from './config/check-values.ts'
import { loadConfigFile } from './config/config-file.ts'
import type { EndpointOptions } from './config/endpoint-options.ts'
import { extensionKeys, extensionSchemas, type Extensions } from './config/extensions.ts'
import type { ConfigValues } from './config/keys.ts'
import { parseEnvironment, unknownVariables, type Environment } from './config/parse-environment.ts'
import { ConfigFaults } from './config/faults.ts'
import { readPageSettings, templatePaths } from './config/page-settings.ts'
import { toSearchOptions } from './config/search-options.ts'
import { apiRoutes, type ApiRoutes } from './endpoints.ts'
import { readExposure, type Exposure } from './exposure.ts'
import { readIssuerSettings, type ExternalIssuerSettings } from './identity/external/settings.ts'
import type { PageSettings } from './pages/settings.ts'
import { StartFailure } from './start-failure.ts'

/** Everything the daemon can be told, checked and typed. */
export interface DaemonConfig {
  readonly home: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly exposure: Exposure
  /** Absent where the embedded issuer is used. */
  readonly issuer: ExternalIssuerSettings | undefined
  /** `postgres://…`; absent where the rows are in a file of the home. */
  readonly databaseUrl: string | undefined
  /** `s3://…`; absent where the bytes are in a folder of the home. */
  readonly storageUrl: string | undefined
  /** Whether the home may lie on the file system of a network. */
  readonly allowNetworkFs: boolean
  /** A value for each key, where nothing below has taken it up. */
  readonly values: ConfigValues
  readonly endpoint: EndpointOptions
  readonly routes: ApiRoutes
  readonly searchOptions: SearchOptions
  /** Address of a deposit's page, with `{scheme}`, `{host}` and `{pid_value}`. */
  readonly pageUrl: string
  readonly pages: PageSettings
  /** Further actions, from the configuration file. */
  readonly actions: Actions
  readonly receivers: Receivers
  readonly mintRecord: RecordMinter
  /** Paths of files in the home that the configuration is made of, relative to it. */
  readonly files: readonly string[]
  /** What an operator should know and what stops nothing. */
  readonly warnings: readonly string[]
}

/** What the command line of `depositd serve` says; it wins over the environment. */
export interface ServeOptions {
  readonly host?: string
  readonly port?: string
  readonly allowNetworkFs?: boolean
  /** File of the log, in place of standard error. */
  readonly logFile?: string
}

/**
 * Reads the environment and the configuration file: nothing else of the daemon does. A key of the
 * environment wins over the same of the file.
 *
 * @throws {StartFailure} values are wrong; the message has a line for each, with its key
 */
export async function readConfig(
  env: Environment,
  options: ServeOptions = {},
): Promise<DaemonConfig> {
  const home = await homeOf(env)
  const file = await loadConfigFile(home, env['DEPOSIT_CONFIG'])
  const content = file ? contentOf(file) : {}
  const faults = new ConfigFaults()
  if (file) await faults.of(() => requireKnownKeys(file.path, content))
  const given = await faults.of(() => parseEnvironment(env))
  const values = given && (await faults.of(() => checkValues(given, content)))
  const extensions = await faults.of(() => parseExtensions(content))
  if (!values || !extensions) throw faults.toFailure()
  const { actions = {}, signals = {}, minters = {} } = extensions
  const mintRecord = await faults.of(() => minterOf(values.DEPOSIT_PID_MINTER, minters))
  const endpoint = values.DEPOSIT_REST_ENDPOINTS.depid ?? {}
  const routes = routesOf(values, endpoint)
  const host = options.host ?? '127.0.0.1'
  const window = endpoint.max_result_window ?? defaultMaxResultWindow
  const exposure = await faults.of(() => readExposure(values, host))
  const issuer = await faults.of(() => ({ settings: readIssuerSettings(values) }))
  const port = await faults.of(() => parsePort(options.port))
  const searchOptions = await faults.of(() => toSearchOptions(values, window))
  const pages = await faults.of(() => readPageSettings(values, home))
  faults.requireNone()
  if (!exposure || !issuer || port === undefined || !searchOptions || !pages || !mintRecord)
    throw faults.toFailure()
  return {
    home,
    host,
    exposure,
    issuer: issuer.settings,
    port,
    files: filesBeside(home, [...(file?.imports ?? []), ...templatePaths(values)]),
    databaseUrl: values.DEPOSIT_DATABASE_URL,
    storageUrl: values.DEPOSIT_STORAGE_URL,
    allowNetworkFs: options.allowNetworkFs ?? values.DEPOSIT_ALLOW_NETWORK_FS,
    values,
    endpoint,
    routes,
    searchOptions,
    pageUrl: values.DEPOSIT_UI_ENDPOINT ?? `{scheme}://{host}${routes.depositPage}`,
    pages,
    actions,
    receivers: signals,
    mintRecord,
    warnings: unknownVariables(env).map((name) => `${name} is none of the configuration's keys`),
  }
}

/** The folder of the daemon's data: `DEPOSIT_HOME`, else the platform's for its user. */
export async function homeOf(env: Environment): Promise<string> {
  const home = env['DEPOSIT_HOME']
  if (home) return isAbsolute(home) ? home : resolve(home)
  const { default: envPaths } = await import('env-paths')
  return envPaths('deposit', { suffix: '' }).data
}

/** Those that are in the home, relative to it. */
function filesBeside(home: string, paths: readonly string[]): readonly string[] {
  const found = paths.map((path) => relative(home, resolve(home, path)))
  return [...new Set(found.filter((path) => !path.startsWith('..') && !isAbsolute(path)))]
}

function routesOf(values: ConfigValues, endpoint: EndpointOptions): ApiRoutes {
  return apiRoutes({
    endpoint,
    filesApi: values.DEPOSIT_FILES_API,
    recordsApi: values.DEPOSIT_RECORDS_API,
    searchApi: values.DEPOSIT_SEARCH_API,
    pageRoute: values.DEPOSIT_RECORDS_UI_ENDPOINTS.depid?.route,
    recordPageRoute: values.DEPOSIT_RECORDS_UI_ENDPOINTS.recid?.route,
  })
}

/** @throws {StartFailure} */
function parseExtensions(content: Readonly<Record<string, unknown>>): Extensions {
  for (const name of extensionKeys) {
    if (content[name] !== undefined) requireValid(name, extensionSchemas[name], content[name])
  }
  return content
}

/** @throws {StartFailure} there is no minter of that name */
function minterOf(name: string, minters: Readonly<Record<string, Minter>>): RecordMinter {
  const own = Object.entries(minters).map(([key, minter]) => [key, mintedBy(key, minter)] as const)
  const known = new Map<string, RecordMinter>([...Object.entries(recordMinters), ...own])
  const found = known.get(name)
  if (found) return found
  const names = [...known.keys()].join(', ')
  throw new StartFailure('config', `DEPOSIT_PID_MINTER must be one of ${names}, not "${name}".`)
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return defaultPort
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new StartFailure('config', `--port must be a whole number up to 65535, not "${text}".`)
}

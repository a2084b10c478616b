import { isAbsolute, relative, resolve } from 'node:path'
import { defaultPort } from '../../core/contract/defaults.ts'
import {
  exportFormats,
  recordMinters,
  type Actions,
  type Description,
  type ExportFormat,
  type Provider,
  type Organization,
  type Receivers,
  type RecordMinter,
} from '../../core/index.ts'
import { advice } from '../advice.ts'
import { findContradictions } from './contradictions.ts'
import { checkValues, contentOf, faultsOf, suggest, unknownKeys } from './check-values.ts'
import { loadConfigFile } from './config-file.ts'
import { extensionKeys, extensionSchemas, type Extensions } from './extensions.ts'
import { configKeys, environmentKeys, type ConfigValues } from './keys.ts'
import { parseEnvironment, unknownVariables, type Environment } from './environment.ts'
import { ConfigFaults } from './faults.ts'
import { readPageSettings, templatePaths } from './page-settings.ts'
import type { PageSettings } from './page-settings.ts'
import { readEndpoints, type RestEndpoints } from './rest-endpoints.ts'
import { readProxies, readPublicOrigin, type Exposure } from './exposure.ts'
import {
  namedMinter,
  readDataciteSettings,
  warnOfPassword,
  type DataciteSettings,
} from './identifier-settings.ts'
import { readIssuerSettings, type ExternalIssuerSettings } from './issuer-settings.ts'
import { StartFailure } from '../start-failure.ts'

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
  readonly endpoints: RestEndpoints
  readonly pages: PageSettings
  /** Further actions, from the configuration file. */
  readonly actions: Actions
  readonly receivers: Receivers
  readonly sets: NonNullable<Extensions['sets']>
  readonly mintRecord: RecordMinter
  readonly identifiers: {
    readonly datacite: DataciteSettings | undefined
    /** Named by `DEPOSIT_PID_MINTER`. */
    readonly provider: Provider | undefined
  }
  readonly exports: {
    /** Formats that records can be had in. */
    readonly formats: readonly ExportFormat[]
    readonly publisher: Organization | undefined
  }
  /** Paths of files in the home that the configuration is made of, relative to it. */
  readonly files: readonly string[]
  /** Warnings for the operator, which do not stop a start. */
  readonly warnings: readonly string[]
}

/** The options of `depositd serve`; they win over the environment. */
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
  const faults = new ConfigFaults()
  const config = await gatherConfig(env, options, faults)
  faults.requireNone()
  return config
}

/**
 * The configuration as far as it can be read.
 *
 * @param faults collects all faults; presets replace wrong values
 */
export async function gatherConfig(
  env: Environment,
  options: ServeOptions,
  faults: ConfigFaults,
): Promise<DaemonConfig> {
  const home = await homeOf(env)
  const file = await faults.of(async () => {
    const found = await loadConfigFile(home, env['DEPOSIT_CONFIG'])
    return found && { ...found, content: contentOf(found) }
  })
  const isFileLost = faults.any
  const content = file?.content ?? {}
  if (file) for (const fault of unknownKeys(file.path, content)) faults.add(fault)
  const values = checkValues(parseEnvironment(env, faults), content, faults)
  const extensions = readExtensions(content, faults)
  const { actions = {}, signals = {}, minters = {}, providers = {} } = extensions
  const { exports = {}, sets = {} } = extensions
  const endpoints = await readEndpoints(values, faults)
  const host = options.host ?? '127.0.0.1'
  const publicOrigin = await faults.of(() => readPublicOrigin(values, host))
  const datacite = await faults.of(() => readDataciteSettings(values, publicOrigin?.publicOrigin))
  const named = isFileLost
    ? undefined
    : await faults.of(() => namedMinter(values, { minters, providers }, datacite))
  const trustedProxies = (await faults.of(() => readProxies(values))) ?? []
  const { DEPOSIT_SEARCH: engine, DEPOSIT_DATABASE_URL: databaseUrl } = values
  if (engine === 'postgres' && databaseUrl === undefined)
    faults.add('DEPOSIT_SEARCH=postgres needs DEPOSIT_DATABASE_URL.')
  if (engine === 'minisearch' && databaseUrl !== undefined)
    faults.add(
      'DEPOSIT_SEARCH=minisearch cannot be used with DEPOSIT_DATABASE_URL: PostgreSQL answers the ' +
        'searches. Remove DEPOSIT_SEARCH.',
    )
  return {
    home,
    host,
    exposure: { ...publicOrigin, trustedProxies },
    issuer: await faults.of(() => readIssuerSettings(values)),
    port: (await faults.of(() => parsePort(options.port))) ?? defaultPort,
    files: filesBeside(home, [...(file?.imports ?? []), ...templatePaths(values)]),
    databaseUrl,
    storageUrl: values.DEPOSIT_STORAGE_URL,
    allowNetworkFs: options.allowNetworkFs ?? values.DEPOSIT_ALLOW_NETWORK_FS,
    values,
    endpoints,
    pages: await readPageSettings(values, home, faults),
    actions,
    receivers: signals,
    sets,
    exports: { formats: withWriters(exports), publisher: toPublisher(values.DEPOSIT_PUBLISHER) },
    mintRecord: named?.mintRecord ?? recordMinters.recid,
    identifiers: { datacite, provider: named?.provider },
    warnings: [
      ...unknownVariables(env).map(warnOf),
      ...(await warnOfPassword(values.DEPOSIT_DATACITE_PASSWORD_FILE)),
      ...findContradictions(values, trustedProxies, (key) => key in env || key in content),
    ],
  }
}

/** The formats of the package, and those of the configuration file in place of their namesakes. */
function withWriters(writers: NonNullable<Extensions['exports']>): readonly ExportFormat[] {
  const own = Object.entries(writers).map(
    ([name, { mediaType, title = name, extension, write }]) => ({
      name,
      title,
      mediaTypes: [mediaType],
      extension,
      write: (description: Description) => write(description),
    }),
  )
  const others = exportFormats.filter(({ name }) => !Object.hasOwn(writers, name))
  return [...others, ...own]
}

function toPublisher(value: ConfigValues['DEPOSIT_PUBLISHER']): Organization | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string'
    ? { name: value, ror: undefined }
    : { name: value.name, ror: value.ror }
}

function warnOf(name: string): string {
  const known = Object.keys({ ...configKeys, ...environmentKeys })
  return `${name} is not a configuration key.${suggest(name, known)}`
}

/**
 * The folder of the daemon's data: `DEPOSIT_HOME`, else the platform's for its user.
 *
 * @throws {StartFailure} it begins with a `~` that no shell has replaced
 */
export async function homeOf(env: Environment): Promise<string> {
  const home = env['DEPOSIT_HOME']
  if (home?.startsWith('~')) {
    const said = `DEPOSIT_HOME is ${home}, and ~ is not expanded.`
    throw new StartFailure('config', said, { next: advice.useWholePath() })
  }
  if (home) return isAbsolute(home) ? home : resolve(home)
  const { default: envPaths } = await import('env-paths')
  return envPaths('deposit', { suffix: '' }).data
}

/** Those that are in the home, relative to it. */
function filesBeside(home: string, paths: readonly string[]): readonly string[] {
  const found = paths.map((path) => relative(home, resolve(home, path)))
  return [...new Set(found.filter((path) => !path.startsWith('..') && !isAbsolute(path)))]
}

/** Those of the file that are what they must be. */
function readExtensions(
  content: Readonly<Record<string, unknown>>,
  faults: ConfigFaults,
): Extensions {
  const good = extensionKeys.filter((name) => {
    const found = faultsOf(name, extensionSchemas[name], content[name])
    for (const fault of found) faults.add(fault)
    return found.length === 0
  })
  return Object.fromEntries(good.map((name) => [name, content[name]]))
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return defaultPort
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new StartFailure('config', `--port must be a whole number up to 65535, not "${text}".`)
}

import { isAbsolute, resolve } from 'node:path'
import { defaultPort, defaults } from '../core/contract/defaults.ts'
import { isRecordMinter, recordMinters } from '../core/index.ts'
import { readExposure, type Exposure } from './exposure.ts'
import { StartFailure } from './start-failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Everything the daemon can be told, checked and typed. */
export interface DaemonConfig {
  readonly home: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly exposure: Exposure
  readonly defaultSchema: string
  readonly schemasPrefix: string
  readonly storageClass: string
  readonly minter: keyof typeof recordMinters
  readonly registerSignals: boolean
  /** Bytes. */
  readonly maxFileSize: number
  readonly maxFiles: number
  /** Bytes of all files of one user. */
  readonly quota: number
  /** Days that an unfinished upload is kept after its last byte came. */
  readonly uploadDays: number
  /** Uploads written at the same time; more of them wait. */
  readonly uploadsAtOnce: number
  readonly uploadsAtOncePerUser: number
  /** Bytes of a JSON body. */
  readonly maxBody: number
  readonly checksums: readonly string[]
  readonly logLevel: string
  /** Milliseconds that requests which are under way are given when the daemon is told to stop. */
  readonly drainMs: number
  readonly allowNetworkFs: boolean
  /** Within which every file is read back; 0 for never. */
  readonly scrubDays: number
  /** Bytes a second that are read for it. */
  readonly scrubRate: number
}

/** What the command line of `depositd serve` says; it wins over the environment. */
export interface ServeOptions {
  readonly host?: string
  readonly port?: string
  readonly allowNetworkFs?: boolean
}

/**
 * Reads the environment: nothing else of the daemon does.
 *
 * @throws {StartFailure} a value is wrong; the message names its key
 */
export async function readConfig(
  env: Environment,
  options: ServeOptions = {},
): Promise<DaemonConfig> {
  const host = options.host ?? '127.0.0.1'
  return {
    home: await homeOf(env),
    host,
    exposure: readExposure(env, host),
    port: numberOf('--port', options.port, defaultPort, 65_535),
    defaultSchema: env['DEPOSIT_DEFAULT_JSONSCHEMA'] ?? defaults.DEPOSIT_DEFAULT_JSONSCHEMA,
    schemasPrefix: env['DEPOSIT_JSONSCHEMAS_PREFIX'] ?? defaults.DEPOSIT_JSONSCHEMAS_PREFIX,
    storageClass: env['DEPOSIT_DEFAULT_STORAGE_CLASS'] ?? defaults.DEPOSIT_DEFAULT_STORAGE_CLASS,
    minter: minterOf(env['DEPOSIT_PID_MINTER'] ?? defaults.DEPOSIT_PID_MINTER),
    registerSignals: flagOf('DEPOSIT_REGISTER_SIGNALS', env, defaults.DEPOSIT_REGISTER_SIGNALS),
    maxFileSize: numberOf('DEPOSIT_MAX_FILE_SIZE', env['DEPOSIT_MAX_FILE_SIZE'], 2 ** 40),
    maxFiles: numberOf('DEPOSIT_MAX_FILES', env['DEPOSIT_MAX_FILES'], 10_000),
    quota: numberOf('DEPOSIT_QUOTA', env['DEPOSIT_QUOTA'], 50 * 2 ** 30),
    uploadDays: numberOf('DEPOSIT_UPLOAD_DAYS', env['DEPOSIT_UPLOAD_DAYS'], 7, 3650),
    uploadsAtOnce: numberOf('DEPOSIT_UPLOADS_AT_ONCE', env['DEPOSIT_UPLOADS_AT_ONCE'], 64),
    uploadsAtOncePerUser: numberOf(
      'DEPOSIT_UPLOADS_AT_ONCE_PER_USER',
      env['DEPOSIT_UPLOADS_AT_ONCE_PER_USER'],
      8,
    ),
    maxBody: numberOf('DEPOSIT_MAX_BODY', env['DEPOSIT_MAX_BODY'], 2 ** 20),
    checksums: (env['DEPOSIT_FILES_CHECKSUMS'] ?? '')
      .split(/[\s,]+/)
      .filter((name) => name === 'md5'),
    logLevel: env['DEPOSIT_LOG_LEVEL'] ?? 'info',
    drainMs: 1000 * numberOf('DEPOSIT_DRAIN_SECONDS', env['DEPOSIT_DRAIN_SECONDS'], 30, 86_400),
    allowNetworkFs: options.allowNetworkFs ?? allowsNetworkFs(env),
    scrubDays: numberOf('DEPOSIT_SCRUB_DAYS', env['DEPOSIT_SCRUB_DAYS'], 30, 36_500),
    scrubRate: numberOf('DEPOSIT_SCRUB_RATE', env['DEPOSIT_SCRUB_RATE'], 20_000_000) || 20_000_000,
  }
}

/** Whether the home may lie on the file system of a network. */
export function allowsNetworkFs(env: Environment): boolean {
  return flagOf('DEPOSIT_ALLOW_NETWORK_FS', env, false)
}

/** The folder of the daemon's data: `DEPOSIT_HOME`, else the platform's for its user. */
export async function homeOf(env: Environment): Promise<string> {
  const home = env['DEPOSIT_HOME']
  if (home) return isAbsolute(home) ? home : resolve(home)
  const { default: envPaths } = await import('env-paths')
  return envPaths('deposit', { suffix: '' }).data
}

function numberOf(
  key: string,
  text: string | undefined,
  preset: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (text === undefined || text === '') return preset
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= max) return value
  throw new StartFailure('config', `${key} must be a whole number up to ${max}, not "${text}".`)
}

function flagOf(key: string, env: Environment, preset: boolean): boolean {
  const text = env[key]?.toLowerCase()
  if (text === undefined || text === '') return preset
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw new StartFailure('config', `${key} must be true or false, not "${env[key]}".`)
}

function minterOf(name: string): keyof typeof recordMinters {
  if (isRecordMinter(name)) return name
  const known = Object.keys(recordMinters).join(', ')
  throw new StartFailure('config', `DEPOSIT_PID_MINTER is "${name}"; known are: ${known}.`)
}

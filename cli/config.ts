import { advice } from './advice.ts'
import { join, resolve } from 'node:path'
import { UsageFailure } from './failure.ts'
import type { platformFolders } from './platform-folders.ts'
import { tokenVariable } from './remote-advice.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings from the environment. Nothing else of the command line reads it. */
export interface CliConfig {
  /**
   * `DEPOSIT_URL`: the daemon to talk to. Without it, the local one is found or started.
   *
   * @throws {UsageFailure} it is not an http or https URL
   */
  readonly server: () => URL | undefined
  /** `DEPOSIT_TOKEN`: wins over a stored sign-in. */
  readonly token: string | undefined
  /** `DEPOSIT_ENDPOINT`: which endpoint of the server has the deposits. */
  readonly endpoint: string | undefined
  /** `DEPOSIT_HOME`, absolute: where the local daemon keeps its data. */
  readonly home: () => Promise<string>
  /** The file with the sign-ins. */
  readonly credentialsFile: () => Promise<string>
  /** A folder for this user alone, for files that a browser opens. */
  readonly privateFolder: () => Promise<string>
  /** A folder for what can be computed again. */
  readonly cacheFolder: () => Promise<string>
  /** For a daemon started by a command: without our token, with absolute paths. */
  readonly daemonEnvironment: () => Promise<Environment>
  /** `NO_COLOR` is set. @see https://no-color.org */
  readonly noColor: boolean
  /** `CI` is set, as in pipelines: nobody answers a question. */
  readonly isUnattended: boolean
  /** `VISUAL` or `EDITOR`: a command line that a path is added to. */
  readonly editor: string | undefined
  /** `DEPOSIT_REMOTE_<NAME>_TOKEN`: wins over the stored token of that remote. */
  readonly remoteToken: (name: string) => string | undefined
  /** True where a browser can be opened: not on a server without a screen. */
  readonly hasDesktop: boolean
}

/** @param folder where relative paths in the environment start */
export function readConfig(environment: Environment, folder: string): CliConfig {
  const { DEPOSIT_HOME: home, DEPOSIT_URL: url, DEPOSIT_TOKEN: token } = environment
  const findHome = async (): Promise<string> =>
    home ? resolve(folder, home) : (await folders()).data
  return {
    server: () => (url === undefined ? undefined : parseServer(url)),
    get token() {
      return parseToken(token)
    },
    endpoint: [environment['DEPOSIT_ENDPOINT']].find(Boolean),
    noColor: Boolean(environment['NO_COLOR']),
    isUnattended: !['', '0', 'false'].includes(environment['CI'] ?? ''),
    editor: [environment['VISUAL'], environment['EDITOR']].find(Boolean),
    hasDesktop: hasDesktop(environment),
    remoteToken: (name) => [environment[tokenVariable(name)]?.trim()].find(Boolean),
    home: findHome,
    credentialsFile: async () => join((await folders()).config, 'credentials.json'),
    privateFolder: async () => (await folders()).config,
    cacheFolder: async () => (await folders()).cache,
    daemonEnvironment: async () => daemonEnvironment(environment, folder, await findHome()),
  }
}

/**
 * Trims white space, which secrets of CI systems and files often have. Empty counts as absent: CI
 * systems expand a missing secret to nothing.
 *
 * @throws {UsageFailure} it cannot be sent in a header
 */
function parseToken(text: string | undefined): string | undefined {
  const token = text?.trim() ?? ''
  if (token === '') return undefined
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new UsageFailure({
    tried: 'use DEPOSIT_TOKEN',
    said: 'it contains spaces, line breaks or other characters that a token cannot have',
    next: advice.setToken(),
  })
}

function hasDesktop(environment: Environment): boolean {
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland, WSL_DISTRO_NAME: windows } = environment
  return process.platform !== 'linux' || [x11, wayland, windows].some(Boolean)
}

async function folders(): Promise<ReturnType<typeof platformFolders>> {
  return (await import('./platform-folders.ts')).platformFolders()
}

/**
 * The origin of the service that an address is of.
 *
 * @throws {UsageFailure} it is not an http or https URL
 */
export function parseServer(text: string): URL {
  if (text.trim() === '')
    throw new UsageFailure({
      tried: 'find the server',
      said: 'DEPOSIT_URL is set, but empty',
      next: advice.setOrUnsetUrl(),
    })
  const url = URL.parse(text)
  // Users copy the address of the API, or of a page: the server is its origin.
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return new URL(url.origin)
  throw new UsageFailure({
    tried: 'find the server',
    said: `DEPOSIT_URL must begin with https:// or http://: "${text}"`,
    next: advice.setUrl(),
  })
}

function daemonEnvironment(environment: Environment, folder: string, home: string): Environment {
  const {
    DEPOSIT_TOKEN: _token,
    DEPOSIT_URL: _url,
    DEPOSIT_ENDPOINT: _endpoint,
    DEPOSIT_CONFIG: file,
    ...rest
  } = environment
  const configuration = file ? { DEPOSIT_CONFIG: resolve(folder, file) } : {}
  return { ...rest, ...configuration, DEPOSIT_HOME: home }
}

import { advice, type Advice } from '../advice.ts'
import { apiVersion } from '../../core/contract/defaults.ts'
import { ApiFailure } from '../client/api-failure.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { CliContext } from '../session/context.ts'
import { findDaemon, readDaemonFile } from '../local-daemon/find.ts'
import { mannersOf, type ConnectOptions } from '../session/open-client.ts'
import { readVersion } from '../version.ts'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readPrivateFile } from '../private-file.ts'
import type { CliConfig } from '../config.ts'
import { Failure } from '../failure.ts'
import { formatBytes } from '../output/units.ts'

/** Checks everything that a command needs. Nothing is started or changed. */
export async function examine(
  context: CliContext,
  options: ConnectOptions,
): Promise<readonly Examined[]> {
  return [
    examineVersions(),
    ...(await examineFolders(context.config)),
    await examineDisk(context.config),
    ...(await orFailure('server', () => examineServer(context, options))),
  ]
}

/** Node.js needs no check: the program does not start with a version that is too old. */
function examineVersions(): Examined {
  const { node } = process.versions
  const found = `deposit ${readVersion()}, Node.js ${node}, ${process.platform} ${process.arch}`
  return { what: 'versions', found }
}

/** With a larger difference between clocks, tokens expire too early. Seconds. */
const clockTolerance = 60

/** The daemon that commands talk to: whether it answers, its clock, and the sign-in. */
async function examineServer(
  context: CliContext,
  options: ConnectOptions,
): Promise<readonly Examined[]> {
  const http = await context.http()
  http.manners = mannersOf(context.streams, options)
  const local = await examineLocalDaemon(context)
  const server = context.config.server() ?? local.url
  if (server === undefined) return [local.examined]
  const answer = await orFailure('server', () => examineAnswer(context, server))
  // A token is not for a server of another kind.
  const isOurs = answer.every(({ what, fix }) => what !== 'server' || fix === undefined)
  const signIn = isOurs ? await orFailure('sign-in', () => examineSignIn(context, options)) : []
  return [local.examined, ...answer, ...signIn]
}

async function examineAnswer(context: CliContext, server: URL): Promise<readonly Examined[]> {
  const connection = new Connection(server, await context.http(), withoutToken)
  const tried = 'reach the server'
  const answer = await connection
    .send(tried, { method: 'GET', path: '/health' })
    .catch((error: unknown) => asForeign(server, error))
  answer.resume()
  const { date, 'deposit-api-version': version } = answer.headers
  return [examineApi(server, version), examineClock(date)]
}

/** @throws {Failure} saying where the answer cannot be one of a deposit service */
function asForeign({ origin }: URL, error: unknown): never {
  if (!(error instanceof ApiFailure) || !error.problem.code.startsWith('http_')) throw error
  const { tried, exitCode, problem } = error
  const said = `${origin} is no deposit service: ${problem.message}`
  throw new Failure({ tried, said, next: advice.checkService() }, { cause: error, exitCode })
}

interface LocalDaemon {
  readonly examined: Examined
  readonly url?: URL
}

async function examineLocalDaemon({ config, http }: CliContext): Promise<LocalDaemon> {
  const home = await config.home()
  const daemon = await findDaemon(home, await http())
  if (daemon === undefined) {
    const wasThere = (await readDaemonFile(home)) !== undefined
    const found = wasThere ? 'not running; the last one ended unexpectedly' : 'not running'
    return { examined: { what: 'daemon', found: `${found} (the next command starts it)` } }
  }
  const { pid, url, version } = daemon
  const found = `process ${pid} at ${url}, version ${version}`
  const isOurs = version === readVersion()
  const examined = { what: 'daemon', found, ...(!isOurs && { fix: advice.replaceDaemon() }) }
  return { examined, url: new URL(url) }
}

function examineApi({ origin }: URL, version: string | string[] | undefined): Examined {
  const found = `${origin}, interface version ${String(version ?? 'unknown')}`
  if (version === apiVersion) return { what: 'server', found }
  return { what: 'server', found, fix: advice.checkService() }
}

function examineClock(date: string | undefined): Examined {
  const apart = Math.round(Math.abs(Date.now() - Date.parse(date ?? '')) / 1000)
  if (Number.isNaN(apart)) return { what: 'clock', found: 'the server does not send its time' }
  const found = `${apart} s from the server's`
  if (apart <= clockTolerance) return { what: 'clock', found }
  return { what: 'clock', found, fix: advice.setClock() }
}

async function examineSignIn(context: CliContext, options: ConnectOptions): Promise<Examined> {
  const client = await context.client({ ...options, quiet: true })
  const me = await client.me()
  const until = me.expires === null ? 'no end' : `until ${me.expires}`
  const found = `${me.email ?? me.user}, ${me.scopes.join(' ') || 'reads'}, ${until}`
  return { what: 'sign-in', found }
}

/** A checked item. */
export interface Examined {
  readonly what: string
  readonly found: string
  /** The remedy; absent if the item is in order. */
  readonly fix?: Advice
}

/** A failed check becomes an item with a remedy. */
async function orFailure(
  what: string,
  look: () => Promise<Examined | readonly Examined[]>,
): Promise<readonly Examined[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ what, found: error.said, fix: error.next }]
  }
}

/** With less than this, a daemon soon refuses uploads. Bytes. */
const littleSpace = 512 * 1024 * 1024

/** The home of the local daemon, and where sign-ins are stored. */
async function examineFolders(config: CliConfig): Promise<readonly Examined[]> {
  return [
    await examineHome(await config.home()),
    await examineSignIns(await config.credentialsFile()),
  ]
}

async function examineHome(home: string): Promise<Examined> {
  const stats = await stat(home).catch(() => undefined)
  if (stats === undefined) return { what: 'home', found: `${home} (made on first use)` }
  const what = 'home'
  if (!stats.isDirectory()) return { what, found: `${home} is no folder`, fix: advice.useOwnHome() }
  const isOthers = process.getuid !== undefined && stats.uid !== process.getuid()
  if (isOthers) return { what, found: `${home} is not yours`, fix: advice.useOwnHome() }
  const isOpen = process.platform !== 'win32' && (stats.mode & 0o077) !== 0
  if (isOpen) return { what, found: `${home} is open to others`, fix: advice.closeHome(home) }
  const isWritable = await access(home, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (isWritable) return { what, found: home }
  return { what, found: `${home} is not writable`, fix: advice.closeHome(home) }
}

async function examineSignIns(file: string): Promise<Examined> {
  try {
    const text = await readPrivateFile(file)
    return { what: 'sign-ins', found: text === undefined ? `${file} (none yet)` : file }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { what: 'sign-ins', found: `${file}: ${error.said}`, fix: error.next }
  }
}

async function examineDisk(config: CliConfig): Promise<Examined> {
  const { bavail: blocks, bsize } = await statfs(await nearestFolder(await config.home()))
  const free = blocks * bsize
  const found = `${formatBytes(free)} free`
  if (free >= littleSpace) return { what: 'disk', found }
  return { what: 'disk', found, fix: advice.makeRoom() }
}

/** The home, or its nearest existing parent. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path))
}

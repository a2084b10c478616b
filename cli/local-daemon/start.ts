import { advice, type Advice } from '../advice.ts'
import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { makeFolders, writeTextDurably } from '../../core/base/durable-files.ts'
import { defaultPort } from '../../core/contract/defaults.ts'
import type { HttpSender } from '../client/http.ts'
import type { CliConfig } from '../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { noWrite } from '../no-write.ts'
import { readVersion } from '../version.ts'
import { isAlive, takeLock } from '../../core/base/file-lock.ts'
import { findDaemon, readDaemonFile } from './find.ts'
import type { AnnouncedDaemon } from '../../core/contract/owner-proof.ts'
import { daemonExits, launch, logFile, pollUntil } from './launch.ts'
import { lastMessages } from './log-lines.ts'

/** Timeout for a daemon to answer after its start, also on a busy machine. */
const startMs = 30_000

/** Timeout for commands that wait while another one starts it. */
const othersMs = 3 * startMs

/** Shows a spinner. */
type Spin = <T>(work: () => Promise<T>) => Promise<T>

interface Found {
  readonly daemon: AnnouncedDaemon
  readonly wasStarted: boolean
  /** Version of the older daemon that it replaced. */
  readonly replaced?: string
}

interface StartOptions {
  readonly spin?: Spin
  /** Port to start it on, if free. */
  readonly port?: string
}

/**
 * The local daemon, started if it does not run. Concurrent commands start only one. An older daemon
 * than this program is stopped and replaced.
 *
 * @throws {Failure} it does not come up; with the last lines of its log
 */
export async function ensureDaemon(
  config: CliConfig,
  http: HttpSender,
  { spin = (work) => work(), port: asked }: StartOptions = {},
): Promise<Found> {
  const home = await config.home()
  const port = asked ?? (await rememberedPort(home)) ?? String(defaultPort)
  const running = await findDaemon(home, http)
  if (running !== undefined && isCurrent(running)) return { daemon: running, wasStarted: false }
  const starting = async (): Promise<Found | undefined> => {
    makeFolders(home, 0o700)
    return pollUntil(othersMs, () => startOrWait(config, home, http, port))
  }
  const found = await spin(starting).catch((error: unknown) => {
    throw homeUnwritten(error, home) ?? error
  })
  return found ?? fail(home, 'another command has been starting it for too long')
}

/** Undefined while another command is starting it. */
async function startOrWait(
  config: CliConfig,
  home: string,
  http: HttpSender,
  port: string,
): Promise<Found | undefined> {
  // This only saves work: the daemon itself ensures that a home has one daemon.
  await using lock = await takeLock(join(home, 'start.lock'))
  const running = await findDaemon(home, http)
  if (running !== undefined && isCurrent(running)) return { daemon: running, wasStarted: false }
  if (lock === undefined) return undefined
  const replaced = running && (await stopDaemon(home, http))?.version
  return {
    daemon: await start(config, home, http, port),
    wasStarted: true,
    ...(replaced !== undefined && { replaced }),
  }
}

/** True for a daemon that commands would not replace. */
export function isCurrent({ version }: AnnouncedDaemon): boolean {
  return !isOlder(version, readVersion())
}

async function start(
  config: CliConfig,
  home: string,
  http: HttpSender,
  wanted: string,
): Promise<AnnouncedDaemon> {
  const environment = await config.daemonEnvironment()
  const end = performance.now() + startMs
  let port = wanted
  while (performance.now() < end) {
    const { daemon, exitStatus } = await launch({
      home,
      environment,
      port,
      timeoutMs: end - performance.now(),
      find: () => findDaemon(home, http),
    })
    if (daemon !== undefined) {
      if (port === '0') await rememberPort(home, new URL(daemon.url).port)
      return daemon
    }
    if (exitStatus === daemonExits.portInUse && port !== '0') port = '0'
    else if (exitStatus !== daemonExits.homeInUse) return fail(home, describeEnd(exitStatus))
    else await refuseHolder(home)
  }
  await refuseHolder(home)
  return fail(home, `it did not answer within ${startMs / 1000} s`)
}

/** The port of a home whose usual one was taken: addresses of its records stay good. */
async function rememberedPort(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, portFile), 'utf8').catch(() => '')
  return /^\d{4,5}$/.test(text.trim()) ? text.trim() : undefined
}

async function rememberPort(home: string, port: string): Promise<void> {
  // Without it, the next start may have another port again.
  await writeTextDurably(join(home, portFile), `${port}\n`).catch(() => {})
}

const portFile = 'daemon.port'

function describeEnd(exitStatus: number | null | undefined): string {
  if (exitStatus === undefined) return 'it did not answer'
  // On a full disk there is no log with the reason.
  const cause = exitStatus === daemonExits.inputOutput ? ' (is the disk full, or read-only?)' : ''
  return `it ended with status ${exitStatus}${cause}`
}

/**
 * Waits for a daemon that is starting. Refuses one that has run for long and does not prove itself:
 * the first versions cannot.
 *
 * @throws {Failure} naming the process
 */
async function refuseHolder(home: string): Promise<void> {
  const holder = await readDaemonFile(home)
  if (holder === undefined || !isAlive(holder.pid)) return
  if (Date.now() - Date.parse(holder.started) < startMs) return
  const said = `process ${holder.pid} uses ${home} and does not prove that it is its daemon`
  await fail(home, said, advice.endProcess(holder.pid))
}

/** Undefined for an error that is not of the disk. */
function homeUnwritten(cause: unknown, home: string): Failure | undefined {
  return noWrite(cause, {
    tried: 'start the local daemon',
    path: home,
    kept: 'nothing was sent',
    elsewhere: advice.useOwnHome(),
    exitCode: exitCodes.unreachable,
  })
}

async function fail(
  home: string,
  reason: string,
  next: Advice = advice.readLog(logFile(home)),
): Promise<never> {
  const lines = await lastMessages(logFile(home), 3)
  throw new Failure(
    {
      tried: 'start the local daemon',
      said: [reason, ...lines].join('; '),
      next,
    },
    { exitCode: exitCodes.unreachable },
  )
}

/** Timeout for requests under way. */
const drainMs = 60_000

/**
 * Stops the daemon of `home` after the requests under way; undefined if none runs.
 *
 * Only a process that answers as this daemon is signalled: a number in a file may be anybody's.
 */
export async function stopDaemon(
  home: string,
  http: HttpSender,
): Promise<AnnouncedDaemon | undefined> {
  const daemon = await findDaemon(home, http)
  if (daemon === undefined) return undefined
  const { pid } = daemon
  process.kill(pid, 'SIGTERM')
  const hasEnded = await pollUntil(drainMs, async () => (isAlive(pid) ? undefined : true))
  if (hasEnded) return daemon
  throw new Failure({
    tried: 'stop the local daemon',
    said: `process ${pid} still answers requests after ${drainMs / 1000} s`,
    next: advice.runAgainSoon(),
  })
}

/** True when version `one` is lower than `other`; false for text that is no version. */
export function isOlder(one: string, other: string): boolean {
  const [first, second] = [parse(one), parse(other)]
  if (first === undefined || second === undefined) return false
  const at = first.findIndex((number, place) => number !== second[place])
  return at !== -1 && (first[at] ?? 0) < (second[at] ?? 0)
}

function parse(version: string): readonly number[] | undefined {
  const found = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)
  return found?.slice(1).map(Number)
}

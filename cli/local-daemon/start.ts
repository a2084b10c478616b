import { advice, type Advice } from '../advice.ts'
import { join } from 'node:path'
import { makeFolders } from '../../core/base/durable-files.ts'
import { defaultPort } from '../../core/contract/defaults.ts'
import type { HttpSender } from '../client/http.ts'
import type { CliConfig } from '../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { readVersion } from '../version.ts'
import { isAlive, takeLock } from '../../core/base/file-lock.ts'
import { findDaemon, readDaemonFile, type RunningDaemon } from './find.ts'
import { daemonExits, launch, logFile, pollUntil } from './launch.ts'
import { lastMessages } from './log-lines.ts'

/** For a daemon to answer after it was started, also on a machine that is busy. */
const startMs = 30_000

/** For those who wait while another command starts it. */
const othersMs = 3 * startMs

/** Shows that it takes a moment. */
type Spin = <T>(work: () => Promise<T>) => Promise<T>

interface Found {
  readonly daemon: RunningDaemon
  readonly wasStarted: boolean
  /** Version of the older daemon that it took the place of. */
  readonly replaced?: string
}

interface StartOptions {
  readonly spin?: Spin
  /** Where to start it if that port is free. */
  readonly port?: string
}

/**
 * The local daemon, started when it does not run. Any number of commands may ask at once: one
 * daemon is started. One that is older than we are ends what it is at, and makes way for ours.
 *
 * @throws {Failure} it does not come up; with the last lines of its log
 */
export async function ensureDaemon(
  config: CliConfig,
  http: HttpSender,
  { spin = (work) => work(), port = String(defaultPort) }: StartOptions = {},
): Promise<Found> {
  const home = await config.home()
  const running = await findDaemon(home, http)
  if (running !== undefined && isCurrent(running)) return { daemon: running, wasStarted: false }
  try {
    makeFolders(home, 0o700)
  } catch (error) {
    await fail(home, error instanceof Error ? error.message : String(error))
  }
  const found = await spin(() => pollUntil(othersMs, () => startOrWait(config, home, http, port)))
  return found ?? fail(home, 'another command has been starting it for too long')
}

/** Undefined while another command is starting it. */
async function startOrWait(
  config: CliConfig,
  home: string,
  http: HttpSender,
  port: string,
): Promise<Found | undefined> {
  // It only saves work: that there is one daemon to a home, the daemon itself sees to.
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

/** True where commands would not start another one in its place. */
export function isCurrent({ version }: RunningDaemon): boolean {
  return !isOlder(version, readVersion())
}

async function start(
  config: CliConfig,
  home: string,
  http: HttpSender,
  wanted: string,
): Promise<RunningDaemon> {
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
    if (daemon !== undefined) return daemon
    if (exitStatus === daemonExits.portInUse && port !== '0') port = '0'
    else if (exitStatus !== daemonExits.homeInUse) return fail(home, describeEnd(exitStatus))
    else await refuseHolder(home)
  }
  await refuseHolder(home)
  return fail(home, `it did not answer within ${startMs / 1000} s`)
}

function describeEnd(exitStatus: number | null | undefined): string {
  if (exitStatus === undefined) return 'it did not answer'
  // A full disk takes no log that could say so.
  const cause = exitStatus === daemonExits.inputOutput ? ' (is the disk full, or read-only?)' : ''
  return `it ended with status ${exitStatus}${cause}`
}

/**
 * A daemon that is on its way up is waited for. One that is long there, has the home and does not
 * prove that it is its daemon never will: the first versions did not.
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

/** For requests under way to end. */
const drainMs = 60_000

/**
 * Ends the daemon of `home` once it has answered what it is at; undefined where none runs.
 *
 * Only a process that answers as this daemon is signalled: a number in a file may be anybody's.
 */
export async function stopDaemon(
  home: string,
  http: HttpSender,
): Promise<RunningDaemon | undefined> {
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

/** True when `one` came before `other`; what is no version of ours, did not. */
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

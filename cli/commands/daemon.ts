import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { RehearsalEnd } from '../client/rehearsal.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import type { AnnouncedDaemon } from '../../core/contract/owner-proof.ts'
import { narrate, print } from '../output/print.ts'
import { newChange, newCommand, newGroup, type CommonOptions } from './command.ts'

interface LogsOptions extends CommonOptions {
  readonly follow?: true
  readonly lines: string
}

/** `deposit daemon …`: the daemon of this user on this machine. */
export function daemonCommand(context: CliContext): Command {
  const start = newChange('start', { 'deposit daemon start': 'starts it if it does not run' })
    .summary('start it if it does not run')
    .action((options: CommonOptions) => startDaemon(context, options))
  const stop = newChange('stop', { 'deposit daemon stop': 'waits for requests under way' })
    .summary('stop it after the requests under way')
    .action((options: CommonOptions) => endDaemon(context, options))
  const status = newCommand('status', { 'deposit daemon status --json url': 'its address' })
    .summary('show its status and address')
    .action((options: CommonOptions) => showStatus(context, options))
  const logs = newCommand('logs', {
    'deposit daemon logs -f': 'follows the log as lines are written',
  })
    .summary('show the last lines of its log')
    .option('-f, --follow', 'print further lines as they are written')
    .option('-n, --lines <number>', 'how many lines', '20')
    .action((options: LogsOptions) => showLogs(context, options))
  return newGroup(
    'daemon',
    {
      'deposit daemon status': 'whether it runs, and where',
      'deposit daemon stop': 'stops it; the next command starts it again',
    },
    [start, stop, status, logs],
  ).description('The local daemon: commands start it by themselves, and it keeps running.')
}

async function startDaemon(context: CliContext, options: CommonOptions): Promise<void> {
  const { ensureDaemon } = await import('../local-daemon/start.ts')
  const { daemon, wasStarted } = options.dryRun
    ? { daemon: await rehearseStart(context), wasStarted: false }
    : await ensureDaemon(context.config, await context.http())
  const done = wasStarted ? 'Started the local daemon' : 'The local daemon runs already'
  narrate(context.streams, options, `${done}: process ${daemon.pid}`)
  printDaemon(context, options, daemon)
}

/** The running daemon, if there is nothing to start. */
async function rehearseStart(context: CliContext): Promise<AnnouncedDaemon> {
  const { isCurrent } = await import('../local-daemon/start.ts')
  const running = await findRunning(context)
  if (running === undefined) throw new RehearsalEnd('start the local daemon')
  if (isCurrent(running)) return running
  throw new RehearsalEnd(`start the local daemon in place of version ${running.version}`)
}

async function endDaemon(context: CliContext, options: CommonOptions): Promise<void> {
  const { stopDaemon } = await import('../local-daemon/start.ts')
  const stopped = options.dryRun
    ? await rehearseStop(context)
    : await stopDaemon(await context.config.home(), await context.http())
  const done = stopped ? 'Stopped the local daemon' : 'The local daemon was not running'
  narrate(context.streams, options, done)
  const body = { stopped: stopped !== undefined, pid: stopped?.pid ?? null }
  print(context.streams, options, { body, ids: [], lines: () => [] })
}

/** Undefined if nothing runs. */
async function rehearseStop(context: CliContext): Promise<AnnouncedDaemon | undefined> {
  const running = await findRunning(context)
  if (running === undefined) return undefined
  throw new RehearsalEnd(`stop the local daemon: process ${running.pid}`)
}

async function showStatus(context: CliContext, options: CommonOptions): Promise<void> {
  const home = await context.config.home()
  const daemon = await findRunning(context)
  if (daemon === undefined) throw notRunning(home)
  const { pid, version, started } = daemon
  const about = `Process ${pid}, version ${version}, since ${started}, data in ${home}`
  narrate(context.streams, options, about)
  printDaemon(context, options, daemon)
}

async function findRunning({ config, http }: CliContext): Promise<AnnouncedDaemon | undefined> {
  const { findDaemon } = await import('../local-daemon/find.ts')
  return findDaemon(await config.home(), await http())
}

async function showLogs(context: CliContext, options: LogsOptions): Promise<void> {
  const [{ logFile }, { followLog, readLines }] = await Promise.all([
    import('../local-daemon/launch.ts'),
    import('../local-daemon/log-lines.ts'),
  ])
  const file = logFile(await context.config.home())
  const lines = await readLines(file, parseLines(options.lines))
  for (const line of lines) context.streams.out(line)
  if (options.follow) await followLog(file, context.streams.out, context.signal)
}

function printDaemon(context: CliContext, options: CommonOptions, daemon: AnnouncedDaemon): void {
  const { url, pid } = daemon
  print(context.streams, options, { body: daemon, ids: [String(pid)], lines: () => [url] })
}

function parseLines(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const said = `--lines is a number, and not "${text}"`
  throw new UsageFailure({ tried: 'show the log', said, next: advice.correctOption('--lines') })
}

function notRunning(home: string): Failure {
  return new Failure(
    {
      tried: 'find the local daemon',
      said: `no daemon runs for ${home}`,
      next: advice.startDaemon(),
    },
    { exitCode: exitCodes.unreachable },
  )
}

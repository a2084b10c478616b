import { advice } from '../advice.ts'
import { apiVersion } from '../../core/contract/defaults.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { CliContext } from '../session/context.ts'
import { findDaemon, readDaemonFile } from '../local-daemon/find.ts'
import { mannersOf, type ConnectOptions } from '../session/open-client.ts'
import { readVersion } from '../version.ts'
import { orFailure, type Examined } from './examined.ts'

/** Clocks that are further apart than this end tokens too early. Seconds. */
const clockTolerance = 60

/** The daemon that commands talk to: whether it answers, its clock, and the sign-in. */
export async function examineServer(
  context: CliContext,
  options: ConnectOptions,
): Promise<readonly Examined[]> {
  const http = await context.http()
  http.manners = mannersOf(context.streams, options)
  const local = await examineLocalDaemon(context)
  const server = context.config.server() ?? local.url
  if (server === undefined) return [local.examined]
  return [
    local.examined,
    ...(await orFailure('server', () => examineAnswer(context, server))),
    ...(await orFailure('sign-in', () => examineSignIn(context, options))),
  ]
}

async function examineAnswer(context: CliContext, server: URL): Promise<readonly Examined[]> {
  const connection = new Connection(server, await context.http(), withoutToken)
  const answer = await connection.send('reach the server', { method: 'GET', path: '/health' })
  answer.resume()
  const { date, 'deposit-api-version': version } = answer.headers
  return [examineApi(server, version), examineClock(date)]
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

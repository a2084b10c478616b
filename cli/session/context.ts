import type { DepositClient } from '../client/deposit-client.ts'
import type { HttpSender } from '../client/http.ts'
import { readConfig, type CliConfig, type Environment } from '../config.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import type { ConnectOptions } from './open-client.ts'
import { createStreams, type Sink, type Streams } from '../output/streams.ts'

/** Everything that a command may use, opened on first use. */
export interface CliContext extends Disposable {
  readonly streams: Streams
  readonly config: CliConfig
  readonly stdin: NodeJS.ReadableStream
  /** The folder where relative paths start. */
  readonly folder: string
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal
  /** Sets the exit status of a command that succeeds. */
  readonly end: (exitCode: ExitCode) => void
  /** The status set by {@link end}. */
  readonly exitCode: () => ExitCode
  readonly http: () => Promise<HttpSender>
  /** A signed-in client; the local daemon is started if it is the server. */
  readonly client: (options: ConnectOptions) => Promise<DepositClient>
  /** The same, but starts no daemon: undefined if the local one does not run. */
  readonly runningClient: (options: ConnectOptions) => Promise<DepositClient | undefined>
}

/** The process around a command, or a test's. */
export interface Surroundings {
  readonly environment: Environment
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: Sink
  readonly stderr: Sink
  readonly folder: string
  readonly signal: AbortSignal
}

/** Maximum of parallel requests, also with a larger `--jobs`; connections are kept open. */
const maxSockets = 64

export function createContext(surroundings: Surroundings): CliContext {
  const { environment, stdin, stdout, stderr, folder, signal } = surroundings
  const config = readConfig(environment, folder)
  const streams = createStreams({ stdout, stderr, noColor: config.noColor })
  let sender: HttpSender | undefined
  let exitCode: ExitCode = exitCodes.done
  const http = async (): Promise<HttpSender> => {
    const { HttpSender } = await import('../client/http.ts')
    sender ??= new HttpSender(signal, maxSockets)
    return sender
  }
  const client = async (options: ConnectOptions): Promise<DepositClient> => {
    const { openClient } = await import('./open-client.ts')
    return openClient({ config, streams, http }, options)
  }
  return {
    streams,
    config,
    stdin,
    folder,
    signal,
    end: (wanted) => void (exitCode = wanted),
    exitCode: () => exitCode,
    http,
    client,
    runningClient: async (options) => {
      if (config.server() !== undefined) return client(options)
      const { findDaemon } = await import('../local-daemon/find.ts')
      const daemon = await findDaemon(await config.home(), await http())
      return daemon && client(options)
    },
    [Symbol.dispose]: () => sender?.[Symbol.dispose](),
  }
}

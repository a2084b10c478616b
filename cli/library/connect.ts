import { Readable, Writable } from 'node:stream'
import { parseServer } from '../config.ts'
import { createContext } from '../session/context.ts'
import { withPublicErrors } from './deposit-error.ts'
import { LibraryClient } from './library-client.ts'
import type { Client, ConnectOptions } from './types.ts'

export { DepositError } from './deposit-error.ts'
export type * from './types.ts'

/**
 * Connects to a deposit service, as the command line does.
 *
 * @example
 *   import { connect } from 'depositd/client'
 *
 *   const deposits = await connect()
 *   const draft = await deposits.create({ title: 'Tides of 2024' })
 *   await deposits.upload(draft.id, 'data/')
 *   console.log((await deposits.publish(draft.id)).recordUrl)
 *
 * @throws {DepositError} `usage`: an option cannot be used; `unreachable`: the local daemon cannot be
 *   started. Whether another service answers shows the first request.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const { signal = new AbortController().signal, onNote = () => {}, ...rest } = options
  return withPublicErrors(signal, async () => {
    const context = createContext({
      environment: environmentFor(options),
      stdin: Readable.from([]),
      stdout: lines(() => {}),
      stderr: lines(onNote),
      folder: process.cwd(),
      signal,
    })
    const { endpoint, insecure, timeout, retries } = rest
    const client = await context.client({
      ...(endpoint !== undefined && { endpoint }),
      ...(insecure !== undefined && { insecure }),
      ...(timeout !== undefined && { timeout }),
      ...(retries !== undefined && { retries }),
    })
    return new LibraryClient(client, context)
  })
}

/** A token in the environment is not sent to another service than the one there. */
function environmentFor({ server, token }: ConnectOptions): NodeJS.ProcessEnv {
  const { DEPOSIT_URL: url, DEPOSIT_TOKEN: own, ...environment } = process.env
  const wanted = server === undefined ? url : String(server)
  const isSame = server === undefined || (url && parseServer(url).origin === originOf(server))
  const given = token ?? (isSame ? own : undefined)
  return {
    ...environment,
    ...(wanted !== undefined && { DEPOSIT_URL: wanted }),
    ...(given !== undefined && { DEPOSIT_TOKEN: given }),
  }
}

function originOf(server: string | URL): string {
  return parseServer(String(server)).origin
}

/** Takes whole lines, as notes are written. */
function lines(take: (line: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      take(String(text).trimEnd())
      done()
    },
  })
}

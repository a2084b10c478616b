import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { listeningUrl, runDepositd, spawnDepositd, type Ended } from '../support/depositd.ts'

/** A daemon in its own process, which a test may end in any way. */
export interface RunningDaemon extends AsyncDisposable {
  readonly home: string
  readonly url: string
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Makes a user with all rights; returns a token. */
  readonly token: () => Promise<string>
}

/** Starts `depositd serve` and waits until it listens. */
export async function runningDaemon(
  home: string,
  env: NodeJS.ProcessEnv = {},
): Promise<RunningDaemon> {
  const child = spawnDepositd(home, ['serve', '--port', '0'], env)
  const url = await listeningUrl(child)
  if (url === undefined) throw new Error((await child.ended).stderr)
  return {
    home,
    url,
    child,
    ended: child.ended,
    token: () => makeToken(home, env),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child.ended
    },
  }
}

/** Like {@link runningDaemon}, with a home that is removed at the end. */
export async function freshDaemon(env: NodeJS.ProcessEnv = {}): Promise<RunningDaemon> {
  const folder = await temporaryFolder()
  const daemon = await runningDaemon(folder.path, env)
  return {
    ...daemon,
    [Symbol.asyncDispose]: async () => {
      await daemon[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function makeToken(home: string, env: NodeJS.ProcessEnv): Promise<string> {
  await runDepositd(home, ['user', 'add', 'ada@example.org'], env)
  const scope = 'deposit:write deposit:actions'
  const args = ['token', 'create', '--user', 'ada@example.org', '--scope', scope]
  const { stdout } = await runDepositd(home, args, env)
  return stdout.trim().split('\n').at(-1) ?? ''
}

export interface Draft {
  readonly id: string
  readonly links: Readonly<Record<string, string>>
}

export async function createDraft({ url }: RunningDaemon, token: string): Promise<Draft> {
  const response = await fetch(`${url}/api/deposits/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"title":"Sea level"}',
  })
  return (await response.json()) as Draft
}

/** An upload that waits for its last bytes. */
export interface OpenUpload {
  readonly request: ClientRequest
  /** Sends the last bytes; returns status and body. */
  readonly finish: () => Promise<{ readonly status: number; readonly body: string }>
}

/** Begins to put a file into the bucket of a draft; resolves once the daemon has accepted it. */
export async function beginUpload(
  { links }: Draft,
  token: string,
  key: string,
): Promise<OpenUpload> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/octet-stream',
    expect: '100-continue',
  }
  const sending = request(`${links['bucket']}/${key}`, { method: 'PUT', headers })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve)
    sending.once('error', reject)
  })
  answer.catch(() => {})
  sending.flushHeaders()
  await once(sending, 'continue')
  await new Promise<void>((resolve) => sending.write(Buffer.alloc(100_000, 'x'), () => resolve()))
  return {
    request: sending,
    finish: async () => {
      sending.end(Buffer.alloc(100_000, 'y'))
      const response = await answer
      return { status: response.statusCode ?? 0, body: await text(response) }
    },
  }
}

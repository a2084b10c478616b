import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { startEcho } from './echo.ts'
import { startNginx } from './nginx.ts'

/** What the targets are measured with: the real daemon, signed in to, and the references. */
export interface Bench extends AsyncDisposable {
  readonly daemon: DaemonProcess
  /** A token that may do everything to its user's deposits. */
  readonly token: string
  /** Origin of a bare Fastify that answers a body with itself. */
  readonly echo: string
  /** Origin of nginx with WebDAV; undefined where it is not installed. */
  readonly nginx: string | undefined
  /** A folder for this run, on the disk that the daemon's home is on. */
  readonly folder: string
  /** Bytes of the large file. */
  readonly largeFile: number
  /** Makes a draft, and answers its links. */
  readonly draft: () => Promise<Links>
}

export interface Links {
  readonly self: string
  readonly bucket: string
  readonly files: string
  readonly publish: string
  readonly newversion: string
}

export async function startBench(largeFile: number): Promise<Bench> {
  await using stack = new AsyncDisposableStack()
  const daemon = stack.use(await startDaemon({ DEPOSIT_LOG_LEVEL: 'warn' }))
  await daemon.operate(['user', 'add', 'bench@example.org'])
  const scope = 'deposit:write deposit:actions'
  const printed = await daemon.operate([
    'token',
    'create',
    '--user',
    'bench@example.org',
    '--scope',
    scope,
  ])
  const token = printed.trim().split('\n').at(-1) ?? ''
  const echo = stack.use(await startEcho())
  const folder = await mkdtemp(join(tmpdir(), 'deposit-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const nginx = await startNginx(folder)
  if (nginx) stack.use(nginx)
  const parts = stack.move()
  return {
    daemon,
    token,
    echo: echo.url,
    nginx: nginx?.url,
    folder,
    largeFile,
    draft: () => createDraft(daemon.url, token),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

async function createDraft(url: string, token: string): Promise<Links> {
  const answer = await fetch(`${url}/api/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'For measuring' }),
  })
  const { links } = (await answer.json()) as { readonly links: Links }
  return links
}

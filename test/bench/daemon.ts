import { startService } from '../faults/service.ts'
import { bodyOf, send } from '../support/http.ts'
import { endService, type Home } from './home.ts'
import { settled } from './settle.ts'

/** The real daemon as a process of its own. */
export interface Daemon extends AsyncDisposable {
  /** Origin, without a slash at the end. */
  readonly url: string
  readonly pid: number
  /** Milliseconds from its start until it accepted requests. */
  readonly readyMs: number
  /** Token of the measured user. */
  readonly token: string
  readonly adminToken: string
  readonly draft: () => Promise<Draft>
  /** Deletes a draft with its files. */
  readonly remove: (draft: Draft) => Promise<void>
}

/** The fields of a deposit that further requests need. */
export interface Draft {
  readonly id: string
  readonly links: Links
}

interface Links {
  readonly self: string
  readonly bucket: string
  readonly files: string
  readonly publish: string
  readonly newversion: string
}

/**
 * Starts the daemon with its default settings, except that only warnings are logged.
 *
 * @param under a command that runs it, such as `strace`
 */
export async function startDaemon(home: Home, under: readonly string[] = []): Promise<Daemon> {
  const service = await startService(home.path, { under, env: home.env ?? {} })
  const { url, pid, readyMs } = service
  const headers = { authorization: `Bearer ${home.token}` }
  return {
    url,
    pid,
    readyMs,
    token: home.token,
    adminToken: home.adminToken,
    draft: async () => {
      const json = { title: 'For measuring' }
      const reply = await send('POST', `${url}/api/deposits`, { headers, json })
      return bodyOf<Draft>(reply, 201)
    },
    remove: async ({ links }) =>
      bodyOf<undefined>(await send('DELETE', links.self, { headers }), 204),
    [Symbol.asyncDispose]: () => endService(service),
  }
}

/** The same, once its background work is done, such as bringing a search index up to date. */
export async function startSettled(home: Home): Promise<Daemon> {
  await using stack = new AsyncDisposableStack()
  const daemon = stack.use(await startDaemon(home))
  await settled(daemon)
  stack.move()
  return daemon
}

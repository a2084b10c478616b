import { createHash } from 'node:crypto'
import { shellWord } from '../plain.ts'
import { tokenVariable } from '../remote-advice.ts'
import type { CliContext } from '../session/context.ts'
import { mannersOf } from '../session/open-client.ts'
import { kindOf, findRemote, tokenOf, type StoredRemote } from './remotes.ts'
import { guardedLookup } from './port/guarded-lookup.ts'
import { Recorder } from './port/recorder.ts'
import { RemoteHttp } from './port/remote-http.ts'
import type { Repository } from './port/repository.ts'

interface OpenOptions {
  readonly quiet?: true
  readonly timeout?: number
  readonly retries?: number
  /** A file for the traffic. */
  readonly record?: string
}

/** A repository that requests can be sent to. */
export interface OpenRemote extends AsyncDisposable {
  readonly remote: StoredRemote
  readonly repository: Repository
  readonly host: string
  /** Tells whether two pushes used the same token, and not which. */
  readonly tokenMark: string
}

/** @throws {Failure} there is no remote of that name, or no token for it */
export async function openRemote(
  context: CliContext,
  name: string,
  options: OpenOptions,
): Promise<OpenRemote> {
  return openStored(context, await findRemote(context, name), options)
}

export async function openStored(
  context: CliContext,
  remote: StoredRemote,
  options: OpenOptions,
): Promise<OpenRemote> {
  const kind = kindOf(remote.kind)
  const token = tokenOf(remote, context.config)
  const { HttpSender } = await import('../client/http.ts')
  // Its own connections: their timeouts and messages are not those of our service.
  const lookup = guardedLookup(new URL(remote.url).hostname)
  const http = new HttpSender(context.signal, mostSockets, lookup)
  http.manners = mannersOf(context.streams, { ...options, quiet: options.quiet === true })
  const recorder = options.record === undefined ? undefined : await Recorder.open(options.record)
  const requests = new RemoteHttp({
    http,
    name: remote.name,
    renew: renewCommand(remote),
    variable:
      context.config.remoteToken(remote.name) === undefined
        ? undefined
        : tokenVariable(remote.name),
    url: remote.url,
    headers: kind.headers(token),
    hosts: kind.hosts,
    retries: options.retries,
    tell: http.manners.tell,
    recorder,
  })
  return {
    remote,
    repository: await kind.open(requests, remote),
    host: new URL(remote.url).host,
    tokenMark: markOf(remote, token),
    [Symbol.asyncDispose]: async () => {
      http[Symbol.dispose]()
      await recorder?.[Symbol.asyncDispose]()
    },
  }
}

const mostSockets = 16

/** So short that nobody finds a token by it. */
function markOf({ kind, url }: StoredRemote, token: string): string {
  return createHash('sha256').update(`${kind}\n${url}\n${token}`).digest('hex').slice(0, 8)
}

function renewCommand({ name, kind, url, collection, contact }: StoredRemote): string {
  const place = url === kindOf(kind).url ? [] : ['--url', url]
  const group = collection === undefined ? [] : ['--collection', collection]
  const person = contact === undefined ? [] : ['--contact', contact]
  const where = [...place, ...group, ...person]
  const words = ['deposit', 'remote', 'add', name, '--kind', kind, ...where, '--replace']
  return words.map((word) => shellWord(word)).join(' ')
}

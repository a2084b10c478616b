import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  approvalPath,
  daemonProofPath,
  ticketPath,
  isChallenge,
  isOwnerProof,
  proveDaemon,
} from '../../core/contract/owner-proof.ts'
import { areFilesAway, isProblem, parseUserId, problem, wrongField } from '../../core/index.ts'
import type { Account, Clock, Database } from '../../core/index.ts'
import { deedOf, noteCommand, runLong, runShort, withPlace } from './run-in-daemon.ts'
import type { OperatorContext, Options, WorkContext } from './command/operator-command.ts'
import { ticketMs } from '../sign-in/identity/tickets.ts'
import type { Tickets } from '../sign-in/identity/tickets.ts'
import { approveDevice, findDeviceRequest } from '../sign-in/issuer/device-requests.ts'
import type { EmbeddedIssuer } from '../sign-in/embedded-issuer.ts'
import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { PassThrough } from 'node:stream'
import { fileIdentity } from '../../core/base/file-identity.ts'
import { placeOf } from '../home/place.ts'
import type { Line } from './command/transcript.ts'

/** The services for the owner of the machine: signing in, and the operator's commands. */
export interface LocalServices {
  readonly context: OperatorContext
  readonly work: WorkContext
  /** The key that only the owner of the home can read. */
  readonly key: string
  readonly issuer: EmbeddedIssuer | undefined
}

/**
 * `GET /local/proof`: proves to programs of the owner that this is the daemon of their home, and no
 * other program that took its port. Open to all: the answer is useless without the key. A program that
 * names its home by the lock file gets none of another home.
 */
export function proofRoute(
  { key, work }: Pick<LocalServices, 'key' | 'work'>,
  version: string,
): FastifyPluginAsync {
  return async (app) => {
    app.get(daemonProofPath, async ({ query, headers }, reply) => {
      const { challenge, lock } = query as Readonly<Record<'challenge' | 'lock', unknown>>
      if (!isChallenge(challenge))
        throw wrongField('malformed_request', 'challenge', '32 bytes in base64url are expected.')
      if (lock !== undefined && lock !== (await fileIdentity(work.home.lock)))
        throw problem('not_found', { message: 'The daemon here has another home.' })
      const said = { pid: process.pid, version }
      const proof = proveDaemon(key, { ...said, challenge, host: headers.host ?? '' })
      reply.header('cache-control', 'no-store')
      return { ...said, proof }
    })
  }
}

interface LocalParts extends LocalServices {
  readonly tickets: Tickets
}

/** Routes behind the owner's key: who can read it owns the home, and all that is in it. */
export function localRoutes(parts: LocalParts): FastifyPluginAsync {
  const { context, work, key, issuer, tickets } = parts
  return async (app) => {
    app.decorate('challenge', () => 'Owner')
    app.addHook('onRequest', async (request) => {
      requireKey(request, key)
      request.actor = 'owner'
    })
    app.post(approvalPath, async (request) => {
      const code = parseUserCode(request.body)
      const provider = await issuer?.provider()
      const device = provider && (await findDeviceRequest(provider, code))
      if (!device) throw problem('not_found')
      const account = await ownerAccount(context)
      await approveDevice(provider, device, account)
      return { user: account.id, client: device.client, scope: device.scopes.join(' ') }
    })
    app.post(ticketPath, async (_request, reply) => {
      if (!issuer) throw problem('not_found')
      const { id } = await ownerAccount(context)
      const ticket = { ticket: tickets.issue(id), expires_in: ticketMs / 1000, user: id }
      return reply.code(201).header('cache-control', 'no-store').send(ticket)
    })
    app.post('/local/operator', async (request) => {
      const { command, options } = parseCommand(request.body)
      request.deed = deedOf(command, options)
      try {
        const outcome = await runShort(context, command, options)
        return withPlace(outcome, work.home)
      } catch (error) {
        request.failed = error instanceof Error ? error.message : String(error)
        throw error
      }
    })
    app.post('/local/note', async (request, reply) => {
      const { command, options } = parseCommand(request.body)
      const { failed } = request.body as { readonly failed?: unknown }
      if (typeof failed !== 'string')
        throw wrongField('malformed_request', 'failed', 'Why it failed is expected.')
      request.isNoted = true
      await noteCommand(context.database, command, options, failed)
      return reply.code(204).send()
    })
    localWork(app, work, parseCommand)
  }
}

/** @throws {DepositError} unauthenticated: the request does not prove that its sender has the owner's key */
function requireKey({ method, url: path, headers }: FastifyRequest, key: string): void {
  const { host = '', authorization = '' } = headers
  if (isOwnerProof(key, { method, path, host }, authorization)) return
  throw problem('unauthenticated', {
    message: 'This needs the key that lies in the home of the daemon.',
  })
}

function parseUserCode(body: unknown): string {
  const code = (body as { readonly user_code?: unknown } | null)?.user_code
  if (typeof code === 'string') return code
  throw wrongField('malformed_request', 'user_code', 'The code that the device shows is expected.')
}

function parseCommand(body: unknown) {
  const { command, options } = (body ?? {}) as { command?: unknown; options?: unknown }
  if (typeof command === 'string' && typeof options === 'object' && options !== null) {
    return { command, options: options as Record<string, string> }
  }
  throw wrongField('malformed_request', 'command', 'A command with its options is expected.')
}

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/** The account of the person whose machine this is; made on first use. */
async function ownerAccount({ database, clock }: Stores): Promise<Account> {
  const email = `${userInfo().username}@localhost`
  const found = await database.read.accounts.findByEmail(email)
  if (found) return found
  return database.write(async (unit) => {
    const present = await unit.accounts.findByEmail(email)
    if (present) return present
    const id = (await unit.invitations.take(email)) ?? parseUserId(randomUUID())
    const account = { id, email, admin: false, disabled: false, created: clock.now() }
    await unit.accounts.insert(account)
    return account
  })
}

/** Time between lines that say that silent work still runs. Milliseconds. */
const aliveMs = 15_000

/** The command and options of a request to `/local/operator`. */
interface AskedWork {
  readonly command: string
  readonly options: Options
}

/** `POST /local/work`: an operator's long work, told line by line while it is done. */
function localWork(
  app: FastifyInstance,
  context: WorkContext,
  parse: (body: unknown) => AskedWork,
): void {
  app.post('/local/work', async (request, reply) => {
    const asked = parse(request.body)
    request.deed = deedOf(asked.command, asked.options)
    const lines = new PassThrough()
    const report = (error: unknown): void => {
      request.failed = error instanceof Error ? error.message : String(error)
      if (isProblem(error) || lines.destroyed) return
      request.log.error({ err: error }, 'work failed')
    }
    // Before its end is told, so that who waited for the end finds the entry.
    const note = async (): Promise<void> => {
      if (request.isNoted) return
      await noteCommand(context.parts.database, asked.command, asked.options)
      request.isNoted = true
    }
    void carryOut(context, asked, { lines, report, note })
    return sendLines(reply, lines)
  })
}

function sendLines(reply: FastifyReply, lines: PassThrough): FastifyReply {
  return reply.type('application/x-ndjson').send(lines)
}

interface Told {
  readonly lines: PassThrough
  readonly report: (error: unknown) => void
  readonly note: () => Promise<void>
}

/** Of files that cannot be reached the operator is told where they are, which users are not. */
function failureAt({ home }: WorkContext, error: unknown): Line {
  const text = error instanceof Error ? error.message : String(error)
  if (!isProblem(error, 'storage_unavailable')) return { kind: 'failure', text }
  const reason = 'unavailable'
  if (!areFilesAway(error)) return { kind: 'failure', text, reason }
  const why = error.cause instanceof Error ? error.cause.message : ''
  const said = `The files in ${placeOf(home).storage} cannot be reached now`
  const ending = /[.?]$/.test(why) ? '' : '.'
  return {
    kind: 'failure',
    text: why === '' ? `${said}; the log says more.` : `${said}: ${why}${ending}`,
    reason,
  }
}

/** Stops when the client is gone. */
async function carryOut(
  context: WorkContext,
  { command, options }: AskedWork,
  { lines, report, note }: Told,
): Promise<void> {
  const stopping = new AbortController()
  lines.once('close', () => stopping.abort())
  const say = (line: Line): void =>
    void (lines.writable && lines.write(`${JSON.stringify(line)}\n`))
  const alive = setInterval(() => say({ kind: 'alive' }), aliveMs)
  try {
    const tell = (kind: 'note' | 'result' | 'progress', text: string): void => say({ kind, text })
    const voice = { tell, signal: stopping.signal }
    const { ending, data } = await runLong(context, command, options, voice)
    await note()
    say({ kind: 'ending', ending, data: { ...data, ...placeOf(context.home) } })
  } catch (error) {
    report(error)
    say(failureAt(context, error))
  } finally {
    clearInterval(alive)
    lines.end()
  }
}

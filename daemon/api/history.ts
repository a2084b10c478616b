import { Type } from 'typebox'
import type { FastifyPluginAsync } from 'fastify'
import { defaultMaxResultWindow, defaultRevisionsSize } from '../../core/contract/defaults.ts'
import { historyBody, type HistoryEntryBody } from '../../core/contract/history.ts'
import {
  emailsOf,
  listHistory,
  parsePaging,
  type Caller,
  type Deposit,
  type HistoryEntry,
  type StoredChange,
} from '../../core/index.ts'
import { jsonAlone } from '../config/serializers.ts'
import { paging } from './openapi/parameters.ts'
import { done, guardedDeposit, parameters, refuseLinks, resource } from './route.ts'
import { ItemInPieces, pageLinks, sendList } from './send-list.ts'
import type { Services } from './services.ts'

const sizeOfPage = Type.Optional(
  Type.Integer({
    minimum: 1,
    default: defaultRevisionsSize,
    description: 'A page of more than 8 MiB ends early; follow `next` to its rest.',
  }),
)

/** `/deposits/{pid_value}/history`: how the metadata of a deposit were changed. */
export function depositHistory(services: Services): FastifyPluginAsync {
  const { parts, links, routes } = services
  return async (app) => {
    resource(app, services, routes.depositHistory, {
      GET: {
        id: 'readHistory',
        tag: 'deposits',
        summary: 'List the changes of the metadata, newest first',
        needs: 'read',
        query: { ...paging, size: sizeOfPage },
        answers: { 200: done(historyBody) },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        details:
          'Each with JSON Patches both ways. The newest 200 are kept for `DEPOSIT_HISTORY_DAYS`, and up to 1,000 of the last two days. The action `undo` brings a state back.',
        handler: async (request, reply) => {
          refuseLinks(request)
          const deposit = guardedDeposit(request)
          const asked = parsePaging(
            parameters(request),
            defaultMaxResultWindow,
            defaultRevisionsSize,
          )
          const found = await listHistory(parts, deposit, asked)
          const place = { ...asked, ...found, window: defaultMaxResultWindow }
          reply.header('link', pageLinks(links.history(deposit.id), request.url, place).header)
          const emails = new Emails(services, request.caller, deposit)
          const batches = toBodies(services, found.batches, emails)
          return sendList(reply, jsonAlone, { frame: [], batches, bytes: found.bytes })
        },
      },
    })
  }
}

async function* toBodies(
  { links }: Services,
  batches: AsyncIterable<readonly StoredChange[]>,
  emails: Emails,
): AsyncGenerator<readonly LongChange[]> {
  for await (const entries of batches) {
    const bodies: LongChange[] = []
    for (const { n, at, by, action, to, patch, undo } of entries) {
      const email = await emails.of(by)
      const body = {
        n,
        at,
        by,
        ...(email !== undefined && { email }),
        action,
        ...(to !== undefined && { to }),
      }
      bodies.push(new LongChange(body, withUrls(patch), withUrls(undo)))
    }
    yield bodies
  }

  function withUrls(text: string): string {
    if (!text.includes('"/$schema"')) return text
    return JSON.stringify((JSON.parse(text) as HistoryEntry['patch']).map(withUrl))
  }

  function withUrl(operation: HistoryEntry['patch'][number]) {
    if (operation.path !== '/$schema' || operation.op === 'remove') return { ...operation }
    const { value } = operation
    return { ...operation, value: typeof value === 'string' ? links.schema(value) : value }
  }
}

/** A change with its patches as they are stored. */
class LongChange extends ItemInPieces {
  readonly #body: Omit<HistoryEntryBody, 'patch' | 'undo'>
  readonly #patch: string
  readonly #undo: string

  constructor(body: Omit<HistoryEntryBody, 'patch' | 'undo'>, patch: string, undo: string) {
    super()
    this.#body = body
    this.#patch = patch
    this.#undo = undo
  }

  toPieces(): readonly string[] {
    const body = JSON.stringify(this.#body).slice(0, -1)
    return [`${body},"patch":${this.#patch}`, `,"undo":${this.#undo}}`]
  }
}

/** Who made the changes, for owners alone, and as far as they know people by their address. */
class Emails {
  readonly #services: Services
  readonly #deposit: Deposit
  readonly #caller: Caller
  readonly #known = new Map<string, string | undefined>()
  #people: Promise<ReadonlyMap<string, string>> | undefined

  constructor(services: Services, caller: Caller, deposit: Deposit) {
    this.#services = services
    this.#caller = caller
    this.#deposit = deposit
  }

  async of(user: HistoryEntry['by']): Promise<string | undefined> {
    if (typeof this.#caller === 'string' || user === 'system') return undefined
    const { parts } = this.#services
    if (!this.#caller.admin) {
      if (!this.#deposit.owners.includes(this.#caller.user)) return undefined
      this.#people ??= emailsOf(parts.database.read, this.#deposit)
      return (await this.#people).get(user)
    }
    if (!this.#known.has(user))
      this.#known.set(user, (await parts.database.read.accounts.find(user))?.email)
    return this.#known.get(user)
  }
}

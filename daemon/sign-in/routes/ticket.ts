import type { FastifyPluginAsync } from 'fastify'
import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import { problem, wrongField, type Clock, type Database } from '../../../core/index.ts'
import { keepTicketSignIn } from '../identity/end-sign-ins.ts'
import { issueToken, type NewToken } from '../identity/personal-tokens.ts'
import type { Tickets } from '../identity/tickets.ts'
import { pagesClientId } from '../issuer/first-party-clients.ts'

/** Time that a browser stays signed in by a ticket. */
const lifetimeMs = 3_600_000

interface TicketParts {
  readonly tickets: Tickets
  readonly database: Database
  readonly clock: Clock
}

/** `POST /oauth/ticket`: the token of a tab for the ticket it was opened with. */
export function ticketRoute({ tickets, ...stores }: TicketParts): FastifyPluginAsync {
  return async (app) => {
    app.decorate('challenge', () => 'Ticket')
    app.post('/oauth/ticket', async (request, reply) => {
      const user = tickets.redeem(parseTicket(request.body))
      if (user === undefined)
        throw problem('unauthenticated', { message: 'The ticket was used or is too old.' })
      request.actor = user
      request.deed = 'signed in to the pages by a ticket'
      const scopes = [writeScope, actionsScope] as const
      const beside: NewToken['beside'] = (unit, made) => keepTicketSignIn(unit, made, pagesClientId)
      const wish = { user, name: 'browser', scopes, lifetimeMs, beside }
      const { value, grant } = await issueToken(stores, wish)
      const expires = { expires_in: lifetimeMs / 1000 }
      reply.header('cache-control', 'no-store')
      // With its id the page revokes it, as any personal token: no issuer knows it.
      const given = { access_token: value, token_id: grant.id, token_type: 'Bearer' }
      return { ...given, scope: scopes.join(' '), ...expires }
    })
  }
}

function parseTicket(body: unknown): string {
  const ticket = (body as { readonly ticket?: unknown } | null)?.ticket
  if (typeof ticket === 'string') return ticket
  throw wrongField('malformed_request', 'ticket', 'The ticket is expected.')
}

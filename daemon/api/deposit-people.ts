import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  personBody,
  personListBody,
  personRequest,
  transferBody,
  transferRequest,
  type PersonBody,
  type PersonRequest,
  type TransferBody,
  type TransferRequest,
} from '../../core/contract/sharing-schemas.ts'
import { depositBody } from '../../core/contract/schemas.ts'
import { fillRoute } from '../../core/contract/routes.ts'
import type { KnownPerson, Transfer } from '../../core/index.ts'
import { expectedRevision } from '../http/revision.ts'
import { sendDeposit } from './deposit-item.ts'
import { conditionalChange, gone, json } from './openapi/parameters.ts'
import { depositId, done, resource, setRevision } from './route.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/people` and `…/transfer`: who has which role, and handing it over. */
export function depositPeople(services: Services): FastifyPluginAsync {
  const { routes, people } = services
  return async (app) => {
    resource(app, services, routes.peopleList, {
      GET: {
        id: 'listPeople',
        tag: 'people',
        summary: 'List the people with a role on a deposit, owners first',
        needs: 'read',
        answers: { 200: done(personListBody) },
        handler: async (request, reply) => {
          reply.header('cache-control', 'no-store')
          return (await people.list(asked(request))).map(toPerson)
        },
      },
      POST: {
        id: 'putPerson',
        tag: 'people',
        summary: 'Give a person a role, or another one',
        details:
          'By an e-mail address. The answer is the same whether it has an account or not: without one ' +
          'it is an invitation, which the account that is made with the address takes.',
        needs: 'share',
        headers: conditionalChange,
        body: json(personRequest),
        isChecked: true,
        answers: { 201: done(personBody) },
        answerHeaders: ['Deposit-Revision', 'Location'],
        handler: async (request, reply) => {
          const { user, role } = request.body as PersonRequest
          const { deposit, person } = await people.put(asked(request), user, role)
          setRevision(reply, deposit)
          const values = { pid_value: deposit.id, id: person.user }
          reply.header('location', services.origin() + fillRoute(routes.personItem, values))
          return reply.code(201).send(toPerson(person))
        },
      },
    })
    resource(app, services, routes.personItem, {
      DELETE: {
        id: 'removePerson',
        tag: 'people',
        summary: 'Take the role of a person',
        details:
          'Not of the last owner. The first owner, whose quota the deposit counts against, hands it ' +
          'over first; another owner who removes them takes their place. Drafts of the next version on which the person stays are named.',
        needs: 'share',
        headers: conditionalChange,
        answers: gone,
        answerHeaders: ['Deposit-Revision', 'Deposit-Still-On'],
        handler: async (request, reply) => {
          const { id } = request.params as { readonly id: string }
          const { deposit, stillOn } = await people.remove(asked(request), id)
          setRevision(reply, deposit)
          if (stillOn.length > 0) reply.header('deposit-still-on', stillOn.join(', '))
          return reply.code(204).send()
        },
      },
    })
    resource(app, services, routes.personMe, {
      DELETE: {
        id: 'leaveDeposit',
        tag: 'people',
        summary: 'Give up one’s own role',
        details:
          'With `deposit:write`. Everybody with a role may, but the last owner, and the first one, ' +
          'whose quota the deposit counts against.',
        needs: 'account',
        headers: conditionalChange,
        answers: gone,
        handler: async (request, reply) => {
          await people.leave(asked(request))
          return reply.code(204).send()
        },
      },
    })
    resource(app, services, routes.transfer, {
      GET: {
        id: 'readTransfer',
        tag: 'people',
        summary: 'Tell to whom the deposit is offered',
        needs: 'manage',
        answers: { 200: done(transferBody) },
        handler: async (request) =>
          toTransfer({ ...(await people.offer(asked(request))), isDone: false }),
      },
      POST: {
        id: 'transferDeposit',
        tag: 'people',
        summary: 'Offer one’s place as an owner to somebody, who accepts',
        details: 'An administrator hands the deposit over at once.',
        needs: 'share',
        headers: conditionalChange,
        body: json(transferRequest),
        isChecked: true,
        answers: { 201: done(transferBody) },
        answerHeaders: ['Deposit-Revision'],
        handler: async (request, reply) => {
          const { user } = request.body as TransferRequest
          const made = await people.transfer(asked(request), user)
          setRevision(reply, made.deposit)
          return reply.code(201).send(toTransfer(made))
        },
      },
      DELETE: {
        id: 'withdrawTransfer',
        tag: 'people',
        summary: 'Take the offer back',
        needs: 'share',
        headers: conditionalChange,
        answers: gone,
        answerHeaders: ['Deposit-Revision'],
        handler: async (request, reply) => {
          setRevision(reply, await people.withdraw(asked(request)))
          return reply.code(204).send()
        },
      },
    })
    resource(app, services, routes.transferAccept, {
      POST: {
        id: 'acceptTransfer',
        tag: 'people',
        summary: 'Take over a deposit that was offered',
        details:
          'With `deposit:write`. It counts against the quota of the one who accepts, who needs room.',
        needs: 'account',
        answers: { 200: done(depositBody) },
        handler: async (request, reply: FastifyReply) =>
          sendDeposit(services, reply, await people.accept(asked(request))),
      },
    })
  }
}

function asked(request: FastifyRequest) {
  const expected = expectedRevision(request)
  return { caller: request.caller, id: depositId(request), ...(expected && { expected }) }
}

function toPerson({ user, email, role, since }: KnownPerson): PersonBody {
  return { id: user, user: { id: user, email: email ?? null }, role, since }
}

function toTransfer({ user, email, since, isDone }: Omit<Transfer, 'deposit'>): TransferBody {
  return { user: { id: user, email: email ?? null }, since, status: isDone ? 'done' : 'offered' }
}

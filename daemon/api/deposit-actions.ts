import type { FastifyPluginAsync } from 'fastify'
import { depositBody, rehearsalBody } from '../../core/contract/schemas.ts'
import { rehearsePublish, runAction } from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { ignoreMediaTypes } from '../http/bodies.ts'
import { resource, type Method, type Methods } from '../http/route.ts'
import { expectedRevision } from '../http/revision.ts'
import { jsonAlone } from '../config/serializers.ts'
import { acceptable } from '../http/by-media-type.ts'
import { depositAnswer } from './deposit-item.ts'
import { depositId, guardDeposit } from './guards.ts'
import type { Services } from './services.ts'

/**
 * `/deposits/{pid_value}/actions/{action}`: one route for each action of the registry, so a name
 * that is none matches no route.
 *
 * @see Specification, "Deposit action"
 */
export function depositActions(services: Services): FastifyPluginAsync {
  const { parts, routes } = services
  return async (app) => {
    ignoreMediaTypes(app)
    for (const name of Object.keys(parts.actions)) {
      resource(app, toPattern(routes.depositAction.replace('{action}', name)), {
        ...(name === 'publish' ? rehearsal(services) : {}),
        POST: run(services, name),
      })
    }
  }
}

function run(services: Services, name: string): Method {
  const { parts, links } = services
  const status = name === 'publish' ? 202 : 201
  return {
    schema: { response: { [status]: depositBody } },
    onRequest: [...guardDeposit(services, 'act'), acceptable(services.serializers.record)],
    handler: async (request, reply) => {
      const expected = expectedRevision(request)
      const freesRoom = parts.actions[name]?.freesRoom
      const asked = { caller: request.caller, id: depositId(request), name }
      using attempt = await services.attempts.begin(request)
      return await attempt.answer(reply, {
        content: '',
        ...(freesRoom && { freesRoom }),
        serializers: services.serializers.record,
        make: (beside) => runAction(parts, { ...asked, ...(expected && { expected }), beside }),
        toAnswer: async (deposit, rows) => {
          const { headers, body } = await depositAnswer(links, deposit, rows)
          const location = links.depositItem(deposit.id)
          return { status, headers: { ...headers, location }, body }
        },
      })
    },
  }
}

/** What stands in the way of publishing, without doing anything. @see Contract §3.9 */
function rehearsal(services: Services): Methods {
  return {
    GET: {
      schema: { response: { 200: rehearsalBody } },
      onRequest: [...guardDeposit(services, 'read'), acceptable(jsonAlone)],
      handler: async (request) => {
        const found = await rehearsePublish(services.parts, request.caller, depositId(request))
        return { publishable: found.errors.length === 0, ...found }
      },
    },
  }
}

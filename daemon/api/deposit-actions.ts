import type { FastifyPluginAsync } from 'fastify'
import { depositBody, rehearsalBody } from '../../core/contract/schemas.ts'
import { rehearsePublish, runAction } from '../../core/index.ts'
import { ignoreMediaTypes } from '../http/bodies.ts'
import { expectedRevision } from '../http/revision.ts'
import { jsonAlone } from '../config/serializers.ts'
import { depositAnswer } from './deposit-json.ts'
import { conditionalChange, repeatable, validators } from './openapi/parameters.ts'
import { done, resource, depositId, type Route, type Routes } from './route.ts'
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
    for (const [name, { summary }] of Object.entries(parts.actions)) {
      resource(app, services, routes.depositAction.replace('{action}', name), {
        ...(name === 'publish' ? rehearsal(services) : {}),
        POST: run(services, name, summary),
      })
    }
  }
}

function run(services: Services, name: string, summary: string): Route {
  const { parts, links } = services
  const status = name === 'publish' ? 202 : 201
  return {
    id: `${name}Deposit`,
    tag: 'actions',
    summary,
    needs: 'act',
    headers: { ...conditionalChange, ...repeatable },
    answers: { [status]: done(depositBody) },
    answerHeaders: [...validators, 'Location', 'Link'],
    offers: services.serializers.record,
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

/** Lists every reason against publishing, and changes nothing. @see Contract §3.9 */
function rehearsal(services: Services): Routes {
  return {
    GET: {
      id: 'rehearsePublish',
      tag: 'actions',
      summary: 'List everything that keeps it from being published, without doing anything',
      needs: 'read',
      answers: { 200: done(rehearsalBody) },
      offers: jsonAlone,
      handler: async (request) => {
        const found = await rehearsePublish(services.parts, request.caller, depositId(request))
        return { publishable: found.errors.length === 0, ...found }
      },
    },
  }
}

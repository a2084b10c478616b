import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { parseInTurn, type PublishedRecord } from '../../core/index.ts'
import { recordBody } from '../../core/contract/schemas.ts'
import { conditionalRead, unchanged, validators } from '../api/openapi/parameters.ts'
import { linksetBody } from '../api/records.ts'
import { resource } from '../api/route.ts'
import { negotiate } from '../http/media-types.ts'
import { isUnchanged, setValidators } from '../http/revision.ts'
import { addVary, setPublic, sharedDocument } from '../http/sharing.ts'
import { toRecordBody } from '../api/serializers/deposit-json.ts'
import { linksetType } from '../config/links.ts'
import type { PageParts } from './page-parts.ts'
import { sendLinkset } from '../discovery/linkset.ts'
import { toRecordView } from './record-view.ts'
import { toLinkHeader } from '../discovery/signposting.ts'

/** `/records/{pid_value}` unless configured otherwise: the address a record is cited by, as a page or as its JSON. */
export function recordPage({ services, send }: PageParts): FastifyPluginAsync {
  const { records, links, routes } = services
  return async (app) => {
    resource(app, services, routes.recordPage, {
      GET: {
        config: { shared: sharedDocument },
        id: 'readRecordPage',
        tag: 'records',
        summary: 'Read a record at the address it is cited by',
        details: 'A page for people, JSON or all its links for programs, by `Accept`.',
        needs: 'nothing',
        headers: conditionalRead,
        answers: {
          200: {
            description: 'The record.',
            content: {
              'text/html': Type.String(),
              'application/json': recordBody,
              [linksetType]: linksetBody,
            },
          },
          ...unchanged,
        },
        answerHeaders: [...validators, 'Link', 'Cache-Control'],
        handler: async (request, reply) => {
          const { pid_value: value } = request.params as { readonly pid_value: string }
          const offers = ['text/html', 'application/json', linksetType]
          const type = negotiate(request.headers.accept, offers)
          const record = await records.get(value)
          addVary(reply, 'accept')
          if (type === 'text/html') return sendPage(record, reply)
          if (type === linksetType) return sendLinkset(services, request, reply, record)
          setValidators(reply, record)
          setPublic(request, reply)
          if (isUnchanged(request, record)) return reply.code(304).send()
          await parseInTurn(record)
          return reply.send(toRecordBody(record, links, await records.successor(record)))
        },
      },
    })
  }

  async function sendPage(record: PublishedRecord, reply: FastifyReply): Promise<FastifyReply> {
    await parseInTurn(record)
    const view = await toRecordView(services, record)
    reply.header('link', toLinkHeader(view.head.links))
    return send(reply, 'record', view)
  }
}

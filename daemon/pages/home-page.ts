import { isIP } from 'node:net'
import type { FastifyPluginAsync } from 'fastify'
import { depositSearch, parseSearchRequest, searchRecords } from '../../core/index.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import { resource } from '../http/route.ts'
import { sharedDocument } from '../http/sharing.ts'
import { toCards } from './record-cards.ts'
import type { PageParts } from './templates.ts'
import { counted, text } from './text/text.ts'

/** The newest records that it shows. */
const newest = { sort: 'mostrecent', size: '6' }

/** The service as its home page presents it. */
interface Service {
  readonly origin: () => string
  /** By default its host. */
  readonly name: string | undefined
}

/** `/`: what this service is, a search, the newest records, and the way to the deposits. */
export function homePage(
  { services, send }: PageParts,
  { origin, name: given }: Service,
): FastifyPluginAsync {
  const { parts, routes } = services
  return async (app) => {
    resource(app, '/', {
      GET: {
        operation: 'none',
        config: { shared: sharedDocument },
        handler: async (_request, reply) => {
          const found = await searchRecords(parts, parseSearchRequest(newest, depositSearch), {
            isNewest: true,
          })
          const cards = await toCards(services, found.batches)
          const name = given ?? nameOf(new URL(origin()).hostname)
          const links = [
            { rel: 'canonical', href: `${origin()}/` },
            { rel: 'alternate', href: `${origin()}/records.atom`, type: 'application/atom+xml' },
            { rel: 'api-catalog', href: `${origin()}/.well-known/api-catalog` },
          ]
          reply.header('link', toLinkHeader(links))
          return send(reply, 'home', {
            title: name,
            name,
            path: routes.searchPage,
            summary: counted('home.count', found.total),
            newest: cards.length > 0 && { cards },
            more: found.total > cards.length,
            explain: text('home.explain'),
            head: { metas: [{ name: 'description', content: text('home.explain') }], links },
          })
        },
      },
    })
  }
}

/** A host that has no name of its own is called as the program is. */
function nameOf(host: string): string {
  return host.includes('.') && !isIP(host) ? host : text('brand')
}

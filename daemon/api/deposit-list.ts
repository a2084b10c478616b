import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { depositBody, searchBody } from '../../core/contract/schemas.ts'
import {
  canonicalJson,
  parseSearchRequest,
  searchDeposits,
  type Deposit,
  type SearchParameters,
} from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { toDocument } from '../http/document-body.ts'
import { resource } from '../http/route.ts'
import { jsonAlone } from '../config/serializers.ts'
import { acceptable } from '../http/by-media-type.ts'
import { toDepositItem } from './serializers/deposit-json.ts'
import { sendList } from './serializers/list.ts'
import { pageLinks, toSearchFrame } from './serializers/search-json.ts'
import { depositAnswer } from './deposit-item.ts'
import { guardCreate, requireToken } from './guards.ts'
import type { Services } from './services.ts'

/** `/deposits/`: search the deposits a caller may see, and create one. */
export function depositList(services: Services): FastifyPluginAsync {
  const { parts, deposits, links, routes, serializers } = services
  return async (app) => {
    resource(app, toPattern(routes.depositList), {
      GET: {
        schema: { response: { 200: searchBody } },
        onRequest: [requireToken, acceptable(serializers.search)],
        handler: async (request, reply) => {
          const { searchOptions } = parts.settings
          const asked = parseSearchRequest(parameters(request), searchOptions)
          const found = await searchDeposits(parts, request.caller, asked)
          const place = { ...asked, ...found, window: searchOptions.maxResultWindow }
          const pages = pageLinks(links.depositList(), request.url, place)
          reply.header('link', pages.header)
          const frame = toSearchFrame(found, pages.links)
          const batches = toItems(services, found.batches)
          return sendList(reply, serializers.search, { frame, batches, bytes: found.bytes })
        },
      },
      POST: {
        schema: { response: { 201: depositBody } },
        onRequest: [...guardCreate(services, 'application/json'), acceptable(serializers.record)],
        handler: async (request, reply) => {
          const document = request.body === undefined ? {} : toDocument(request.body)
          using attempt = await services.attempts.begin(request)
          return await attempt.answer(reply, {
            content: canonicalJson(document),
            serializers: serializers.record,
            make: (beside) => deposits.create(request.caller, document, beside),
            toAnswer: async (deposit, rows) => {
              const { headers, body } = await depositAnswer(links, deposit, rows)
              const location = links.depositItem(deposit.id)
              return { status: 201, headers: { ...headers, location }, body }
            },
          })
        },
      },
    })
    resource(app, toPattern(routes.depositOptions), {
      GET: {
        onRequest: [requireToken, acceptable(jsonAlone)],
        handler: async () => describeOptions(services),
      },
    })
  }
}

async function* toItems(
  { parts, links }: Services,
  batches: AsyncIterable<readonly Deposit[]>,
): AsyncGenerator<readonly object[]> {
  for await (const deposits of batches) {
    const buckets = deposits.map(({ bucket }) => bucket)
    const totals = await parts.database.read.files.totals(buckets)
    yield deposits.map((deposit) =>
      toDepositItem(deposit, links, totals.get(deposit.bucket) ?? { count: 0, size: 0 }),
    )
  }
}

/** The parameters of a search as the framework has parsed them. */
export function parameters({ query }: FastifyRequest): SearchParameters {
  return query as SearchParameters
}

/** What a client may ask of the endpoint, and what its page says after an action. */
function describeOptions({ parts, serializers, responseMessages }: Services) {
  const { sortOptions, maxResultWindow, facets } = parts.settings.searchOptions
  const sorted = Object.entries(sortOptions).sort(([, a], [, b]) => a.order - b.order)
  const [preferred] = serializers.record.keys()
  return {
    default_media_type: preferred ?? 'application/json',
    item_media_types: [...serializers.record.keys()],
    search_media_types: [...serializers.search.keys()],
    max_result_window: maxResultWindow,
    sort_fields: sorted.map(([name, { title }]) => ({ [name]: { title } })),
    facets: Object.keys(facets),
    response_messages: responseMessages,
  }
}

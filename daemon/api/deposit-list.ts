import { Type } from 'typebox'
import type { FastifyPluginAsync } from 'fastify'
import { depositBody, metadataDocument, searchBody } from '../../core/contract/schemas.ts'
import {
  canonicalJson,
  firstOwner,
  listSubmitted,
  parsePaging,
  parseSearchRequest,
  personRoleOf,
  searchDeposits,
  wrongField,
  type Caller,
  type Deposit,
  type PersonRole,
  type SearchParameters,
} from '../../core/index.ts'
import { toDocument } from '../http/bodies.ts'
import { jsonAlone } from '../config/serializers.ts'
import { besideNew, depositAnswer, toDepositItem } from './deposit-json.ts'
import { sendList, pageLinks, toSearchFrame } from './send-list.ts'
import { json, repeatable, searchQuery, validators } from './openapi/parameters.ts'
import { done, resource, parameters } from './route.ts'
import type { Services } from './services.ts'

const optionsBody = Type.Object(
  {
    default_media_type: Type.String(),
    item_media_types: Type.Array(Type.String()),
    search_media_types: Type.Array(Type.String()),
    max_result_window: Type.Integer({ minimum: 1 }),
    sort_fields: Type.Array(Type.Record(Type.String(), Type.Object({ title: Type.String() }))),
    facets: Type.Array(Type.String()),
    response_messages: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'SearchOptions' },
)

const reviewFilter = Type.Optional(
  Type.Literal('submitted', {
    description:
      'The drafts that wait for review alone, longest first: all of them for those who review.',
  }),
)

/** Of the parameters of a search, only those of its pages go with `review=submitted`. */
const notWithReview = ['q', 'sort', 'facets', 'status']

/** @throws {DepositError} invalid_paging */
function parseReviewFilter(given: SearchParameters): boolean {
  const { review } = given
  if (review === undefined) return false
  if (review !== 'submitted')
    throw wrongField('invalid_paging', 'review', 'Write submitted, or leave it out.')
  const other = notWithReview.find((name) => given[name] !== undefined)
  if (other === undefined) return true
  throw wrongField('invalid_paging', other, 'It cannot be combined with review=submitted.')
}

/** `/deposits/`: search the deposits a caller may see, and create one. */
export function depositList(services: Services): FastifyPluginAsync {
  const { parts, deposits, links, routes, serializers } = services
  return async (app) => {
    resource(app, services, routes.depositList, {
      GET: {
        id: 'searchDeposits',
        tag: 'deposits',
        summary: 'Search deposits',
        needs: 'token',
        takesRepeated: true,
        query: { ...searchQuery(parts.settings.searchOptions), review: reviewFilter },
        answers: { 200: done(searchBody) },
        answerHeaders: ['Link'],
        offers: serializers.search,
        handler: async (request, reply) => {
          const { searchOptions } = parts.settings
          const given = parameters(request)
          const isReview = parseReviewFilter(given)
          const page = parsePaging(given, searchOptions.maxResultWindow)
          const found = isReview
            ? await listSubmitted(parts, request.caller, page)
            : await searchDeposits(parts, request.caller, parseSearchRequest(given, searchOptions))
          const place = { ...page, ...found, window: searchOptions.maxResultWindow }
          const pages = pageLinks(links.depositList(), request.url, place)
          reply.header('link', pages.header)
          const frame = toSearchFrame(found, pages.links)
          const batches = toItems(services, request.caller, found.batches)
          return sendList(reply, serializers.search, { frame, batches, bytes: found.bytes })
        },
      },
      POST: {
        id: 'createDeposit',
        tag: 'deposits',
        summary: 'Create a draft',
        needs: 'create',
        headers: repeatable,
        body: json(metadataDocument),
        answers: { 201: done(depositBody) },
        answerHeaders: [...validators, 'Location', 'Link'],
        offers: serializers.record,
        handler: async (request, reply) => {
          const document = request.body === undefined ? {} : toDocument(request.body)
          using attempt = await services.attempts.begin(request)
          return await attempt.answer(reply, {
            content: canonicalJson(document),
            serializers: serializers.record,
            make: (beside) => deposits.create(request.caller, document, beside),
            toAnswer: async (deposit, rows) => {
              const { headers, body } = await depositAnswer(links, deposit, {
                ...rows,
                ...besideNew,
              })
              const location = links.depositItem(deposit.id)
              return { status: 201, headers: { ...headers, location }, body }
            },
          })
        },
      },
    })
    resource(app, services, routes.depositOptions, {
      GET: {
        id: 'describeSearch',
        tag: 'deposits',
        summary: 'Tell what a search may ask for',
        needs: 'token',
        answers: { 200: { description: 'The options.', content: json(optionsBody) } },
        offers: jsonAlone,
        handler: async () => describeOptions(services),
      },
    })
  }
}

async function* toItems(
  { parts, links }: Services,
  caller: Caller,
  batches: AsyncIterable<readonly Deposit[]>,
): AsyncGenerator<readonly object[]> {
  for await (const deposits of batches) {
    const buckets = deposits.map(({ bucket }) => bucket)
    const { files, identifiers } = parts.database.read
    const totals = await files.totals(buckets)
    const own = await identifiers.ofDeposits(deposits.map(({ id }) => id))
    const shared = await identifiers.ofSubjects(deposits.map(({ concept }) => concept))
    yield deposits.map((deposit) =>
      toDepositItem(deposit, links, {
        files: totals.get(deposit.bucket) ?? { count: 0, size: 0 },
        identifiers: [...(own.get(deposit.id) ?? []), ...(shared.get(deposit.concept) ?? [])],
        role: givenRole(caller, deposit),
      }),
    )
  }
}

/** The role that a user was given on a deposit of somebody else. */
function givenRole(caller: Caller, deposit: Deposit): PersonRole | undefined {
  const user = typeof caller === 'string' ? undefined : caller.user
  if (user === undefined || user === firstOwner(deposit)) return undefined
  return personRoleOf(user, deposit)
}

/** The options of a search, and the messages that the page shows after an action. */
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

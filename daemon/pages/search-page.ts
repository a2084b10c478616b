import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  browseRecords,
  depositSearch,
  isProblem,
  parseSearchRequest,
  problem,
  recordFacets,
  toQueryText,
  wrongField,
  type Choice,
  type DepositError,
  type RecordFacet,
} from '../../core/index.ts'
import { problems } from '../../core/contract/problems.ts'
import type { Services } from '../api/services.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import { resource } from '../http/route.ts'
import { sharedDocument } from '../http/sharing.ts'
import { toCards } from './record-cards.ts'
import type { PageParts } from './templates.ts'
import { counted, text } from './text/text.ts'

/** Records of a page. */
const pageSize = 20

/** Characters of a query: it is repeated in the links of a page. */
const longestQuery = 1000

/** Values of a search that are chosen at a time. */
const mostChosen = 10

/** Values of a facet that are shown, and characters of the links to all of them. */
const mostValues = 10
const longestLinks = 16_000

/** Characters of a `Link` header; the head of the page has the same links. */
const longestHeader = 2000

const sorts = ['bestmatch', 'mostrecent', '-mostrecent'] as const
type Sort = (typeof sorts)[number]

const options = { ...depositSearch, facets: {} }

/** A search as its address says it. */
interface Asked {
  readonly q: string
  readonly choices: readonly Choice[]
  readonly sort: Sort | undefined
  readonly page: number
}

/** `/records`: a search of all records, with links for everything that narrows or orders it. */
export function searchPage(
  { services, send }: PageParts,
  origin: () => string,
): FastifyPluginAsync {
  const { searchPage: path } = services.routes
  return async (app) => {
    resource(app, path, {
      GET: {
        operation: 'none',
        config: { shared: sharedDocument },
        handler: async (request, reply) => {
          try {
            const view = await toView(services, readAsked(request), origin() + path)
            const links = toLinkHeader(view.head.links)
            if (links.length <= longestHeader) reply.header('link', links)
            return await send(reply, 'search', view)
          } catch (error) {
            if (!isProblem(error, 'invalid_query') && !isProblem(error, 'invalid_paging'))
              throw error
            return sendFault(request, reply, error)
          }
        },
      },
    })
  }

  function sendFault(
    request: FastifyRequest,
    reply: FastifyReply,
    { code, message, faults }: DepositError<'invalid_query' | 'invalid_paging'>,
  ): Promise<FastifyReply> {
    const { q } = request.query as { readonly q?: unknown }
    const isInQuery = code === 'invalid_query'
    const reasons = faults.map((fault) => `${fault.field}: ${fault.message}`).join(' ')
    reply.code(problems[code].status)
    return send(reply, 'search', {
      title: text('search.title'),
      q: typeof q === 'string' ? q.slice(0, longestQuery) : '',
      path,
      fault: { message: isInQuery ? message : reasons, isInQuery },
    })
  }
}

/** @throws {DepositError} invalid_query, invalid_paging */
function readAsked(request: FastifyRequest): Asked {
  const given = request.query as Readonly<Record<string, string | readonly string[] | undefined>>
  const one = (name: string): string => {
    const value = given[name] ?? ''
    if (typeof value === 'string') return value.trim()
    if (name === 'q')
      throw problem('invalid_query', { reason: 'The query is given more than once.', position: 0 })
    throw wrongField('invalid_paging', name, 'This is given more than once.')
  }
  const q = one('q')
  if (q.length > longestQuery) {
    const reason = `A query has at most ${longestQuery} characters.`
    throw problem('invalid_query', { reason, position: longestQuery })
  }
  const choices = recordFacets.flatMap((facet) =>
    [...new Set([given[facet] ?? []].flat())]
      .filter((value) => value !== '')
      .map((value) => ({ facet, value })),
  )
  if (choices.length > mostChosen)
    throw wrongField('invalid_paging', 'type', `At most ${mostChosen} values can be chosen.`)
  const sort = one('sort')
  const known = sorts.find((name) => name === sort)
  if (sort !== '' && known === undefined)
    throw wrongField('invalid_paging', 'sort', `Unknown sort option; use ${sorts.join(', ')}.`)
  const page = one('page')
  if (page !== '' && !/^[1-9]\d{0,5}$/.test(page))
    throw wrongField('invalid_paging', 'page', 'A whole number of at least 1 is expected.')
  return { q, choices, sort: known, page: Number(page || '1') }
}

/** The address of a search, without what is as by default. */
function hrefOf(base: string, { q, choices, sort, page }: Asked): string {
  const parameters = new URLSearchParams()
  if (q !== '') parameters.set('q', q)
  for (const { facet, value } of choices) parameters.append(facet, value)
  if (sort !== undefined && sort !== presetSort(q)) parameters.set('sort', sort)
  if (page > 1) parameters.set('page', String(page))
  const query = parameters.toString()
  return query === '' ? base : `${base}?${query}`
}

function presetSort(q: string): Sort {
  return q === '' ? 'mostrecent' : 'bestmatch'
}

async function toView(services: Services, asked: Asked, url: string) {
  const { q, choices, page } = asked
  const { searchPage: path } = services.routes
  const sort = asked.sort ?? presetSort(q)
  const request = parseSearchRequest(
    { ...(q !== '' && { q }), sort, page: String(page), size: String(pageSize) },
    options,
  )
  const found = await browseRecords(services.parts, request, choices)
  const { total } = found
  const cards = await toCards(services, found.batches)
  const at = (changed: Partial<Asked>, base = path): string =>
    hrefOf(base, { ...asked, page: 1, ...changed })
  const last = Math.ceil(Math.min(total, options.maxResultWindow) / pageSize)
  const pages = {
    previous: page > 1 && last > 0 ? { page: Math.min(page - 1, last) } : undefined,
    next: page < last ? { page: page + 1 } : undefined,
  }
  const feed = new URL('/records.atom', url)
  const words = toQueryText(q, choices)
  if (words !== '') feed.searchParams.set('q', words)
  return {
    title: toTitle(asked),
    heading: text(q === '' ? 'search.title' : 'search.heading', { q }),
    path,
    q,
    choices: choices.length > 0 && {
      list: choices.map((choice) => ({
        ...choice,
        name: text(`facet.${choice.facet}`),
        without: at({ choices: choices.filter((other) => other !== choice) }),
      })),
    },
    keptSort: sort === presetSort(q) ? undefined : sort,
    summary: counted('search.found', total),
    hasAny: total > 0,
    cards,
    sorts: {
      list: sorts
        .filter((name) => name !== 'bestmatch' || q !== '')
        .map((name) => ({
          name: text(`search.sort.${name}`),
          href: at({ sort: name }),
          isChosen: name === sort,
        })),
    },
    beyond: cards.length === 0 && total > 0 ? { href: at({ page: last }) } : undefined,
    empty: total > 0 ? undefined : { isSearch: q !== '' || choices.length > 0 },
    paging:
      last > 1
        ? {
            shown: text('search.page', { page, last }),
            previous: pages.previous && { href: at(pages.previous) },
            next: pages.next && { href: at(pages.next) },
          }
        : undefined,
    facets: toFacets(found.facets, choices, (choice) => at({ choices: [...choices, choice] })),
    partly:
      found.counted < total ? { said: text('search.partly', { count: found.counted }) } : undefined,
    feed: `${feed.pathname}${feed.search}`,
    head: {
      metas: page > 1 || words !== '' ? [{ name: 'robots', content: 'noindex, follow' }] : [],
      links: [
        { rel: 'canonical', href: at({ page }, url) },
        { rel: 'alternate', href: feed.href, type: 'application/atom+xml' },
        ...(pages.previous ? [{ rel: 'prev', href: at(pages.previous, url) }] : []),
        ...(pages.next ? [{ rel: 'next', href: at(pages.next, url) }] : []),
      ],
    },
  }
}

function toTitle({ q, choices, page }: Asked): string {
  const words = [...(q === '' ? [] : [`“${q}”`]), ...choices.map(({ value }) => value)]
  const pageWords = page > 1 ? [text('search.pageWord', { page })] : []
  return [...words, ...pageWords, text('search.title')].join(' · ')
}

/** Links that narrow the search, as many as a page has room for. */
function toFacets(
  facets: Awaited<ReturnType<typeof browseRecords>>['facets'],
  choices: readonly Choice[],
  toHref: (choice: Choice) => string,
) {
  let room = longestLinks
  if (choices.length >= mostChosen) return undefined
  const shown = recordFacets.flatMap((facet: RecordFacet) => {
    const isChosen = (value: string): boolean =>
      choices.some((choice) => choice.facet === facet && choice.value === value)
    const values = (facets.get(facet) ?? [])
      .filter(({ key }) => !isChosen(key))
      .slice(0, mostValues)
      .map(({ key, count }) => ({ value: key, count, href: toHref({ facet, value: key }) }))
      .filter(({ href }) => {
        room -= href.length
        return room > 0
      })
    return values.length === 0 ? [] : [{ id: facet, name: text(`facet.${facet}`), values }]
  })
  return shown.length === 0 ? undefined : { list: shown }
}

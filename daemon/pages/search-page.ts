import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  browseRecords,
  depositSearch,
  findUnknownFields,
  isJsonObject,
  isProblem,
  parseSearchRequest,
  toQueryText,
  type DepositError,
  type Parts,
  type SearchRequest,
} from '../../core/index.ts'
import { problems } from '../../core/contract/problems.ts'
import type { Services } from '../api/services.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import { resource } from '../http/route.ts'
import { sharedDocument } from '../http/sharing.ts'
import { toCards } from './record-cards.ts'
import { toFacets, valueName, without } from './search-facets.ts'
import { hrefOf, longestQuery, presetSort, readAsked, sorts, type Asked } from './search-request.ts'
import type { PageParts } from './templates.ts'
import { counted, text, translated } from './text/text.ts'

/** Records of a page. */
const pageSize = 20

/** Characters of a `Link` header; the head of the page has the same links. */
const longestHeader = 2000

const options = { ...depositSearch, facets: {} }

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
    const reasons = faults.map((fault) => `${fault.field}: ${translated(fault.message)}`).join(' ')
    const words = typeof q === 'string' ? q.slice(0, longestQuery) : ''
    const plain = {
      q: words,
      choices: [],
      sort: undefined,
      page: 1,
      more: undefined,
      isNewest: true,
    }
    const again = isInQuery || words === '' ? undefined : { href: hrefOf(path, plain) }
    reply.code(problems[code].status)
    return send(reply, 'search', {
      title: text('search.title'),
      q: words,
      path,
      fault: { message: isInQuery ? translated(message) : reasons, isInQuery, again },
    })
  }
}

async function toView(services: Services, asked: Asked, url: string) {
  const { q, choices, page, isNewest } = asked
  const { searchPage: path } = services.routes
  const sort = asked.sort ?? presetSort(q)
  const inWindow = String(Math.min(page, options.maxResultWindow / pageSize))
  const request = parseSearchRequest(
    { ...(q !== '' && { q }), sort, page: inWindow, size: String(pageSize) },
    options,
  )
  const found = await browseRecords(services.parts, request, choices, { isNewest })
  const { total } = found
  // An older version may have what was looked for, such as its DOI.
  const older =
    total === 0 && isNewest && q !== ''
      ? (await browseRecords(services.parts, request, choices, { isNewest: false })).total
      : 0
  const at = (changed: Partial<Asked>, base = path): string =>
    hrefOf(base, { ...asked, page: 1, more: undefined, ...changed })
  const last = Math.ceil(Math.min(total, options.maxResultWindow) / pageSize)
  const isBeyond = total > 0 && page > last
  const cards = isBeyond ? [] : await toCards(services, found.batches)
  const pages = {
    previous: page > 1 && page <= last ? { page: page - 1 } : undefined,
    next: page < last ? { page: page + 1 } : undefined,
  }
  const feed = new URL('/records.atom', url)
  const words = toQueryText(q, choices)
  if (words !== '') feed.searchParams.set('q', words)
  if (!isNewest) feed.searchParams.set('versions', 'all')
  return {
    title: toTitle(asked),
    heading: text(q === '' ? 'search.title' : 'search.heading', { q }),
    path,
    q,
    choices: choices.length > 0 && {
      list: choices.map((choice) => ({
        ...choice,
        shown: valueName(choice),
        name: text(`facet.${choice.facet}`),
        without: at({ choices: without(choices, choice) }),
      })),
    },
    keptSort: sort === presetSort(q) ? undefined : sort,
    keptVersions: isNewest ? undefined : 'all',
    versions: {
      name: text(isNewest ? 'search.allVersions' : 'search.newestVersions'),
      href: at({ isNewest: !isNewest }),
    },
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
    beyond: isBeyond && {
      said: counted('search.beyond', last),
      first: at({}),
      last: last > 1 && { href: at({ page: last }) },
    },
    hints: toHints(services.parts, request, { total, asked, at }),
    older: older > 0 && {
      said: counted('search.older', older),
      href: at({ isNewest: false }),
    },
    empty: total > 0 ? undefined : { isSearch: q !== '' || choices.length > 0 },
    paging:
      last > 1 && !isBeyond
        ? {
            shown: text('search.page', { page, last }),
            previous: pages.previous && { href: at(pages.previous) },
            next: pages.next && { href: at(pages.next) },
          }
        : undefined,
    facets: toFacets(found.facets, asked, at),
    partly:
      found.counted < total ? { said: text('search.partly', { count: found.counted }) } : undefined,
    feed: `${feed.pathname}${feed.search}`,
    head: {
      metas:
        page > 1 || words !== '' || !isNewest
          ? [{ name: 'robots', content: 'noindex, follow' }]
          : [],
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
  const words = [...(q === '' ? [] : [`“${q}”`]), ...choices.map(valueName)]
  const pageWords = page > 1 ? [text('search.pageWord', { page })] : []
  return [...words, ...pageWords, text('search.title')].join(' · ')
}

/** A name in a query with its colon, or the dot before a name inside it. */
const fieldName = /(?<![\p{L}\p{N}_$@.-])[\p{L}_$@][\p{L}\p{N}_$@-]*(?=[:.])/gu

/** Fields of the query that no schema knows, with the one that was probably meant. */
function toHints(
  { schemas }: Pick<Parts, 'schemas'>,
  { query }: SearchRequest,
  { total, asked, at }: { total: number; asked: Asked; at: (changed: Partial<Asked>) => string },
) {
  const known = schemas.paths.flatMap((path) => {
    const properties = schemas.find(path)?.['properties']
    return isJsonObject(properties) ? Object.keys(properties) : []
  })
  const hints = findUnknownFields(query, new Set(known)).flatMap(({ name, near }) => {
    // Documents may have fields of their own: where something was found, this was no mistake.
    if (near === undefined)
      return total > 0 ? [] : [{ said: text('search.unknownField', { name }) }]
    const q = asked.q.replaceAll(fieldName, (word) => (word === name ? near : word))
    return [{ said: text('search.unknownField', { name }), near, href: at({ q }) }]
  })
  return hints.length > 0 && { list: hints }
}

import type { FastifyPluginAsync } from 'fastify'
import { linksetType, parseVersions, problem, storedArk, type Parts } from '../../core/index.ts'
import type { Links } from '../config/links.ts'
import type { Describer } from './describer.ts'
import { writeFeed } from './feed.ts'
import { sendTagged } from '../http/revision.ts'
import { resource } from '../http/route.ts'
import { setPublic, sharedDocument } from '../http/sharing.ts'
import { refuseWhileSilent } from '../http/silent-rows.ts'
import { toLinkHeader } from './signposting.ts'
import { sitemaps } from './sitemap.ts'

interface Discovery {
  readonly parts: Parts
  readonly describer: Describer
  /** Name of the service; by default its host. */
  readonly name: string | undefined
  readonly links: Links
  readonly origin: () => string
  /** `DEPOSIT_PUBLIC_SEARCH` */
  readonly isListed: boolean
  /** Paths that hold nothing for a search engine. */
  readonly closed: readonly string[]
}

const config = { shared: sharedDocument }
const withoutRows = { ...config, needsNoRows: true } as const

const catalogPath = '/.well-known/api-catalog'

/** Where resolvers such as n2t.net send ARKs. A colon is doubled in a pattern. */
const arkPath = '/ark::*'

/** @see RFC 9727 §4 */
const catalogType = `${linksetType}; profile="https://www.rfc-editor.org/info/rfc9727"`

/** Files by which search engines and programs find their way: robots, sitemaps, the API catalog. */
export function discoveryRoutes(options: Discovery): FastifyPluginAsync {
  const { links, origin, isListed, closed, parts, describer } = options
  const maps = sitemaps(parts.database.read, links, origin)
  return async (app) => {
    refuseWhileSilent(app, parts.database)
    resource(app, '/robots.txt', {
      GET: {
        operation: 'none',
        config: withoutRows,
        handler: async (request, reply) => {
          const lines = [
            'User-agent: *',
            ...closed.map((path) => `Disallow: ${path}`),
            ...(isListed ? ['', `Sitemap: ${origin()}/sitemap.xml`] : []),
          ]
          setPublic(request, reply)
          return sendTagged(reply.type('text/plain; charset=utf-8'), `${lines.join('\n')}\n`)
        },
      },
    })
    resource(app, catalogPath, {
      GET: {
        operation: 'none',
        config: withoutRows,
        handler: async (request, reply) => {
          const self = origin() + catalogPath
          setPublic(request, reply)
          reply.header('link', toLinkHeader([{ rel: 'api-catalog', href: self }]))
          return sendTagged(reply.type(catalogType), JSON.stringify(toCatalog(origin(), isListed)))
        },
      },
    })
    resource(app, arkPath, {
      GET: {
        operation: 'none',
        config,
        handler: async (request, reply) => {
          const { '*': name } = request.params as { readonly '*': string }
          const subject = await findArk(parts, name)
          return reply.redirect(links.recordPage(subject), 302)
        },
      },
    })
    if (!isListed) return
    resource(app, '/records.atom', {
      GET: {
        operation: 'none',
        config,
        handler: async (request, reply) => {
          const { q = '', versions } = request.query as Readonly<Record<string, string | string[]>>
          if (typeof q !== 'string')
            throw problem('invalid_query', { reason: 'The query is given twice.', position: 0 })
          const name = options.name ?? new URL(origin()).hostname
          const which = parseVersions(versions === undefined ? {} : { versions })
          const asked = { origin: origin(), name, q: q.trim(), which }
          const text = await writeFeed(parts, describer, asked)
          setPublic(request, reply, 'no-cache')
          return sendTagged(reply.type('application/atom+xml; charset=utf-8'), text)
        },
      },
    })
    resource(app, '/sitemap.xml', {
      GET: {
        operation: 'none',
        config,
        handler: async (request, reply) => {
          const text = await maps.index()
          setPublic(request, reply)
          return sendTagged(reply.type('application/xml; charset=utf-8'), text)
        },
      },
    })
    resource(app, '/sitemaps/:file', {
      GET: {
        operation: 'none',
        config,
        handler: async (request, reply) => {
          const { file } = request.params as { readonly file: string }
          const [, number] = /^([1-9]\d{0,5})\.xml$/.exec(file) ?? []
          const text = number === undefined ? undefined : await maps.numbered(Number(number))
          if (text === undefined) throw problem('not_found')
          setPublic(request, reply)
          return sendTagged(reply.type('application/xml; charset=utf-8'), text)
        },
      },
    })
  }
}

/**
 * The value of the record or concept that an ARK stands for. Hyphens in it mean nothing.
 *
 * @param name what follows `ark:`, with or without the slash of older ones
 * @throws {DepositError} not_found
 * @see draft-kunze-ark §2, "ARK Anatomy"
 */
async function findArk({ database }: Parts, name: string): Promise<string> {
  const { find } = database.read.identifiers
  // An operator's own provider may make capitals; those that are made here have none.
  const given = `ark:${name.replace(/^\//, '').replaceAll('-', '')}`
  const found = (await find(given)) ?? (await find(storedArk(given)))
  if (!found || found.status === 'reserved') throw problem('not_found')
  return found.subject
}

function toCatalog(origin: string, isListed: boolean) {
  const api = `${origin}/api`
  const oai = `${origin}/oai`
  const feed = { href: `${origin}/records.atom`, type: 'application/atom+xml' }
  const sitemap = { href: `${origin}/sitemap.xml`, type: 'application/xml' }
  return {
    linkset: [
      {
        anchor: origin + catalogPath,
        item: [{ href: api }, ...(isListed ? [{ href: oai }, feed, sitemap] : [])],
      },
      {
        anchor: api,
        'service-desc': [{ href: `${origin}/openapi.json`, type: 'application/json' }],
        'service-doc': [{ href: `${origin}/docs`, type: 'text/html' }],
        status: [{ href: `${origin}/health`, type: 'application/json' }],
      },
      ...(isListed
        ? [
            {
              anchor: oai,
              'service-desc': [{ href: `${oai}?verb=Identify`, type: 'text/xml' }],
            },
          ]
        : []),
    ],
  }
}

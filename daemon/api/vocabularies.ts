import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import {
  isVocabulary,
  termBody,
  termListBody,
  vocabularies,
  vocabularyListBody,
  vocabularyNames,
  type VocabularyName,
} from '../../core/contract/vocabularies.ts'
import { countTerms, findTerm, findTerms, parsePaging, problem } from '../../core/index.ts'
import { jsonAlone } from '../config/serializers.ts'
import { setPublic, sharedDocument } from '../http/sharing.ts'
import { paging } from './openapi/parameters.ts'
import { pageLinks } from './send-list.ts'
import { done, parameters, resource, wildcard } from './route.ts'
import type { Services } from './services.ts'

const config = { shared: sharedDocument }

/** The last term that can be paged to. */
const mostTerms = 10_000

/** Characters of a query that are read. */
const longestQuery = 200

/** `/vocabularies/`: the terms that fields of a document take their values from. */
export function vocabularyRoutes(services: Services): FastifyPluginAsync {
  const { parts, links, routes } = services
  const { read } = parts.database
  return async (app) => {
    resource(app, services, routes.vocabularyList, {
      GET: {
        config,
        id: 'listVocabularies',
        tag: 'service',
        summary: 'List the vocabularies',
        needs: 'nothing',
        answers: { 200: done(vocabularyListBody) },
        offers: jsonAlone,
        handler: async (request, reply) => {
          setPublic(request, reply, 'no-cache')
          const counts = await countTerms(read)
          return {
            vocabularies: vocabularyNames.map((name) => ({
              name,
              title: vocabularies[name],
              terms: counts.get(name) ?? 0,
              links: { self: links.vocabulary(name) },
            })),
          }
        },
      },
    })
    resource(app, services, routes.vocabulary, {
      GET: {
        config,
        id: 'searchVocabulary',
        tag: 'service',
        summary: 'Find terms of a vocabulary by the beginnings of their words, best first',
        needs: 'nothing',
        query: {
          q: Type.Optional(Type.String({ description: 'All terms without it.' })),
          ...paging,
        },
        answers: { 200: done(termListBody) },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        handler: async (request, reply) => {
          const name = vocabularyName(request)
          const { q } = parameters(request)
          const { offset, size } = parsePaging(parameters(request), mostTerms)
          const found = await findTerms(
            read,
            name,
            typeof q === 'string' ? q.slice(0, longestQuery) : '',
          )
          const hits = found.slice(offset, offset + size)
          const place = { offset, size, taken: hits.length, total: found.length, window: mostTerms }
          const pages = pageLinks(links.vocabulary(name), request.url, place)
          reply.header('link', pages.header)
          setPublic(request, reply, 'no-cache')
          return { hits: { hits, total: found.length }, links: pages.links }
        },
      },
    })
    resource(app, services, routes.term, {
      GET: {
        config,
        id: 'readTerm',
        tag: 'service',
        summary: 'Read a term of a vocabulary by its id',
        needs: 'nothing',
        answers: { 200: done(termBody) },
        offers: jsonAlone,
        handler: async (request, reply) => {
          const term = await findTerm(read, vocabularyName(request), wildcard(request))
          if (!term) throw problem('not_found', { message: 'The vocabulary has no such term.' })
          setPublic(request, reply)
          return term
        },
      },
    })
  }
}

/** @throws {DepositError} not_found, which names those there are */
function vocabularyName({ params }: FastifyRequest): VocabularyName {
  const { name } = params as { readonly name: string }
  if (isVocabulary(name)) return name
  const message = `There is no such vocabulary. There are: ${vocabularyNames.join(', ')}.`
  throw problem('not_found', { message })
}

import type { FastifyRequest } from 'fastify'
import {
  parseVersions,
  problem,
  recordFacets,
  wrongField,
  type Choice,
  type RecordFacet,
} from '../../core/index.ts'

/** Characters of a query: it is repeated in the links of a page. */
export const longestQuery = 1000

/** Values of a search that are chosen at a time. */
export const mostChosen = 10

export const sorts = ['bestmatch', 'mostrecent', '-mostrecent'] as const
export type Sort = (typeof sorts)[number]

/** A search as its address says it. */
export interface Asked {
  readonly q: string
  readonly choices: readonly Choice[]
  readonly sort: Sort | undefined
  readonly page: number
  /** The facet of which more values are shown. */
  readonly more: RecordFacet | undefined
  /** The newest version of each record, or all versions. */
  readonly isNewest: boolean
}

/** @throws {DepositError} invalid_query, invalid_paging */
export function readAsked(request: FastifyRequest): Asked {
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
  const more = recordFacets.find((facet) => facet === one('more'))
  const { isNewest } = parseVersions({ versions: one('versions') })
  return { q, choices, sort: known, page: Number(page || '1'), more, isNewest }
}

/** The address of a search, without what is as by default. */
export function hrefOf(base: string, { q, choices, sort, page, more, isNewest }: Asked): string {
  const parameters = new URLSearchParams()
  if (q !== '') parameters.set('q', q)
  for (const { facet, value } of choices) parameters.append(facet, value)
  if (sort !== undefined && sort !== presetSort(q)) parameters.set('sort', sort)
  if (!isNewest) parameters.set('versions', 'all')
  if (page > 1) parameters.set('page', String(page))
  if (more !== undefined) parameters.set('more', more)
  const query = parameters.toString()
  return query === '' ? base : `${base}?${query}`
}

export function presetSort(q: string): Sort {
  return q === '' ? 'mostrecent' : 'bestmatch'
}

import { defaultPageSize } from '../../core/contract/defaults.ts'
import { apiPrefix, endpointLinks, fillRoute, routes } from '../../core/contract/routes.ts'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import type { SearchBody } from '../../core/contract/schemas.ts'

/** Paths of an endpoint, as templates with `{name}` for parameters. */
export type MountedRoutes = Readonly<Record<keyof typeof endpointLinks, string>>

/** @param links of the endpoint, as the server lists it; those it lacks are where they usually are */
export function toRoutes(links: Readonly<Record<string, string>>): MountedRoutes {
  const found = Object.entries(endpointLinks).map(([name, route]) => {
    return [name, links[name]?.replace(/^https?:\/\/[^/]*/, '') ?? apiPrefix + routes[route]]
  })
  return Object.fromEntries(found) as MountedRoutes
}

/** Paths of the default endpoint. */
export const defaultRoutes = toRoutes({})

/**
 * Fills a route with text from the user. Refuses dot segments, which lead to another resource: `rm
 * ID ..` must not delete the deposit.
 */
export function pathOf(route: string, values: Readonly<Record<string, string>> = {}): string {
  const { pid_value: id = '' } = values
  const stray = Object.values(values).find((value) => /(?:^|\/)\.{0,2}(?:\/|$)/.test(value))
  if (stray === undefined) return fillRoute(route, values)
  throw new UsageFailure({
    tried: `find "${stray}"`,
    said: `this is not the ${stray === id ? 'identifier of a deposit' : 'name of a file in a deposit'}`,
    next: stray === id ? advice.findDeposit() : advice.seeFiles(id),
  })
}

/** Beginning of an identifier. */
const beginning = /^[0-9a-f]{6,32}$/i

/**
 * Completes the beginning of an identifier. Any other text stays as it is, and the server refuses
 * it.
 *
 * @throws {UsageFailure} several deposits begin like this
 * @see Contract §5, "Ids"
 */
export async function resolveId(
  id: string,
  search: (query: string) => Promise<SearchBody>,
): Promise<string> {
  if (!beginning.test(id)) return id
  const start = id.toLowerCase()
  if (start.length === 32) return start
  const { hits } = await search(`_deposit.id:${start}*`)
  const ids = hits.hits.map((deposit) => deposit.id).filter((found) => found.startsWith(start))
  if (ids.length < 2) return ids[0] ?? start
  throw new UsageFailure({
    tried: `find ${id}`,
    said: `several deposits begin with these digits: ${ids.join(', ')}`,
    next: advice.writeMore(),
  })
}

/** A link to `most` results: the page number counts pages of its own size. */
export function shorten(link: string, most: number): string {
  const url = new URL(link)
  const parameters = url.searchParams
  const size = Number(parameters.get('size') ?? defaultPageSize)
  if (size <= most) return link
  const page = Number(parameters.get('page') ?? 1)
  const offset = parameters.get('offset') ?? String((page - 1) * size)
  parameters.delete('page')
  parameters.set('offset', offset)
  parameters.set('size', String(most))
  return url.href
}

import { defaults } from '../../core/contract/defaults.ts'
import { apiPrefix, routes } from '../../core/contract/routes.ts'
import { advice } from '../advice.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import { StartFailure } from '../start-failure.ts'

/** The pattern the framework matches for a route in the specification's notation. */
export function toPattern(template: string): string {
  return template.replaceAll('{key}', '*').replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The paths of each resource: templates of whole paths, `{name}` for what is filled in. */
export type ApiRoutes = Record<RouteName | 'index' | PageName, string>

type RouteName = keyof typeof routes
type PageName =
  | 'listPage'
  | 'newPage'
  | 'depositPage'
  | 'signedInPage'
  | 'accountPage'
  | 'recordPage'
  | 'searchPage'
  | 'adminPage'

/** Of the routes that each endpoint has of its own; the rest of the service is there once. */
type OwnName = {
  [Name in RouteName]: (typeof routes)[Name] extends `/deposits/${string}` ? Name : never
}[RouteName]

/** The settings of the mounts. */
export interface MountOptions {
  readonly endpoint?: EndpointOptions
  /** `DEPOSIT_FILES_API`, `DEPOSIT_RECORDS_API`, `DEPOSIT_SEARCH_API`: whole paths. */
  readonly filesApi?: string
  readonly recordsApi?: string | undefined
  readonly searchApi?: string | undefined
  /** Of `DEPOSIT_RECORDS_UI_ENDPOINTS`. */
  readonly pageRoute?: string | undefined
  readonly recordPageRoute?: string | undefined
}

/**
 * Every route of the service, with those of the endpoint `depid`.
 *
 * @throws {StartFailure} a route cannot be mounted so; the message names its key
 */
export function apiRoutes(options: MountOptions = {}): ApiRoutes {
  const { endpoint = {}, filesApi = defaults.DEPOSIT_FILES_API } = options
  const list = mount(listKeys, endpoint.list_route, options.searchApi, routes.depositList, [])
  const item = mount(itemKeys, endpoint.item_route, options.recordsApi, routes.depositItem, inItem)
  const files = wholePath('DEPOSIT_FILES_API', filesApi, [])
  const page = options.pageRoute ?? '/deposit/{pid_value}'
  const recordPage = options.recordPageRoute ?? '/records/{pid_value}'
  const own = endpointRoutes('depid', endpoint, list, item, page)
  const records = wholePath('DEPOSIT_RECORDS_UI_ENDPOINTS.recid.route', recordPage, inItem)
  const mounted = {
    ...mountAt<RouteName>(['/files', files], ['/health', routes.health], ['/', `${apiPrefix}/`]),
    ...own,
    index: apiPrefix,
    signedInPage: `${above(own.depositPage)}/signed-in`,
    accountPage: `${above(own.depositPage)}/account`,
    recordPage: records,
    searchPage: above(records) || '/records',
    adminPage: '/admin',
  }
  requireDistinct(Object.entries(mounted))
  return mounted
}

/**
 * The routes for each further endpoint, beside those that all have in common. Without options they
 * lie below the endpoint's name: `/api/lab`, `/api/lab/{pid_value}`, and pages below those of `depid`.
 *
 * @param pageRoutes of `DEPOSIT_RECORDS_UI_ENDPOINTS`, by the name of the endpoint
 * @throws {StartFailure} a route cannot be mounted so, or two are the same
 */
export function furtherRoutes(
  main: ApiRoutes,
  endpoints: Readonly<Record<string, EndpointOptions>>,
  pageRoutes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, ApiRoutes>> {
  const taken = Object.entries(main)
  const made: Record<string, ApiRoutes> = {}
  for (const [name, options] of Object.entries(endpoints)) {
    const item = below(name, 'item_route', options.item_route, undefined, inItem)
    const preset = item?.endsWith('/{pid_value}') ? above(item) : `${apiPrefix}/${name}`
    const list = below(name, 'list_route', options.list_route, preset, [])
    const page = pageRoutes[name] ?? `${above(main.depositPage)}/${name}/{pid_value}`
    const own = endpointRoutes(name, options, list, item ?? `${list}/{pid_value}`, page)
    for (const [route, path] of Object.entries(own)) taken.push([`${name}.${route}`, path])
    made[name] = { ...main, ...own }
  }
  requireDistinct(taken)
  return made
}

function endpointRoutes(
  name: string,
  options: EndpointOptions,
  list: string,
  item: string,
  page: string,
) {
  const { file_list_route, file_item_route } = options
  const fileList = below(name, 'file_list_route', file_list_route, `${item}/files`, inItem)
  const fileItem = below(name, 'file_item_route', file_item_route, `${fileList}/{key}`, inFile)
  const depositPage = wholePath(`DEPOSIT_RECORDS_UI_ENDPOINTS.${name}.route`, page, inItem)
  return {
    ...mountAt<OwnName>(
      [routes.fileItem, fileItem],
      [routes.fileList, fileList],
      [routes.depositItem, item],
      [routes.depositList, `${list}/`],
    ),
    listPage: above(depositPage) || '/',
    newPage: `${above(depositPage)}/new`,
    depositPage,
  }
}

/**
 * The routes of the contract that begin with one of these, each with that beginning replaced; the
 * first that fits counts.
 */
function mountAt<Name extends RouteName>(
  ...bases: readonly (readonly [from: string, to: string])[]
) {
  const mounted = Object.entries(routes).flatMap(([name, template]) => {
    const [from, to] = bases.find(([start]) => template.startsWith(start)) ?? []
    if (from === undefined || to === undefined) return []
    return [[name, withoutSlash(to + template.slice(from.length))] as const]
  })
  return Object.fromEntries(mounted) as Record<Name, string>
}

/** The parent of a route: the list and its kin stand above the pages of deposits. */
function above(route: string): string {
  return route.split('/{pid_value}')[0] ?? ''
}

const inItem = ['pid_value']
const inFile = ['pid_value', 'key']
const listKeys = ['list_route', 'DEPOSIT_SEARCH_API'] as const
const itemKeys = ['item_route', 'DEPOSIT_RECORDS_API'] as const

/** A route that two keys can set: the endpoint's option below `/api`, and one with the whole path. */
function mount(
  [option, key]: readonly [string, string],
  optionRoute: string | undefined,
  keyRoute: string | undefined,
  preset: string,
  placeholders: readonly string[],
): string {
  const ofOption = below('depid', option, optionRoute, undefined, placeholders)
  const ofKey = keyRoute === undefined ? undefined : wholePath(key, keyRoute, placeholders)
  if (ofOption !== undefined && ofKey !== undefined && ofOption !== ofKey) {
    const said = `${option} (${ofOption}) and ${key} (${ofKey})`
    throw new StartFailure('config', `${said} contradict each other.`, { next: advice.setOne() })
  }
  return ofOption ?? ofKey ?? apiPrefix + withoutSlash(preset)
}

function below<Preset extends string | undefined>(
  endpoint: string,
  option: string,
  given: string | undefined,
  preset: Preset,
  placeholders: readonly string[],
): string | Preset {
  if (given === undefined) return preset
  const name = `DEPOSIT_REST_ENDPOINTS.${endpoint}.${option}`
  return apiPrefix + parseRoute(name, given, placeholders)
}

/** The first words of paths that cannot be moved. */
const fixedPaths: ReadonlySet<string> = new Set([
  '.well-known',
  'admin',
  'assets',
  'device',
  'docs',
  'favicon.ico',
  'local',
  'metrics',
  'oai',
  'oauth',
  'openapi.json',
  'rdm',
  'rdm',
  'ready',
  'records.atom',
  'robots.txt',
  'schemas',
  'sitemap.xml',
  'sitemaps',
  'zenodo',
])

/** @throws {StartFailure} it has other placeholders, or lies in a place of the service */
function wholePath(name: string, text: string, placeholders: readonly string[]): string {
  const route = parseRoute(name, text, placeholders)
  const [, first = ''] = route.split('/')
  if (!fixedPaths.has(first)) return route
  const said = `${name} must not begin with /${first}, which the service needs itself.`
  throw new StartFailure('config', said)
}

/**
 * Reads a route in one of the notations: `{pid_value}`, `<pid_value>` or `<converter:pid_value>`.
 *
 * @returns the route with `{name}` for each placeholder and without a slash at its end
 * @throws {StartFailure} it has other placeholders than these
 */
function parseRoute(name: string, text: string, placeholders: readonly string[]): string {
  const route = withoutSlash(text.replaceAll(/<(?:[^<>]*:)?(\w+)>/g, '{$1}'))
  const found = [...route.matchAll(/\{(\w+)\}/g)].map(([, placeholder]) => placeholder)
  const literal = /^(?:\/(?:[\w.~-]+|\{\w+\}))+$/
  if (found.join() === placeholders.join() && literal.test(route)) {
    if (!placeholders.includes('key') || route.endsWith('/{key}')) return route
  }
  const wanted = placeholders.map((each) => `{${each}}`).join(' and ') || 'no placeholder'
  throw new StartFailure('config', `${name} must be a path with ${wanted} in it, not "${text}".`)
}

function withoutSlash(route: string): string {
  return route.length > 1 ? route.replace(/\/$/, '') : route
}

/** @throws {StartFailure} two resources have one route */
function requireDistinct(mounted: readonly (readonly [name: string, route: string])[]): void {
  const names = new Map<string, string>()
  for (const [name, route] of mounted) {
    const pattern = route.replaceAll(/\{\w+\}/g, '{}')
    const other = names.get(pattern)
    if (other !== undefined) {
      throw new StartFailure('config', `The routes ${other} and ${name} are both ${route}.`)
    }
    names.set(pattern, name)
  }
}

import { defaultMaxResultWindow } from '../../core/contract/defaults.ts'
import { depositPidType, depositSearch, type SearchOptions } from '../../core/index.ts'
import { apiRoutes, furtherRoutes, type ApiRoutes } from './endpoints.ts'
import { toSerializers, type EndpointSerializers } from './serializers.ts'
import { StartFailure } from '../start-failure.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import type { ConfigFaults } from './faults.ts'
import type { ConfigValues } from './keys.ts'
import { toSearchOptions } from './search-options.ts'

/** Deposits of one kind: their routes, permissions, search and schemas. */
export interface RestEndpoint {
  /** Its key in `DEPOSIT_REST_ENDPOINTS`. */
  readonly name: string
  /** Type of the identifiers of its deposits, which no other endpoint has. */
  readonly pidType: string
  readonly options: EndpointOptions
  /** All routes of the service, those of its deposits as this endpoint has them. */
  readonly routes: ApiRoutes
  readonly searchOptions: SearchOptions
  readonly serializers: EndpointSerializers
  /** Address of a deposit's page, with `{scheme}`, `{host}` and `{pid_value}`. */
  readonly pageUrl: string
}

/** The endpoint `depid`, then the further ones. */
export type RestEndpoints = readonly [main: RestEndpoint, ...further: RestEndpoint[]]

const mainName = 'depid'
const recordName = 'recid'

/** @param faults collects all faults; presets replace wrong values */
export async function readEndpoints(
  values: ConfigValues,
  faults: ConfigFaults,
): Promise<RestEndpoints> {
  const { [mainName]: main = {}, ...further } = values.DEPOSIT_REST_ENDPOINTS
  const types = new Map([[mainName, main.pid_type ?? depositPidType]])
  for (const [name, { pid_type }] of Object.entries(further)) types.set(name, pid_type ?? name)
  await faults.of(() => requireTypes(types))
  await faults.of(() => requirePages(values, types))
  await faults.of(() => requirePageAddress(values.DEPOSIT_UI_ENDPOINT))
  const pages = values.DEPOSIT_RECORDS_UI_ENDPOINTS
  const mounted = await faults.of(() =>
    apiRoutes({
      endpoint: main,
      filesApi: values.DEPOSIT_FILES_API,
      recordsApi: values.DEPOSIT_RECORDS_API,
      searchApi: values.DEPOSIT_SEARCH_API,
      pageRoute: pages[mainName]?.route,
      recordPageRoute: pages[recordName]?.route,
    }),
  )
  const routes = mounted ?? apiRoutes()
  const pageRoutes = Object.entries(pages).map(([name, { route }]) => [name, route] as const)
  const ofFurther =
    (await faults.of(() => furtherRoutes(routes, further, Object.fromEntries(pageRoutes)))) ?? {}
  const toEndpoint = async (
    name: string,
    options: EndpointOptions,
    own: ApiRoutes,
    page: string = `{scheme}://{host}${own.depositPage}`,
  ): Promise<RestEndpoint> => {
    const window = options.max_result_window ?? defaultMaxResultWindow
    const search = () => toSearchOptions(values, window, name, options.search_index)
    return {
      name,
      pidType: types.get(name) ?? name,
      options,
      routes: own,
      searchOptions: (await faults.of(search)) ?? depositSearch,
      serializers: (await faults.of(() => toSerializers(options, name))) ?? toSerializers({}, name),
      pageUrl: page,
    }
  }
  return [
    await toEndpoint(mainName, main, routes, values.DEPOSIT_UI_ENDPOINT),
    ...(await Promise.all(
      Object.entries(ofFurther).map(([name, own]) => toEndpoint(name, further[name] ?? {}, own)),
    )),
  ]
}

/** @throws {StartFailure} it is not the address of a page, or the same for every deposit */
function requirePageAddress(template: string | undefined): void {
  if (template === undefined) return
  const filled = template.replaceAll('{scheme}', 'https').replaceAll('{host}', 'localhost')
  const isWeb = /^https?:$/.test(URL.parse(filled)?.protocol ?? '')
  if (isWeb && template.includes('{pid_value}')) return
  const wanted =
    'an http or https address with {pid_value}, such as https://desk.example.org/{pid_value}'
  throw new StartFailure('config', `DEPOSIT_UI_ENDPOINT must be ${wanted}, not "${template}".`)
}

/** @throws {StartFailure} a type cannot be one, or two endpoints have the same */
function requireTypes(types: ReadonlyMap<string, string>): void {
  const taken = new Map([[recordName, 'the records']])
  for (const [name, type] of types) {
    const key = `DEPOSIT_REST_ENDPOINTS.${name}`
    const isMain = name === mainName
    if (isMain && type !== depositPidType) {
      const advice = `the endpoint ${mainName} has ${depositPidType}; add an endpoint for others`
      throw new StartFailure('config', `${key}.pid_type must not be "${type}": ${advice}.`)
    }
    const wrong = [name, type].find((text) => !/^[a-z][a-z0-9_-]{0,29}$/.test(text))
    if (wrong !== undefined) {
      const allowed = 'lower-case letters, digits, _ and -, 30 at most, and begins with a letter'
      throw new StartFailure('config', `${key}: "${wrong}" cannot be a name; it has ${allowed}.`)
    }
    const other = taken.get(type)
    if (other !== undefined) {
      throw new StartFailure(
        'config',
        `${key}: identifiers of the type ${type} are those of ${other}. Taken are ${[...taken.keys()].join(', ')}.`,
      )
    }
    taken.set(type, `the endpoint ${name}`)
  }
}

/** @throws {StartFailure} `DEPOSIT_RECORDS_UI_ENDPOINTS` has an entry for what is not there */
function requirePages(values: ConfigValues, types: ReadonlyMap<string, string>): void {
  const known = new Map([...types, [recordName, recordName]])
  for (const [name, { pid_type }] of Object.entries(values.DEPOSIT_RECORDS_UI_ENDPOINTS)) {
    const key = `DEPOSIT_RECORDS_UI_ENDPOINTS.${name}`
    const type = known.get(name)
    if (type === undefined) {
      const names = [...known.keys()].join(', ')
      throw new StartFailure('config', `${key}: there is no endpoint ${name}; there are ${names}.`)
    }
    if (pid_type === undefined || pid_type === type) continue
    throw new StartFailure('config', `${key}.pid_type must be "${type}", not "${pid_type}".`)
  }
}

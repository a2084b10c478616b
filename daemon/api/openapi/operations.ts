import type { Parts } from '../../../core/index.ts'
import type { ApiRoutes } from '../../config/endpoints.ts'
import { actionOperations, depositOperations } from './deposit-operations.ts'
import { fileOperations, objectOperations } from './file-operations.ts'
import type { Listed, Operation } from './operation.ts'
import { filterBy, search } from './parameters.ts'
import { recordOperations } from './record-operations.ts'
import { serviceOperations } from './service-operations.ts'
import { uploadOperations } from './upload-operations.ts'

/** Operations by `METHOD route`, the route as the configuration has it. */
export type Operations = ReadonlyMap<string, Operation>

interface Described {
  readonly endpoint: string
  readonly parts: Parts
  readonly routes: ApiRoutes
}

/** Every operation of the interface: the daemon does not start with a route that has none. */
export function operations([main, ...further]: readonly Described[]): Operations {
  if (!main) return new Map()
  return new Map<string, Operation>([
    ...endpointOperations(main),
    ...further.flatMap((each) => endpointOperations(each).map((listed) => named(each, listed))),
    ...objectOperations(main.routes),
    ...recordOperations(main.routes, searchQuery(main)),
    ...serviceOperations(main.routes),
  ])
}

function endpointOperations(endpoint: Described): Listed {
  const { routes, parts } = endpoint
  return [
    ...depositOperations(routes, searchQuery(endpoint)),
    ...actionOperations(routes, parts.actions),
    ...fileOperations(routes),
    ...uploadOperations(routes),
  ]
}

function searchQuery({ parts }: Described): NonNullable<Operation['query']> {
  const facets = Object.keys(parts.settings.searchOptions.facets)
  return { ...search, ...Object.fromEntries(facets.map((name) => [name, filterBy(name)])) }
}

/** Clients call an operation by its id, so those of a further endpoint have its name in them. */
function named({ endpoint }: Described, [route, operation]: Listed[number]): Listed[number] {
  const { id, summary } = operation
  return [route, { ...operation, id: `${id}_${endpoint}`, summary: `${summary} (${endpoint})` }]
}

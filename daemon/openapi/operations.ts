import type { Actions } from '../../core/index.ts'
import type { ApiRoutes } from '../endpoints.ts'
import { actionOperations, depositOperations } from './deposit-operations.ts'
import { fileOperations, objectOperations } from './file-operations.ts'
import type { Operation } from './operation.ts'
import { filterBy, search } from './parameters.ts'
import { recordOperations } from './record-operations.ts'
import { serviceOperations } from './service-operations.ts'
import { uploadOperations } from './upload-operations.ts'

/** Operations by `METHOD route`, the route as the configuration has it. */
export type Operations = ReadonlyMap<string, Operation>

/** Every operation of the interface: the daemon does not start with a route that has none. */
export function operations(
  routes: ApiRoutes,
  actions: Actions,
  facets: readonly string[],
): Operations {
  const filters = Object.fromEntries(facets.map((name) => [name, filterBy(name)]))
  const query = { ...search, ...filters }
  return new Map<string, Operation>([
    ...depositOperations(routes, query),
    ...actionOperations(routes, actions),
    ...fileOperations(routes),
    ...objectOperations(routes),
    ...uploadOperations(routes),
    ...recordOperations(routes, query),
    ...serviceOperations(routes),
  ])
}

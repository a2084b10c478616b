import type { ApiRoutes } from '../config/endpoints.ts'
import type { PagePaths } from './text/page-data.ts'

/** Where the pages of an endpoint are, and those that all have in common. */
export function pagePaths(routes: ApiRoutes): PagePaths {
  return {
    list: routes.listPage,
    new: routes.newPage,
    signedIn: routes.signedInPage,
    deposit: routes.depositPage,
    record: routes.recordPage,
  }
}

import { apiPrefix, fillRoute, routes } from '../../core/contract/routes.ts'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'

/** Where the deposits of an endpoint are: templates of paths, `{name}` for what is filled in. */
export interface MountedRoutes {
  readonly list: string
  readonly item: string
  readonly action: string
  readonly files: string
  readonly file: string
  readonly uploads: string
}

/** Where they are unless an endpoint is named. */
export const defaultRoutes: MountedRoutes = {
  list: apiPrefix + routes.depositList,
  item: apiPrefix + routes.depositItem,
  action: apiPrefix + routes.depositAction,
  files: apiPrefix + routes.fileList,
  file: apiPrefix + routes.fileItem,
  uploads: apiPrefix + routes.uploadList,
}

/**
 * Fills a route with what the user named. A dot segment would lead to another resource: `rm ID ..`
 * must not delete the deposit.
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

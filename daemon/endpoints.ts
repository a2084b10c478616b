import { apiPrefix, routes } from '../core/contract/routes.ts'

/** The pattern the framework matches for a route in the specification's notation. */
export function toPattern(template: string): string {
  return template.replaceAll(/\{key\}|<path:key>/g, '*').replaceAll(/[{<](\w+)[}>]/g, ':$1')
}

/** Where each resource of the REST interface is mounted. */
export type ApiRoutes = Record<keyof typeof routes, string>

/** Every route of the REST interface below its prefix. */
export function apiRoutes(): ApiRoutes {
  const { health, ...rest } = routes
  const prefixed = Object.entries(rest).map(([name, path]) => [name, apiPrefix + path] as const)
  return { ...(Object.fromEntries(prefixed) as Omit<ApiRoutes, 'health'>), health }
}

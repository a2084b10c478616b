import type { Static } from 'typebox'
import type { Extensions } from './extensions.ts'
import type { ConfigKey, configKeys } from './keys.ts'

/** The content of a configuration file. */
export type ConfigContent = Extensions & {
  readonly [Name in ConfigKey]?:
    | Static<(typeof configKeys)[Name]['schema']>
    | ((typeof configKeys)[Name] extends { readonly isSize: true } ? string : never)
}

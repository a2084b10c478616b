/**
 * The module that a `deposit.config.ts` imports as `depositd/config`.
 *
 * @see deposit-config(5)
 */
import type { Static } from 'typebox'
import type { Extensions } from './extensions.ts'
import type { ConfigKey, configKeys } from './keys.ts'

export {
  actions,
  depositVisibility,
  indexedWriteScopePermission,
  InvalidAction,
  InvalidDocument,
  isAnyone,
  isEditor,
  isOwner,
  isReader,
  PermissionDenied,
  requireDraft,
  requirePublished,
  scopePermission,
  writeScopePermission,
} from '../../core/index.ts'
export type {
  AccessCheck,
  ActionContext,
  Asker,
  Caller,
  Deposit,
  DepositAction,
  Description,
  Difference,
  Minter,
  Outcome,
  Permission,
  PostAction,
  RecordUpdate,
  User,
  Wanted,
} from '../../core/index.ts'

export type { ExportWriter, OwnProvider } from './extensions.ts'

/** Types the content of the file, and answers it as it is. */
export function defineConfig(content: ConfigContent): ConfigContent {
  return content
}

/** The content of a configuration file. */
type ConfigContent = Extensions & {
  readonly [Name in ConfigKey]?:
    | Static<(typeof configKeys)[Name]['schema']>
    | ((typeof configKeys)[Name] extends { readonly isSize: true } ? string : never)
}

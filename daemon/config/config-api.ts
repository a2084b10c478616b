/**
 * The module that a `deposit.config.ts` imports as `depositd/config`.
 *
 * @see deposit-config(5)
 */
import type { ConfigContent } from './content.ts'

export {
  actions,
  depositVisibility,
  indexedWriteScopePermission,
  InvalidAction,
  InvalidDocument,
  isAnyone,
  isOwner,
  PermissionDenied,
  requireDraft,
  requirePublished,
  scopePermission,
  writeScopePermission,
} from '../../core/index.ts'
export type {
  AccessCheck,
  ActionContext,
  Caller,
  Deposit,
  DepositAction,
  Minter,
  Permission,
  PostAction,
  RecordUpdate,
  User,
} from '../../core/index.ts'

/** Types the content of the file, and answers it as it is. */
export function defineConfig(content: ConfigContent): ConfigContent {
  return content
}

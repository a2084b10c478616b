import { findPastUntil } from '../../core/contract/file-access.ts'
import type { Finding } from '../output/finding.ts'

/** An embargo that is over before anything was published. */
export function findPastEmbargo({ access }: { readonly access?: unknown }): readonly Finding[] {
  const fault = findPastUntil(access, new Date().toISOString())
  return fault ? [{ field: fault.field, message: fault.message }] : []
}

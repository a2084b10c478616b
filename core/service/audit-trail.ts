import type { UserId } from '../access/caller.ts'
import type { AuditRequest, KeptEntry } from '../ports/audit.ts'
import type { Database } from '../ports/database.ts'

/** An entry, with the address of the account of the one who acted; null where it is gone. */
type ToldEntry = KeptEntry & { readonly email: string | null }

/**
 * The audit trail, newest first. Entries keep the id under which somebody acted. Those of an account
 * that was merged are found and named as of the account that it was merged into.
 */
export async function auditTrail(
  { read }: Pick<Database, 'read'>,
  { who, ...rest }: Omit<AuditRequest, 'who'> & { readonly who?: string | undefined },
): Promise<readonly ToldEntry[]> {
  const merged = await read.audit.merged()
  const now = (id: string): string => nowOf(merged, id)
  const same = who === undefined ? [] : [who, ...merged.keys()].filter((id) => now(id) === now(who))
  const entries = await read.audit.list({ ...rest, ...(who !== undefined && { who: same }) })
  const emails = new Map<string, string | null>()
  for (const id of new Set(entries.flatMap((entry) => entry.who ?? [])))
    emails.set(id, (await read.accounts.find(now(id) as UserId))?.email ?? null)
  return entries.map((entry) => ({ ...entry, email: emails.get(entry.who ?? '') ?? null }))
}

/** The id of the account that an account is by now. */
function nowOf(merged: ReadonlyMap<string, string>, id: string): string {
  const seen = new Set<string>()
  let now = id
  for (let next = merged.get(now); next !== undefined && !seen.has(next); next = merged.get(now)) {
    seen.add(next)
    now = next
  }
  return now
}

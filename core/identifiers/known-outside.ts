import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { IdentifierReader } from '../ports/identifiers.ts'

/** Why the identifiers of a draft must not be given up. */
interface Kept {
  readonly reason: string
  readonly actions: readonly string[]
}

const known: Kept = {
  reason:
    'The DOI of the draft is registered: its record was published before this service was restored from a backup. Without the draft, the DOI would lead nowhere. Publish it again, and withdraw it afterwards if it is not to be read.',
  actions: ['publish'],
}

const notCompared: Kept = {
  reason:
    'The draft has reserved a DOI, and this service was restored from a backup: its record may have been published since. It can be deleted once the operator has compared the DOIs: depositd doi check.',
  actions: [],
}

/**
 * Why the identifiers of a draft must not be given up: after a restore, its record may have been
 * published since the backup was made, and its DOI would lead nowhere.
 *
 * @returns undefined where they are known here alone
 */
export async function whyKept(
  { identifiers }: { readonly identifiers: IdentifierReader },
  { id, concept, predecessor }: Pick<Deposit, 'id' | 'concept' | 'predecessor'>,
): Promise<Kept | undefined> {
  const own = (await identifiers.ofDeposits([id])).get(id) ?? []
  // The concept goes with the draft that it was made for.
  const concepts = predecessor === undefined ? [concept] : []
  const all = [...own, ...((await identifiers.ofSubjects(concepts)).get(concept) ?? [])]
  if (all.length === 0) return undefined
  if (all.some(({ registered }) => registered !== undefined)) return known
  const restored = (await identifiers.pauses()).filter(({ reason }) => reason === 'restored')
  const paused = new Set(restored.map(({ provider }) => provider))
  return all.some(({ provider }) => paused.has(provider)) ? notCompared : undefined
}

/** @throws {DepositError} invalid_action: see {@link whyKept} */
export async function requireUnknownOutside(...asked: Parameters<typeof whyKept>): Promise<void> {
  const kept = await whyKept(...asked)
  if (kept) throw problem('invalid_action', { operation: 'delete', ...kept })
}

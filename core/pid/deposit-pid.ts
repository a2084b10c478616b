import { randomUUID } from 'node:crypto'
import type { Brand } from '../base/brand.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { neighbours } from '../base/neighbours.ts'

/**
 * Statuses of a persistent identifier: `N` new, `K` reserved, `R` registered, `M` redirected to
 * another identifier, `D` deleted.
 */
export type PidStatus = 'N' | 'K' | 'R' | 'M' | 'D'

/** Names an identifier: its type (`depid`, `recid`) and value. */
export interface PidName {
  readonly type: string
  readonly value: string
}

/** @see Specification, "Persistent identifier of a deposit" */
export interface PersistentIdentifier extends PidName {
  /** `concept` for what the versions of a record have in common. */
  readonly objectType: 'rec' | 'concept'
  /** Identifier of the row the identifier stands for. */
  readonly objectUuid: string
  readonly status: PidStatus
  /** The target of a redirected (`M`) identifier. */
  readonly redirect?: PidName
}

/** Value of the persistent identifier of a deposit; no two deposits have the same, of any type. */
export type DepositId = Brand<string, 'DepositId'>

/**
 * Type of the identifiers of deposits, unless they belong to a further endpoint.
 *
 * @see Specification, "Persistent identifier of a deposit"
 */
export const depositPidType = 'depid'

/** Any text may be asked for; whether a deposit has it, the store knows. */
export function parseDepositId(text: string): DepositId {
  return text as DepositId
}

/** Lists show eight digits of an identifier: the last five of them tell those of a run apart. */
const nextValue = neighbours(3)

/** Mints the identifier of a new deposit: a new value, registered at once. */
export function mintDepositPid(
  type: string = depositPidType,
): PersistentIdentifier & { readonly value: DepositId } {
  const value = parseDepositId(nextValue().replaceAll('-', ''))
  return {
    type,
    value,
    objectType: 'rec',
    objectUuid: randomUUID(),
    status: 'R',
  }
}

/** Fetches the identifier from a deposit's document: its `_deposit.id`. */
export function fetchDepositId(document: JsonObject): DepositId | undefined {
  const deposit = document['_deposit']
  const id = isJsonObject(deposit) ? deposit['id'] : undefined
  return typeof id === 'string' ? parseDepositId(id) : undefined
}

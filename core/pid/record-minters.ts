import { randomUUID } from 'node:crypto'
import type { DepositId, PersistentIdentifier } from './deposit-pid.ts'

/** Mints the identifier of a record at the first publish of its deposit, or that of a concept. */
export type RecordMinter = () => PersistentIdentifier

/** The type of the identifiers of records and of concepts. */
export const recordPidType = 'recid'

/** Crockford's base 32: no letter that is read as a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Identifiers that begin alike, one after another: see `neighbours`. */
const runLength = 250

/** Identifiers whose first two characters are the same. */
const inOneRun = 2 ** 30

/** The first number of the present run. */
let run = 0
let left = 0

/**
 * Mints a `recid`: `xxxxx-xxxxx`, eight random characters and two check digits (ISO 7064,
 * MOD 97-10). It is reserved (`K`), so the record can be edited; the action `register` seals it.
 */
export const mintRecid: RecordMinter = () => {
  const number = Number.parseInt(randomHex(), 16)
  if (left === 0) {
    run = number - (number % inOneRun)
    left = runLength
  }
  left -= 1
  return reserved(toRecid(run + (number % inOneRun)))
}

/** @param number of 40 bits, which a number holds exactly, also a hundred times */
function toRecid(number: number): string {
  const digits = Array.from({ length: 8 }, (_, at) => Math.floor(number / 32 ** (7 - at)) % 32)
  const check = 98 - ((number * 100) % 97)
  const text = digits.map((digit) => alphabet[digit]).join('') + String(check).padStart(2, '0')
  return `${text.slice(0, 5)}-${text.slice(5)}`
}

/** 40 random bits. A UUID has them at its beginning, and takes less than asking for bytes. */
function randomHex(): string {
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 11)
}

/**
 * The identifier of the concept of a deposit that was made before there were concepts: 40 random
 * bits of the deposit's own identifier. So a service that is rebuilt from manifests of that time
 * gives the same one.
 *
 * @param first the first version of the concept
 * @returns undefined where the identifier of the deposit is not one of ours
 */
export function conceptOfOld(first: DepositId): string | undefined {
  const hex = /^[0-9a-f]{10}/.exec(first)?.[0]
  return hex === undefined ? undefined : toRecid(Number.parseInt(hex, 16))
}

/** Mints the identifier of the concept that a new deposit and its later versions belong to. */
export function mintConcept(mint: RecordMinter): PersistentIdentifier {
  return { ...mint(), objectType: 'concept' }
}

/** An institution's own way to name records. */
export interface Minter {
  /**
   * A value that no record and no concept has had. It stands in addresses: letters, digits, `.`,
   * `_`, `~` and `-`, beginning with a letter or a digit. Nothing may be waited for: it is asked for
   * one when a deposit is created, and for another inside its first publish.
   */
  readonly mint: () => string
}

/** The record minter that takes its values from `minter`. */
export function mintedBy(name: string, minter: Minter): RecordMinter {
  return () => {
    const value: unknown = minter.mint()
    if (typeof value === 'string' && /^[A-Za-z0-9][\w.~-]{0,199}$/.test(value))
      return reserved(value)
    throw new TypeError(
      `the minter ${name} made ${JSON.stringify(value)}, which no address can hold`,
    )
  }
}

function reserved(value: string): PersistentIdentifier {
  return { type: recordPidType, value, objectType: 'rec', objectUuid: randomUUID(), status: 'K' }
}

/** The minters of the package that `DEPOSIT_PID_MINTER` may name. */
export const recordMinters = { recid: mintRecid } as const satisfies Record<string, RecordMinter>

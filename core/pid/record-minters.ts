import { randomBytes, randomUUID } from 'node:crypto'
import type { PersistentIdentifier } from './deposit-pid.ts'

/** Mints the identifier of a record at the first publish of its deposit. */
export type RecordMinter = () => PersistentIdentifier

/** Crockford's base 32: no letter that is read as a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Mints a `recid`: `xxxxx-xxxxx`, eight random characters and two check digits (ISO 7064,
 * MOD 97-10). It is reserved (`K`), so the record can be edited; the action `register` seals it.
 */
export const mintRecid: RecordMinter = () => {
  const digits = [...randomBytes(8)].map((byte) => byte % 32)
  const number = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n)
  const check = 98n - ((number * 100n) % 97n)
  const text = digits.map((digit) => alphabet[digit]).join('') + String(check).padStart(2, '0')
  return reserved(`${text.slice(0, 5)}-${text.slice(5)}`)
}

/** An institution's own way to name records. */
export interface Minter {
  /**
   * A value that no record has had. It stands in addresses: letters, digits, `.`, `_`, `~` and `-`,
   * beginning with a letter or a digit. Nothing may be waited for: it is asked inside the publish.
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
  return { type: 'recid', value, objectType: 'rec', objectUuid: randomUUID(), status: 'K' }
}

/** The minters of the package that `DEPOSIT_PID_MINTER` may name. */
export const recordMinters = { recid: mintRecid } as const satisfies Record<string, RecordMinter>

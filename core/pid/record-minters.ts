import { randomBytes, randomUUID } from 'node:crypto'
import type { PersistentIdentifier } from './pid.ts'

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
  return {
    type: 'recid',
    value: `${text.slice(0, 5)}-${text.slice(5)}`,
    objectType: 'rec',
    objectUuid: randomUUID(),
    status: 'K',
  }
}

/** The minters that `DEPOSIT_PID_MINTER` may name. */
export const recordMinters = { recid: mintRecid } as const satisfies Record<string, RecordMinter>

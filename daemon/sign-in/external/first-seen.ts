import { hashSecret } from '../identity/secret.ts'
import type { Claims } from './claims.ts'

const most = 10_000

/**
 * Remembers of tokens, when they are first seen, how long they are good for yet, by a clock that
 * nobody sets: where that of the machine is set back, they end when they would have. Where the
 * issuer names another end, that one counts from then on.
 *
 * @param graceMs how much longer than that they may be used
 * @returns what tells whether a token has ended
 */
export function endAsFirstSeen(graceMs: number): (token: string, claims: Claims) => boolean {
  const ends = new Map<string, { readonly exp: number; readonly end: number }>()
  return (token, { exp }) => {
    if (typeof exp !== 'number') return false
    const key = hashSecret(token)
    const now = performance.now()
    const known = ends.get(key)
    const told = now + exp * 1000 - Date.now()
    const end = known?.exp === exp ? Math.min(known.end, told) : told
    if (ends.size >= most) ends.clear()
    ends.set(key, { exp, end })
    return now >= end + graceMs
  }
}

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../core/index.ts'

/** Prefixes of the kinds of secrets, by which secret scanners recognize them. */
const prefixes = {
  personal: 'dep_pt_',
  access: 'dep_at_',
  refresh: 'dep_rt_',
  client: 'dep_cs_',
  link: 'dep_ln_',
  download: 'dep_dl_',
  share: 'dep_sl_',
} as const

export type SecretKind = keyof typeof prefixes

/** 256 random bits. */
export function newSecret(kind: SecretKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url')
}

export function isSecret(kind: SecretKind, text: string): boolean {
  return text.startsWith(prefixes[kind])
}

/**
 * The stored form of a secret: its SHA-256, 64 hexadecimal digits. Secrets are looked up by it, so
 * no comparison tells how much of a guess was right.
 */
export function hashSecret(value: string): string {
  return hash('sha256', value)
}

/** True where `value` is the secret whose hash is given. */
export function matchesHash(value: string, hashed: string): boolean {
  const given = Buffer.from(hashSecret(value))
  const wanted = Buffer.from(hashed)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** Largest difference between synchronized clocks. Milliseconds. */
export const skewMs = 60_000

/**
 * True for what was issued after now: the clock was set back since, or the issuer's is ahead. How old
 * it is cannot be known, so it is refused until that time.
 *
 * @param issuedMs milliseconds since 1970
 */
export function isFromFuture(issuedMs: number, clock: Clock): boolean {
  return issuedMs > Date.parse(clock.forward()) + skewMs
}

/** True between the moment something was issued, with a lifetime of `lifetimeMs`, and its end. */
export function isInTime(
  { expires }: { readonly expires: string },
  lifetimeMs: number,
  clock: Clock,
): boolean {
  return expires > clock.forward() && !isFromFuture(Date.parse(expires) - lifetimeMs, clock)
}

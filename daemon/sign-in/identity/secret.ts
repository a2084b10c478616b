import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** How each kind of secret begins, so that scanners for secrets know one when they see it. */
const prefixes = {
  personal: 'dep_pt_',
  access: 'dep_at_',
  refresh: 'dep_rt_',
  client: 'dep_cs_',
  link: 'dep_ln_',
  download: 'dep_dl_',
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

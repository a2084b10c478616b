import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** KiB, passes and lanes: the first choice of the OWASP cheat sheet for Argon2id. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const

/** Characters: long enough to be a phrase, short enough not to be a load. */
export const passphraseLength = { min: 12, max: 256 } as const

/**
 * The stored form of a passphrase, in the PHC string format.
 *
 * @see RFC 9106
 */
export async function hashPassphrase(passphrase: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await tagOf(passphrase, salt, cost)
  const { memory, passes, parallelism } = cost
  const settings = `m=${memory},t=${passes},p=${parallelism}`
  return ['', 'argon2id', 'v=19', settings, toBase64(salt), toBase64(tag)].join('$')
}

/** True where `hashed` was made of the passphrase. */
export async function matchesPassphrase(passphrase: string, hashed: string): Promise<boolean> {
  const [, algorithm, , settings = '', salt = '', tag = ''] = hashed.split('$')
  const found = /^m=(\d+),t=(\d+),p=(\d+)$/.exec(settings)
  if (algorithm !== 'argon2id' || !found) return false
  const [memory = 0, passes = 0, parallelism = 0] = found.slice(1).map(Number)
  const wanted = Buffer.from(tag, 'base64')
  const given = await tagOf(passphrase, Buffer.from(salt, 'base64'), {
    memory,
    passes,
    parallelism,
  })
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>

/** One at a time: each takes 19 MiB and a thread that reading and writing files needs too. */
let last: Promise<unknown> = Promise.resolve()

function tagOf(passphrase: string, nonce: Buffer, settings: Cost): Promise<Buffer> {
  const message = passphrase.normalize('NFKC')
  const next = last.then(() => derive('argon2id', { message, nonce, tagLength: 32, ...settings }))
  last = next.catch(() => undefined)
  return next
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

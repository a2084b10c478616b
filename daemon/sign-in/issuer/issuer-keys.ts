import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JWK } from 'oidc-provider'
import { writeTextDurably } from '../../../core/base/durable-files.ts'
import type { Database } from '../../../core/index.ts'
import { isMissing } from '../../../core/base/errno.ts'

/** Signing keys of the embedded issuer. Losing them ends only sign-ins under way. */
export interface IssuerKeys {
  readonly jwks: { readonly keys: readonly JWK[] }
  /** For cookies and forms; the first one signs. */
  readonly cookies: readonly string[]
}

/** The name of the keys among the secrets that daemons share. */
const sharedName = 'issuer.keys'

/**
 * The keys, made on first use: of this home, in a file for its owner alone, which no backup takes
 * along unless it is asked to; or in the rows, where other daemons sign with the same ones.
 */
export function issuerKeys(database: Database, path: string): Promise<IssuerKeys> {
  return database.isShared ? sharedKeys(database) : ownKeys(path)
}

/** The key of the tickets in the issuer's forms; it reveals nothing of the signing keys. */
export function formKey({ cookies }: IssuerKeys): string {
  return createHmac('sha256', cookies[0] ?? '')
    .update('forms')
    .digest('base64url')
}

async function ownKeys(path: string): Promise<IssuerKeys> {
  try {
    return parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const keys = newKeys()
  await writeTextDurably(path, `${JSON.stringify(keys)}\n`)
  return keys
}

/** Of two daemons that make them at once, one unit of work is run again and finds the other's. */
async function sharedKeys(database: Database): Promise<IssuerKeys> {
  const known = await database.read.sharedSecrets.find(sharedName)
  if (known !== undefined) return parse(known)
  const made = newKeys()
  return database.write(async ({ sharedSecrets }) => {
    const others = await sharedSecrets.find(sharedName)
    if (others !== undefined) return parse(others)
    await sharedSecrets.insert(sharedName, JSON.stringify(made))
    return made
  })
}

function parse(text: string): IssuerKeys {
  return JSON.parse(text) as IssuerKeys
}

function newKeys(): IssuerKeys {
  return { jwks: { keys: [signingKey()] }, cookies: [randomBytes(32).toString('base64url')] }
}

function signingKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomBytes(8).toString('hex')
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'ES256', use: 'sig' }
}

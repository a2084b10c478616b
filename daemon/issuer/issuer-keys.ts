import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JWK } from 'oidc-provider'
import { writeDurably } from '../home.ts'

/** What the embedded issuer signs with. Losing them ends nothing but sign-ins under way. */
export interface IssuerKeys {
  readonly jwks: { readonly keys: readonly JWK[] }
  /** For cookies and forms; the first one signs. */
  readonly cookies: readonly string[]
}

/** The keys of this home, in a file for its owner alone; made on first use. */
export async function issuerKeys(path: string): Promise<IssuerKeys> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as IssuerKeys
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const keys = { jwks: { keys: [signingKey()] }, cookies: [randomBytes(32).toString('base64url')] }
  await writeDurably(path, `${JSON.stringify(keys)}\n`)
  return keys
}

function signingKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomBytes(8).toString('hex')
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'ES256', use: 'sig' }
}

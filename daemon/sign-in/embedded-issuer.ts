import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Clock, Database } from '../../core/index.ts'
import type { Audit } from '../http/audit.ts'
import { formKey, issuerKeys } from './issuer/issuer-keys.ts'

/** The issuer inside the daemon. It is loaded at the first sign-in. */
export interface EmbeddedIssuer {
  readonly provider: () => Promise<Provider>
  /** The key of the tickets in its forms, the same in every daemon on the same rows. */
  readonly formKey: () => Promise<string>
  /** Answers a request to one of its own routes. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

export interface IssuerOptions {
  readonly database: Database
  readonly clock: Clock
  /** File of the keys, where they are of this home alone. */
  readonly keys: string
  /** Scheme, host and port that clients see; known once the daemon listens. */
  readonly origin: () => string
  /** Path of the page that a browser comes back to. */
  readonly signedIn: string
  /** Path of the page on which people sign in. */
  readonly home: string
  readonly report: (error: unknown) => void
  readonly audit: Audit
}

export function embeddedIssuer(options: IssuerOptions): EmbeddedIssuer {
  const { keys: path, origin, ...parts } = options
  const keys = onFirstUse(() => issuerKeys(parts.database, path))
  const loaded = onFirstUse(async () => {
    const [{ createProvider }, found] = await Promise.all([import('./provider.ts'), keys()])
    const provider = createProvider({ ...parts, keys: found, origin: origin() })
    return { provider, callback: provider.callback() }
  })
  return {
    provider: async () => (await loaded()).provider,
    formKey: async () => formKey(await keys()),
    answer: async (request, response) => {
      const { callback } = await loaded()
      await callback(request, response)
    },
  }
}

/** Makes something when it is first asked for, and again where that has failed. */
function onFirstUse<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return async () => {
    try {
      return await (made ??= make())
    } catch (error) {
      made = undefined
      throw error
    }
  }
}

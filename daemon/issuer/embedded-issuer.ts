import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Clock, Database } from '../../core/index.ts'
import type { Audit } from '../audit.ts'
import { issuerKeys } from './issuer-keys.ts'

/** The issuer inside the daemon. It is loaded when somebody signs in, not before. */
export interface EmbeddedIssuer {
  readonly provider: () => Promise<Provider>
  /** Answers a request to one of its own routes. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

export interface IssuerOptions {
  readonly database: Database
  readonly clock: Clock
  /** File of the keys. */
  readonly keys: string
  /** Scheme, host and port that clients see; known once the daemon listens. */
  readonly origin: () => string
  readonly report: (error: unknown) => void
  readonly audit: Audit
}

export function embeddedIssuer(options: IssuerOptions): EmbeddedIssuer {
  const { keys, origin, ...parts } = options
  let loading: Promise<Loaded> | undefined

  async function load(): Promise<Loaded> {
    const [{ createProvider }, found] = await Promise.all([
      import('./provider.ts'),
      issuerKeys(keys),
    ])
    const provider = createProvider({ ...parts, keys: found, origin: origin() })
    return { provider, callback: provider.callback() }
  }

  const loaded = (): Promise<Loaded> => (loading ??= load())
  return {
    provider: async () => (await loaded()).provider,
    answer: async (request, response) => {
      const { callback } = await loaded()
      await callback(request, response)
    },
  }
}

interface Loaded {
  readonly provider: Provider
  readonly callback: ReturnType<Provider['callback']>
}

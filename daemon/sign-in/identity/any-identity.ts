import type { Identity } from '../../http/identity.ts'

/** Asks one after another who stands behind a token; the first that knows it answers. */
export function anyIdentity(...identities: readonly Identity[]): Identity {
  return {
    identify: async (token, network) => {
      for (const identity of identities) {
        const identified = await identity.identify(token, network)
        if (identified) return identified
      }
      return undefined
    },
  }
}

import type { Clock, Database } from '../../../core/index.ts'
import type { Identified, Identity } from '../../http/identity.ts'
import { hashSecret } from './secret.ts'

/** Tokens remembered at most; the memory of a few hundred bytes each. */
const most = 10_000

interface Stores {
  readonly database: Pick<Database, 'view'>
  readonly clock: Clock
}

/**
 * Remembers who stands behind a token for as long as reads see the same rows: so one that is
 * revoked, or whose user is disabled, is refused in the next request still. Of four queries that
 * read a deposit two are saved.
 *
 * @param identity answers from the rows of `database` alone
 */
export function remembered(identity: Identity, { database, clock }: Stores): Identity {
  const known = new Map<string, Identified>()
  let seen: object | undefined

  const keep = (hash: string, identified: Identified, view: object): void => {
    if (view !== seen || known.size >= most) known.clear()
    seen = view
    known.set(hash, identified)
  }

  return {
    identify: async (token, network) => {
      const view = database.view()
      const hash = hashSecret(token)
      const kept = view && view === seen ? known.get(hash) : undefined
      if (kept) return isExpired(kept, clock) ? undefined : kept
      const found = await identity.identify(token, network)
      // Rows that changed while they were read belong to a newer view: what is kept here is not found.
      if (found && view) keep(hash, found, view)
      return found
    },
  }
}

function isExpired({ expires }: Identified, clock: Clock): boolean {
  return expires !== undefined && expires <= clock.forward()
}

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

import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Clock } from '../../../core/index.ts'

/** Most that are remembered at once: a stranger who opens more of them only pushes out others. */
const capacity = 1000

/**
 * Sessions and interactions of a daemon that has its rows alone, in memory: they last as long as a
 * person takes to sign in, and what is never written is never found in a backup. A restart means
 * beginning that sign-in again.
 */
export function shortLived(clock: Clock): Adapter {
  const entries = new Map<string, AdapterPayload>()

  const find = (id: string): AdapterPayload | undefined => {
    const found = entries.get(id)
    if (found?.exp === undefined || found.exp * 1000 > Date.parse(clock.forward())) return found
    entries.delete(id)
    return undefined
  }

  return {
    upsert: async (id, payload) => {
      entries.delete(id)
      entries.set(id, payload)
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity) break
        entries.delete(oldest)
      }
    },
    find: async (id) => find(id),
    findByUid: async (uid) => [...entries.values()].find((payload) => payload.uid === uid),
    findByUserCode: async () => undefined,
    consume: async () => undefined,
    destroy: async (id) => {
      entries.delete(id)
    },
    revokeByGrantId: async () => undefined,
  }
}

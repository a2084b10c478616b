import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Clock } from '../../../core/index.ts'
import { isFromFuture } from '../identity/secret.ts'

/** Times of the provider's entries, in seconds since 1970. */
const times = ['iat', 'iiat', 'exp'] as const

/**
 * Lets things last as long as they were issued for, though the provider goes by the clock of the
 * machine: they are kept by the time that never goes back, and shown to it by its own. Things
 * issued in the future are not found.
 */
export function keepTime(adapter: Adapter, clock: Clock): Adapter {
  /** Seconds by which the clock was set back. */
  const behind = (): number =>
    Math.round((Date.parse(clock.forward()) - Date.parse(clock.now())) / 1000)

  const show = (found: AdapterPayload | undefined | void): AdapterPayload | undefined => {
    if (!found || isFromFuture((found.iat ?? 0) * 1000, clock)) return undefined
    return shift(found, -behind())
  }
  return {
    upsert: (id, payload, expiresIn) => adapter.upsert(id, shift(payload, behind()), expiresIn),
    find: async (id) => show(await adapter.find(id)),
    findByUid: async (uid) => show(await adapter.findByUid(uid)),
    findByUserCode: async (userCode) => show(await adapter.findByUserCode(userCode)),
    consume: (id) => adapter.consume(id),
    destroy: (id) => adapter.destroy(id),
    revokeByGrantId: (grant) => adapter.revokeByGrantId(grant),
  }
}

function shift(payload: AdapterPayload, seconds: number): AdapterPayload {
  if (seconds === 0) return payload
  const moved = times.flatMap((name): [string, number][] => {
    const time = payload[name]
    return typeof time === 'number' ? [[name, time + seconds]] : []
  })
  return { ...payload, ...Object.fromEntries(moved) }
}

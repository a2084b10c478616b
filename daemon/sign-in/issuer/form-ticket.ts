import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../core/index.ts'
import { isInTime } from '../identity/secret.ts'

const lifetimeMs = 10 * 60 * 1000

/** Tokens of our own forms: a form without one comes from another site. */
export interface FormTickets {
  readonly issue: (about: string) => string
  /** True for a ticket that was issued about the same, and not long ago. */
  readonly accepts: (ticket: string, about: string) => boolean
}

export function formTickets(key: string, clock: Clock): FormTickets {
  const sign = (expires: string, about: string): string =>
    createHmac('sha256', key).update(`${expires} ${about}`).digest('base64url')
  return {
    issue: (about) => {
      const expires = String(Date.parse(clock.forward()) + lifetimeMs)
      return `${expires}.${sign(expires, about)}`
    },
    accepts: (ticket, about) => {
      const [expires = '', signature = ''] = ticket.split('.')
      const given = Buffer.from(signature)
      const wanted = Buffer.from(sign(expires, about))
      const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted)
      if (!isOurs) return false
      return isInTime({ expires: new Date(Number(expires)).toISOString() }, lifetimeMs, clock)
    },
  }
}

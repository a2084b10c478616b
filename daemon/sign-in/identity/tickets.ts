import { randomBytes } from 'node:crypto'
import type { Clock, UserId } from '../../../core/index.ts'
import { hashSecret } from './secret.ts'

/** The lifetime of a ticket. */
export const ticketMs = 60_000

/** One-time tickets with which the owner of the machine arrives in a browser signed in. */
export interface Tickets {
  /** 256 random bits, good once and not for long. */
  readonly issue: (user: UserId) => string
  /** The user it was issued to; undefined the second time, and after its time. */
  readonly redeem: (ticket: string) => UserId | undefined
}

/** Tickets that are kept in memory: none outlives the daemon. */
export function oneTimeTickets(clock: Clock): Tickets {
  const open = new Map<string, { readonly user: UserId; readonly expires: number }>()
  const now = (): number => Date.parse(clock.forward())
  const sweep = (): void => {
    for (const [hash, { expires }] of open) if (expires <= now()) open.delete(hash)
  }
  return {
    issue: (user) => {
      sweep()
      const ticket = randomBytes(32).toString('base64url')
      open.set(hashSecret(ticket), { user, expires: now() + ticketMs })
      return ticket
    },
    redeem: (ticket) => {
      sweep()
      const hash = hashSecret(ticket)
      const found = open.get(hash)
      open.delete(hash)
      return found?.user
    },
  }
}

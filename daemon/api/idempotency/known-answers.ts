import type { Deposit } from '../../../core/index.ts'
import type { Answer } from './answer.ts'

/** What a deposit is answered with. */
export interface DepositAnswer extends Omit<Answer, 'status'> {
  /** The text of the body, where it is known. */
  readonly json?: string
}

type ToDepositAnswer = (deposit: Deposit) => Promise<DepositAnswer>

/**
 * Remembers what a deposit is answered with. The store hands out one object for as long as no row
 * is changed, and another one then: so an answer that is remembered with it is never an old one.
 */
export function knownAnswers(make: ToDepositAnswer): ToDepositAnswer {
  const known = new WeakMap<Deposit, DepositAnswer>()
  return async (deposit) => {
    const kept = known.get(deposit)
    if (kept) return kept
    const answer = await make(deposit)
    const made = { ...answer, json: JSON.stringify(answer.body) }
    known.set(deposit, made)
    return made
  }
}

import type { UserId } from '../access/caller.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { Parts } from './parts.ts'

/** For how long a request that comes again is given the first answer. */
export const answersKeptMs = 24 * 60 * 60 * 1000

/** Answers of before are given no more. ISO 8601, UTC. */
export function oldestAnswer({ clock }: Pick<Parts, 'clock'>): string {
  return new Date(Date.parse(clock.settled()) - answersKeptMs).toISOString()
}

/** When an answer of `created` is forgotten. */
export function forgottenAt(created: string): string {
  return new Date(Date.parse(created) + answersKeptMs).toISOString()
}

/**
 * Removes the answers of a user that are given no more: the sweeper has yet to come to them.
 *
 * @returns bytes that were freed
 */
export async function forgetAnswers(
  parts: Pick<Parts, 'clock'>,
  { answers }: Pick<UnitOfWork, 'answers'>,
  user: UserId,
): Promise<number> {
  return answers.removeOf(user, oldestAnswer(parts))
}

import type { User } from '../access/caller.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { forgetAnswers } from './kept-answers.ts'
import { requireLeft, roomForMetadata } from './limits.ts'
import type { Parts } from './parts.ts'

/**
 * Bytes of answers to changes that free room which may be kept beyond a full quota: who frees room by
 * hand is not stopped, and who asks again and again is.
 */
const answersBeyondQuota = 100_000

/** An answer that is to be kept for an `Idempotency-Key`. */
interface NewAnswer {
  readonly bytes: number
  /** Set where the answered change makes room. */
  readonly freesRoom?: boolean
}

/**
 * Demands that an answer may be kept for the caller, in the unit of work of the change that it tells.
 *
 * @throws {DepositError} quota_exceeded: without the key the change is possible
 */
export async function requireAnswerAllowed(
  parts: Parts,
  unit: UnitOfWork,
  caller: User,
  { bytes, freesRoom = false }: NewAnswer,
): Promise<void> {
  const { user } = caller
  const room = await roomForMetadata(parts, unit, caller, user)
  if (room.used + bytes <= room.quota) return
  unit.requireWhole()
  const forgotten = await forgetAnswers(parts, unit, user)
  const used = room.used - forgotten
  if (freesRoom) {
    if (used + bytes - room.quota <= answersBeyondQuota) return
    // A quota that was lowered is passed by other things: there is as much for answers.
    const { answers } = await parts.database.read.usage.breakdown(user)
    if (answers - forgotten + bytes <= answersBeyondQuota) return
  }
  await requireLeft(parts, unit, { ...room, used, user, answer: bytes }, bytes)
}

import { sql, type Kysely } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import type { ReviewStep } from '../../contract/review.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type { Comment, CommentReader, CommentWriter } from '../../ports/review.ts'
import { newId } from './audit-rows.ts'
import type { Tables } from './schema/tables.ts'
import type { CommentRow } from './schema/deposit-tables.ts'

export function commentReader(db: Kysely<Tables>): CommentReader {
  const of = (deposit: DepositId) =>
    db.selectFrom('review_comments').where('deposit_id', '=', deposit)
  return {
    list: async (deposit) => {
      const rows = await of(deposit).selectAll().orderBy('id').execute()
      return rows.map(fromRow)
    },
    count: async (deposit, by) => {
      const comments = of(deposit).where('action', 'is', null)
      const alone = by === undefined ? comments : comments.where('account_id', '=', by)
      const all = alone.select((row) => row.fn.countAll<number>().as('count'))
      return Number((await all.executeTakeFirstOrThrow()).count)
    },
  }
}

export function commentWriter(db: Kysely<Tables>): CommentWriter {
  return {
    ...commentReader(db),
    add: async (comment) => {
      const made = { id: newId(Date.parse(comment.at)), ...comment }
      await db.insertInto('review_comments').values(toRow(made)).execute()
      return made
    },
    addStep: async (step, most) => {
      const made = { id: newId(Date.parse(step.at)), ...step }
      await db.insertInto('review_comments').values(toRow(made)).execute()
      await trimSteps(db, step.deposit, most)
    },
  }
}

async function trimSteps(db: Kysely<Tables>, deposit: DepositId, most: number): Promise<void> {
  const steps = db
    .selectFrom('review_comments')
    .where('deposit_id', '=', deposit)
    .where('action', 'is not', null)
  const all = steps.select((row) => row.fn.countAll<number>().as('count'))
  const excess = Number((await all.executeTakeFirstOrThrow()).count) - most
  if (excess <= 0) return
  // An owner can submit and take back as often as they like: the words of reviewers stay.
  const least = steps
    .select('id')
    .orderBy(sql`case when action in ('submit', 'take-back') then 0 else 1 end`)
    .orderBy(sql`case when text = '' then 0 else 1 end`)
    .orderBy('id')
    .limit(excess)
  await db.deleteFrom('review_comments').where('id', 'in', least).execute()
}

function toRow({ id, deposit, at, by, text, action, revision }: Comment): CommentRow {
  const made = { id, deposit_id: deposit, at, account_id: by, text, revision }
  return { ...made, action: action ?? null }
}

function fromRow({ deposit_id: deposit, account_id: by, action, ...row }: CommentRow): Comment {
  return {
    ...row,
    deposit: deposit as DepositId,
    by: by as UserId,
    ...(action !== null && { action: action as ReviewStep }),
  }
}

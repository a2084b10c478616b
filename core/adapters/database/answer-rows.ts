import { sql, type Kysely } from 'kysely'
import { parseUserId } from '../../access/caller.ts'
import type { AnswerReader, AnswerWriter } from '../../ports/answers.ts'
import { prepared, preparedChange } from './prepared.ts'
import type { Tables } from './schema/tables.ts'

/** Answers among which the oldest is looked for: keys are in no order of time. */
const mostLookedAt = 10_000

export function answerReader(db: Kysely<Tables>): AnswerReader {
  const named = prepared(db, (user: string, key: string) =>
    db.selectFrom('answers').selectAll().where('account_id', '=', user).where('key', '=', key),
  )
  const some = (user: string) =>
    db.selectFrom('answers').select('created').where('account_id', '=', user).limit(mostLookedAt)
  return {
    oldest: async (user) => {
      const row = await db
        .selectFrom(some(user).as('some'))
        .select(({ fn }) => fn.min<string | null>('created').as('oldest'))
        .executeTakeFirst()
      return row?.oldest ?? undefined
    },
    find: async (user, key) => {
      const [row] = await named(user, key)
      if (!row) return undefined
      const { account_id: account, ...answer } = row
      return { ...answer, user: parseUserId(account) }
    },
  }
}

export function answerWriter(db: Kysely<Tables>): AnswerWriter {
  const change = preparedChange(
    db,
    (user: string, key: string, request: string, answer: string, created: string, since: string) =>
      db
        .insertInto('answers')
        .values({ account_id: user, key, request, answer, created })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'key'])
            .doUpdateSet((known) => ({
              request: known.ref('excluded.request'),
              answer: known.ref('excluded.answer'),
              created: known.ref('excluded.created'),
            }))
            .where('answers.created', '<=', since),
        ),
  )
  return {
    ...answerReader(db),
    put: async ({ user, key, request, answer, created }, since) =>
      (await change(user, key, request, answer, created, since)) > 0n,
    removeBefore: async (time) => {
      await db.deleteFrom('answers').where('created', '<', time).execute()
    },
    removeOf: async (user, before) => {
      const removed = await db
        .deleteFrom('answers')
        .where('account_id', '=', user)
        .where('created', '<', before)
        .returning(sql<number>`octet_length(answer)`.as('size'))
        .execute()
      return removed.reduce((sum, { size }) => sum + Number(size), 0)
    },
  }
}

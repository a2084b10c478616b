import type { Kysely } from 'kysely'
import { parseUserId } from '../../access/caller.ts'
import type { AnswerReader, AnswerWriter } from '../../ports/answers.ts'
import type { Tables } from './schema/tables.ts'

export function answerReader(db: Kysely<Tables>): AnswerReader {
  return {
    find: async (user, key) => {
      const row = await db
        .selectFrom('answers')
        .selectAll()
        .where('account_id', '=', user)
        .where('key', '=', key)
        .executeTakeFirst()
      if (!row) return undefined
      const { account_id: account, ...answer } = row
      return { ...answer, user: parseUserId(account) }
    },
  }
}

export function answerWriter(db: Kysely<Tables>): AnswerWriter {
  return {
    ...answerReader(db),
    put: async ({ user, ...answer }) => {
      await db
        .insertInto('answers')
        .values({ ...answer, account_id: user })
        .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(answer))
        .execute()
    },
    removeBefore: async (time) => {
      await db.deleteFrom('answers').where('created', '<', time).execute()
    },
  }
}

import type { Kysely } from 'kysely'
import { parseUserId } from '../../access/caller.ts'
import type { AnswerReader, AnswerWriter } from '../../ports/answers.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { AnswerRow, Tables } from './schema/tables.ts'

export function answerReader(db: Kysely<Tables>): AnswerReader {
  const named = prepared(db, (user: string, key: string) =>
    db.selectFrom('answers').selectAll().where('account_id', '=', user).where('key', '=', key),
  )
  return {
    find: async (user, key) => {
      const [row] = await named(user, key)
      if (!row) return undefined
      const { account_id: account, ...answer } = row
      return { ...answer, user: parseUserId(account) }
    },
  }
}

export function answerWriter(db: Kysely<Tables>): AnswerWriter {
  const insert = preparedInsert(
    db,
    (row: AnswerRow) =>
      db
        .insertInto('answers')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'key']).doUpdateSet((known) => ({
            request: known.ref('excluded.request'),
            answer: known.ref('excluded.answer'),
            created: known.ref('excluded.created'),
          })),
        ),
    { isSeen: true },
  )
  return {
    ...answerReader(db),
    put: ({ user, ...answer }) => insert({ ...answer, account_id: user }),
    removeBefore: async (time) => {
      await db.deleteFrom('answers').where('created', '<', time).execute()
    },
  }
}

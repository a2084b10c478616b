import { sql, type Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { usageOfAnswers } from '../../core/adapters/database/schema/0043-usage-of-answers.ts'
import type { Tables } from '../../core/adapters/database/schema/tables.ts'
import { parseUserId } from '../../core/index.ts'
import { engines, openOld } from '../support/old-database.ts'
import { at } from '../support/rows.ts'

const [ada, bob] = [parseUserId('ada-id'), parseUserId('bob-id')]

async function insertOld(db: Kysely<Tables>): Promise<void> {
  const rows = [
    { user: ada, key: 'a', answer: 'x'.repeat(70) },
    { user: ada, key: 'b', answer: 'ä' },
    { user: bob, key: 'a', answer: 'x' },
  ]
  for (const { user, key, answer } of rows)
    await sql`insert into answers (account_id, key, request, answer, created)
      values (${user}, ${key}, 'r', ${answer}, ${at(1)})`.execute(db)
}

describe.each(engines)('answers kept by an older program (%s)', (engine) => {
  it('count as answers, and count no more once they are forgotten', async () => {
    await using stack = new AsyncDisposableStack()
    const database = await openOld(stack, engine, { before: usageOfAnswers, insert: insertOld })
    const { usage } = database.read

    expect(await usage.breakdown(ada)).toMatchObject({ metadata: 0, answers: 72 })
    expect(await usage.metadata(ada)).toBe(72)
    await database.write((unit) => unit.answers.removeOf(ada, at(2)))
    expect(await usage.breakdown(ada)).toMatchObject({ metadata: 0, answers: 0 })
    expect(await usage.breakdown(bob)).toMatchObject({ metadata: 0, answers: 1 })
  })
})

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { explaining, PlanLog, type Step } from './postgres-plans.ts'

/** Until PostgreSQL tidies by itself, a minute or more after the writes. */
const settings = { ...explaining, autovacuum: 'off' }

const written = 1000

describe.skipIf(!hasPostgres())('a search in PostgreSQL', () => {
  it('looks its words up after many deposits were written', async () => {
    await using stack = new AsyncDisposableStack()
    const log = new PlanLog()
    const server = stack.use(await startPostgres({ settings, heard: log.heard }))
    const url = await server.database(randomUUID())
    const home = stack.use(await temporaryFolder()).path
    const client = stack.adopt(new Client({ connectionString: url }), (open) => open.end())
    await client.connect()
    await using daemon = await testDaemon({ env: { DEPOSIT_DATABASE_URL: url }, home })
    const ada = daemon.as('ada')
    for (let first = 0; first < written; first += 20) {
      const twenty = Array.from({ length: 20 }, (_, index) => ada.createDraft(about(first + index)))
      await Promise.all(twenty)
    }
    await client.query('ANALYZE')
    await log.take(client)

    const found = await ada.search('q=only7')

    const searches = (await log.take(client)).filter(({ sql }) => sql.startsWith('WITH found'))
    expect(found.hits.total).toBe(1)
    expect(searches).toHaveLength(1)
    expect(searches.flatMap(({ plan }) => indexesOf(plan))).toContain('search_deposits_by_terms')
  })
})

function about(index: number): object {
  const words = Array.from({ length: 60 }, (_, place) => `word${(index * 7 + place * 13) % 900}`)
  return { title: `Series only${index}`, description: words.join(' ') }
}

function indexesOf(plan: Step): readonly string[] {
  const below = (plan.Plans ?? []).flatMap(indexesOf)
  return plan['Index Name'] === undefined ? below : [...below, plan['Index Name']]
}

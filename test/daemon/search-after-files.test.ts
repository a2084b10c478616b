import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const engines = ['in memory', 'on disk', ...(hasPostgres() ? ['in PostgreSQL'] : [])]

describe.each(engines)('A search after a change of files (%s)', (engine) => {
  const stack = new AsyncDisposableStack()
  let daemon: TestDaemon
  let ada: User
  let draft: DepositBody
  afterAll(() => stack.disposeAsync())
  beforeAll(async () => {
    const env: Record<string, string> = engine === 'on disk' ? { DEPOSIT_SEARCH_MEMORY: '1' } : {}
    if (engine === 'in PostgreSQL') {
      const server = stack.use(await startPostgres())
      env['DEPOSIT_DATABASE_URL'] = await server.database(randomUUID())
    }
    daemon = stack.use(await testDaemon({ env }))
    ada = daemon.as('ada')
    draft = await ada.createDraft({ title: 'Tides at the pier', kind: 'csv' })
    await ada.createDraft({ title: 'Something else' })
  })

  const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['added', () => ada.putObject(draft, 'levels.csv', 'a')],
    ['replaced', () => ada.putObject(draft, 'levels.csv', 'b')],
    [
      'renamed',
      async () => {
        const path = `/deposits/${draft.id}/files/levels.csv`
        bodyOf(await ada.put(path, { filename: 'heights.txt' }), 200)
      },
    ],
    [
      'removed',
      async () => bodyOf(await ada.delete(`/deposits/${draft.id}/files/heights.txt`), 204),
    ],
  ]

  async function finds(query: string): Promise<boolean> {
    const { hits } = await ada.search(`q=${encodeURIComponent(query)}`)
    return hits.hits.some(({ id }) => id === draft.id)
  }

  it.for(changes)(
    'finds by its words and its time alone, when a file was %s',
    async ([, change]) => {
      const { updated: before } = await ada.show(draft)
      while (new Date().toISOString() === before);
      await change()
      const { updated } = await ada.show(draft)

      expect(updated > before).toBe(true)
      const found = [
        'tides',
        '"at the pier"',
        'kind:csv',
        'csv',
        `_deposit.id:${draft.id}`,
        `_updated:${updated}`,
        `_updated:"${updated.slice(0, 7)}"`,
        `_updated:${updated.slice(0, 10)}*`,
        `_updated:[${updated} TO *]`,
        `_updated:[${updated} TO ${updated}]`,
        '_exists_:_updated',
      ]
      const missed = [
        'levels',
        'heights.txt',
        `_updated:${before}`,
        `_updated:<=${before}`,
        `_updated:>${updated}`,
        'NOT _updated:>2020',
      ]
      for (const query of found) expect([query, await finds(query)]).toEqual([query, true])
      for (const query of missed) expect([query, await finds(query)]).toEqual([query, false])
      const { hits } = await ada.search('sort=mostrecent')
      expect(hits.hits[0]?.id).toBe(draft.id)
    },
  )
})

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openConnections } from '../../core/adapters/database/open-postgres.ts'
import { isProblem } from '../../core/index.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'

describe.skipIf(!hasPostgres())('a pool whose connections are all in use', () => {
  it('is busy while the server answers others, and away where it answers nobody', async () => {
    await using server = await startPostgres()
    const heard: unknown[] = []
    const pool = openConnections(await server.database(randomUUID()), {
      connections: 1,
      patienceMs: 1000,
      onFailure: (error) => heard.push(error),
    })
    const codes = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
      new Set(
        outcomes.flatMap((each) =>
          each.status === 'rejected' && isProblem(each.reason) ? [each.reason.code] : [],
        ),
      )
    try {
      const briefly = async (): Promise<void> => {
        const connection = await pool.acquire()
        await sleep(150)
        pool.release(connection, false)
      }
      const busy = await Promise.allSettled(Array.from({ length: 20 }, briefly))
      expect(codes(busy)).toEqual(new Set(['overloaded']))
      expect(heard).toEqual([])

      const held = await pool.acquire()
      expect(codes(await Promise.allSettled([briefly()]))).toEqual(new Set(['storage_unavailable']))
      pool.release(held, false)
    } finally {
      await pool.end()
    }
  })
})

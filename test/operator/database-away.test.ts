import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe.runIf(hasPostgres())('a daemon whose PostgreSQL is stopped', () => {
  it('lives, is degraded, takes no work, and tells all of that', async () => {
    await using stack = new AsyncDisposableStack()
    const server = await startPostgres()
    const env = { DEPOSIT_DATABASE_URL: await server.database(randomUUID()) }
    const { url } = stack.use(await testDaemon({ env, files: {} }))
    const ask = async (path: string) => {
      const reply = await fetch(new URL(path, url))
      return { status: reply.status, text: await reply.text() }
    }
    expect(JSON.parse((await ask('/health')).text)).toMatchObject({ status: 'ok' })
    await server[Symbol.asyncDispose]()

    const health = await ask('/health')
    expect(health.status).toBe(200)
    expect(JSON.parse(health.text)).toMatchObject({ status: 'degraded', faults: ['database'] })
    expect((await ask('/ready')).status).toBe(503)
    const metrics = await ask('/metrics')
    expect(metrics.status).toBe(200)
    expect(metrics.text).toContain('\ndeposit_degraded 1\n')
    expect(metrics.text).toContain('\ndeposit_fault{part="database"} 1\n')
    expect(metrics.text).not.toMatch(/^deposit_users /m)
  })
})

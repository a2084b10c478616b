import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
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
    const ready = await ask('/ready')
    expect(ready.status).toBe(503)
    expect(JSON.parse(ready.text)).toMatchObject({
      code: 'storage_unavailable',
      message: 'The database cannot be reached now; nothing was changed.',
    })
    const metrics = await ask('/metrics')
    expect(metrics.status).toBe(200)
    expect(metrics.text).toContain('\ndeposit_degraded 1\n')
    expect(metrics.text).toContain('\ndeposit_fault{part="database"} 1\n')
    expect(metrics.text).not.toMatch(/^deposit_users /m)
  })

  it('logs once that it is away, and once that it is back', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgres())
    const env = { DEPOSIT_DATABASE_URL: await server.database(randomUUID()) }
    const { origin, warnings } = stack.use(await testDaemon({ env, files: {} }))
    await server.crash()

    const said = () =>
      warnings()
        .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
        .filter((text) => text.startsWith('PostgreSQL '))
    await expect.poll(said).toHaveLength(2)
    expect(said()).toEqual([
      expect.stringMatching(/^PostgreSQL is away: \S/),
      'PostgreSQL is back.',
    ])
    expect((await fetch(`${origin}/ready`)).status).toBe(200)
  })
})

describe.runIf(hasPostgres())('a daemon whose PostgreSQL is frozen', () => {
  it('answers its probes and scrapes in time, without the figures of the rows', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgres())
    const env = { DEPOSIT_DATABASE_URL: await server.database(randomUUID()) }
    const { origin, home } = stack.use(await testDaemon({ env, files: {} }))
    // Prometheus waits for ten seconds; the machine of a test may be busy.
    const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      (await fetch(origin + path, { headers, signal: AbortSignal.timeout(5_000) })).text()
    expect(await ask('/metrics')).toMatch(/^deposit_blobs_damaged 0$/m)

    server.signal('SIGSTOP')
    try {
      const metrics = await ask('/metrics')
      expect(metrics).toMatch(/^deposit_fault\{part="storage"\} 0$/m)
      expect(metrics).toMatch(/^deposit_disk_free_bytes\{folder="home"\} \d/m)
      expect(metrics).not.toMatch(/^deposit_blobs_damaged /m)
      await expect.poll(() => ask('/metrics')).toContain('\ndeposit_fault{part="database"} 1\n')
      expect(JSON.parse(await ask('/health'))).toMatchObject({ faults: ['database'] })
      // Otherwise a client that tries again waits for ten seconds each time.
      const records = () => ask('/api/records/').catch(() => 'nothing in five seconds')
      await expect.poll(records).toContain('"code":"storage_unavailable"')
      const token = { authorization: 'Bearer of-a-scraper' }
      expect(await ask('/metrics', token)).toContain('\ndeposit_fault{part="database"} 1\n')
      expect(JSON.parse(await ask('/health', token))).toMatchObject({ faults: ['database'] })
      expect(await ask('/ready', token)).toContain('"code":"storage_unavailable"')
      for (const page of ['/', '/records', '/records.atom', '/sitemap.xml', '/oai?verb=Identify'])
        expect([page, await ask(page)]).toEqual([
          page,
          expect.stringContaining('cannot be reached'),
        ])
      expect(await ask('/robots.txt')).toContain('User-agent')
      const said = 'The database cannot be reached now; nothing was changed.'
      expect(await runDepositd(home, ['user', 'list'], env)).toMatchObject({
        status: 69,
        stdout: '',
        stderr: `depositd: ${said}\n`,
      })
    } finally {
      server.signal('SIGCONT')
    }
    await expect.poll(() => ask('/ready')).toContain('ready')
  })
})

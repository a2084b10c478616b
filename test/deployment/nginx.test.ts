import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { hasNginx } from '../support/nginx.ts'
import { proxiedDaemons } from './proxied-daemons.ts'
import { trustingClient, type Ask } from './trusting-client.ts'

describe.skipIf(!hasNginx())('nginx with the example configuration', () => {
  it('redirects http to https, and every link of the daemon has the public address', async () => {
    await using proxied = await proxiedDaemons(1)
    const ask = await trustingClient(proxied.origin, proxied.certificate)

    const led = await fetch(`${proxied.plain}/deposit?q=x`, { redirect: 'manual' })
    expect([led.status, led.headers.get('location')]).toEqual([
      301,
      'https://localhost/deposit?q=x',
    ])
    const discovered = await ask('/.well-known/oauth-authorization-server')
    expect(JSON.parse(discovered.body)).toMatchObject({ issuer: proxied.origin })
    expect((await ask('/deposit')).headers['strict-transport-security']).toContain('max-age')
  })

  it('streams large files both ways, and keeps none of their bytes on its disk', async () => {
    await using proxied = await proxiedDaemons(1)
    const ask = await trustingClient(proxied.origin, proxied.certificate)
    const authorization = `Bearer ${await newToken(proxied.daemons[0])}`
    const created = await ask('/api/deposits/', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"title": "Large"}',
    })
    const { links } = JSON.parse(created.body) as { links: Readonly<Record<string, string>> }
    const path = `${new URL(links['bucket'] ?? '').pathname}/large.txt`

    const written = await ask(path, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/octet-stream' },
      body: Readable.from(pieces()),
    })
    expect(written.status).toBe(201)
    const read = await ask(path, { headers: { authorization } })

    expect(sha256(read.body)).toBe(sha256([...pieces()].join('')))
    expect(await proxied.nginx.complaints()).not.toContain('buffered to a temporary file')
  })

  it('refuses metrics and the routes of the local owner to requests from outside', async () => {
    await using proxied = await proxiedDaemons(1)
    const ask = await trustingClient(proxied.origin, proxied.certificate)

    for (const path of [
      '/metrics',
      '/metrics/',
      '//metrics',
      '/metrics?x',
      '/%6detrics/',
      '/local',
    ]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    }
    const refused = await ask('/local/ticket', { method: 'POST' })
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      404,
      expect.objectContaining({ status: 404, code: 'not_found' }),
    ])
    expect((await fetch(`${proxied.daemons[0]?.url}/metrics`)).status).toBe(200)
  })

  it('serves records with many files that have long names, and their packages', async () => {
    await using proxied = await proxiedDaemons(1)
    const ask = await trustingClient(proxied.origin, proxied.certificate)
    const authorization = `Bearer ${await newToken(proxied.daemons[0])}`
    const send = async (path: string, body: unknown) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const reply = await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
      return JSON.parse(reply.body) as { id: string; links: Record<string, string> }
    }
    const { id, links } = await send('/api/deposits', { title: 'Many' })
    const put = async (name: string) =>
      ask(`${new URL(links['bucket'] ?? '').pathname}/${encodeURIComponent(name)}`, {
        method: 'PUT',
        headers: { authorization, 'content-type': 'application/octet-stream' },
        body: name,
      })
    for (let file = 0; file < 30; file += 1) {
      expect((await put(`${'измерение/'.repeat(20)}${file}.csv`)).status).toBe(201)
    }
    const published = await ask(`/api/deposits/${id}/actions/publish`, {
      method: 'POST',
      headers: { authorization },
    })
    const record = (
      JSON.parse(published.body) as typeof published & { links: Record<string, string> }
    ).links['record_html']

    const page = await ask(new URL(record ?? '').pathname, { headers: { accept: 'text/html' } })

    expect(page.status).toBe(200)
    expect(String(page.headers['link']).length).toBeLessThan(2048)

    const path = `/api${new URL(record ?? '').pathname}/packages/zip`
    const direct = await fetch(`${proxied.daemons[0]?.url}${path}`)
    const whole = Buffer.from(await direct.arrayBuffer())
    const [sent, head] = [await ask(path), await ask(path, { method: 'HEAD' })]
    expect(whole.equals(sent.bytes)).toBe(true)
    for (const { status, headers } of [sent, head]) {
      expect([
        status,
        headers['content-length'],
        headers['etag'],
        headers['accept-ranges'],
      ]).toEqual([200, String(whole.length), direct.headers.get('etag'), 'bytes'])
    }
    const range = { range: 'bytes=1000-4999', 'if-range': direct.headers.get('etag') ?? '' }
    const part = await ask(path, { headers: range })
    expect([part.status, whole.subarray(1000, 5000).equals(part.bytes)]).toEqual([206, true])
  })

  it('answers in JSON when no daemon runs, with the request id of its log', async () => {
    await using proxied = await proxiedDaemons(1)
    const ask = await trustingClient(proxied.origin, proxied.certificate)
    const [daemon] = proxied.daemons
    const there = await ask('/health', { headers: { 'x-request-id': 'mine-12345' } })
    expect(there.headers['x-request-id']).toBe('mine-12345')
    if (daemon) process.kill(daemon.pid, 'SIGTERM')
    await expect.poll(async () => (await ask('/health')).status).toBe(502)

    const { status, headers, body } = await ask('/health')

    expect([status, headers['content-type'], headers['retry-after']]).toEqual([
      502,
      'application/json',
      '5',
    ])
    const problem = JSON.parse(body) as { readonly request_id: string }
    expect(problem).toMatchObject({ status: 502, code: 'overloaded' })
    expect(headers['x-request-id']).toBe(problem.request_id)
    await expect.poll(proxied.log).toContain(problem.request_id)
    expect(await proxied.log()).toMatch(/GET \/health 200 .* mine-12345$/m)
  })

  it('logs no query parameters, since they may be secret', async () => {
    await using proxied = await proxiedDaemons(1)
    const ask = await trustingClient(proxied.origin, proxied.certificate)
    await ask('/deposit?ticket=dep_dl_secret')

    await expect.poll(proxied.log).toContain('GET /deposit 200')
    expect(await proxied.log()).not.toContain('secret')
    expect(proxied.daemons[0]?.log()).not.toContain('dep_dl_secret')
  })

  it('answers a flood with 429, and serves bursts as usual', async () => {
    // Slow enough for a busy machine to send more.
    await using proxied = await proxiedDaemons(1, '1r/s')
    const ask = await trustingClient(proxied.origin, proxied.certificate)

    const burst = await statusesOf(ask, 100)
    expect(new Set(burst)).toEqual(new Set([200]))
    const flood = (await Promise.all([1, 2, 3, 4].map(() => statusesOf(ask, 200)))).flat()
    expect(new Set(flood)).toEqual(new Set([200, 429]))
  })

  it('fails no request, reading or changing, while one of two daemons is restarted', async () => {
    await using proxied = await proxiedDaemons(2)
    const ask = await trustingClient(proxied.origin, proxied.certificate)
    const statuses: string[] = []
    let isOver = false
    const clients = [1, 2, 3].map(async () => {
      while (!isOver) {
        const read = await ask('/api/records')
        // Both daemons accept this without knowing the token; no other change works at both of them.
        const revoked = await ask('/oauth/revocation', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'client_id=deposit-cli&token=unknown',
        })
        statuses.push(`GET ${read.status}`, `POST ${revoked.status}`)
      }
    })
    await expect.poll(() => statuses.length).toBeGreaterThan(10)
    const [gone] = proxied.daemons
    if (gone) process.kill(gone.pid, 'SIGTERM')
    const before = statuses.length
    await expect.poll(() => statuses.length).toBeGreaterThan(before + 30)
    isOver = true
    await Promise.all(clients)

    expect(new Set(statuses)).toEqual(new Set(['GET 200', 'POST 200']))
  })
})

/** 48 MB of text. */
function* pieces(): Generator<string> {
  for (let piece = 0; piece < 48; piece += 1) yield `${piece} `.repeat(333_334).slice(0, 1_000_000)
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

async function statusesOf(ask: Ask, count: number): Promise<readonly number[]> {
  const statuses: number[] = []
  const clients = Array.from({ length: 10 }, async () => {
    for (let sent = 0; sent < count / 10; sent += 1) statuses.push((await ask('/health')).status)
  })
  await Promise.all(clients)
  return statuses
}

interface Operated {
  readonly operate: (args: readonly string[]) => Promise<string>
}

async function newToken(daemon: Operated | undefined): Promise<string> {
  if (!daemon) throw new Error('no daemon was started')
  await daemon.operate(['user', 'add', 'ada@example.org'])
  const scope = 'deposit:write deposit:actions'
  const args = ['token', 'create', '--user', 'ada@example.org', '--scope', scope]
  return (await daemon.operate(args)).trim().split('\n').at(-1) ?? ''
}

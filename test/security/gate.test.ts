import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const paths = ['/api/deposits', '/deposit', '/device', '/oauth/jwks', '/nothing/here']
const wellKnown = '/.well-known/openid-configuration'

describe('the host of a request', () => {
  it.each([
    'evil.example',
    '127.0.0.1:80',
    '0.0.0.0:PORT',
    'localhost.:PORT',
    '127.1:PORT',
    '[::ffff:127.0.0.1]:PORT',
    'evil.localhost:PORT',
    'localhost:PORT.evil',
    'localhost:PORT@evil',
    '169.254.169.254',
    '2130706433:PORT',
    '',
  ])('is refused with 421, and the connection closed: %s', async (host) => {
    await using daemon = await testDaemon()

    for (const path of [...paths, wellKnown]) {
      const reply = await get(daemon, path, { host: host.replace('PORT', portOf(daemon)) })

      expect(reply.status).toBe(421)
      expect(reply.text).toMatch(/^connection: close/im)
      expect(reply.text).not.toMatch(/access-control/i)
    }
  })

  it('that is another one is told the public address, and none of this machine', async () => {
    const address = 'https://deposit.example.org'
    await using known = await testDaemon({ env: { DEPOSIT_PUBLIC_URL: address } })
    await using local = await testDaemon()

    const [told, silent] = [known, local].map((daemon) =>
      get(daemon, '/api/records', { host: 'old.example.org' }),
    )

    expect((await told)?.text).toContain(`Its address is ${address}.`)
    expect((await silent)?.text).not.toContain('address')
    expect((await silent)?.text).not.toContain(portOf(local))
  })

  it('is refused with 421 on every route and method if it is another host', async () => {
    await using daemon = await testDaemon()
    expect(daemon.routes.length).toBeGreaterThan(50)

    for (const { method, url } of daemon.routes) {
      // Probes may ask these under any name.
      if (url === '/health' || url === '/ready') continue
      const headers = { host: 'evil.example', connection: 'close', 'content-length': '0' }
      const reply = await rawRequest(daemon.origin, head(`${method} ${url}`, headers))

      expect([method, url, reply.status]).toEqual([method, url, 421])
    }
  })

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('can be %s', async (host) => {
    await using daemon = await testDaemon()

    const reply = await get(daemon, '/health', { host: `${host}:${portOf(daemon)}` })

    expect(reply.status).toBe(200)
  })

  it('of another name gets the status from /health, and nothing more', async () => {
    await using daemon = await testDaemon()

    const probe = await get(daemon, '/health', { host: 'pod-7.cluster.example' })
    const own = await get(daemon, '/health', { host: `localhost:${portOf(daemon)}` })

    expect(probe.text).toMatch(/\{"status":"ok"\}$/)
    expect(own.text).toMatch(/"status":"ok","version":"/)
  })

  it.each([
    ['192.0.2.7:9090', 200],
    ['[2001:db8::7]:9090', 200],
    ['prometheus.example:9090', 421],
  ])('may be an IP address for /metrics, but not another name: %s (%i)', async (host, status) => {
    await using daemon = await testDaemon()

    expect((await get(daemon, '/metrics', { host })).status).toBe(status)
  })

  it('is required exactly once', async () => {
    await using daemon = await testDaemon()
    const host = `Host: localhost:${portOf(daemon)}\r\n`
    const end = 'Connection: close\r\n\r\n'

    const without = await rawRequest(daemon.origin, `GET /health HTTP/1.1\r\n${end}`)
    const twice = await rawRequest(daemon.origin, `GET /health HTTP/1.1\r\n${host}${host}${end}`)
    const old = await rawRequest(daemon.origin, `GET /health HTTP/1.0\r\n${end}`)

    expect([without.status, twice.status, old.status]).toEqual([400, 400, 421])
  })

  it('may be part of the request target if it is ours', async () => {
    await using daemon = await testDaemon()
    const host = `localhost:${portOf(daemon)}`
    const ask = (target: string) =>
      rawRequest(daemon.origin, head(`GET ${target}`, { host, connection: 'close' }))

    expect((await ask(`http://${host}/health`)).status).toBe(200)
    expect((await ask('http://evil.example/health')).status).toBe(400)
  })
})

describe('the origin of a request', () => {
  it.each([
    'null',
    'http://evil.example',
    'http://localhost:3000',
    'https://localhost:PORT',
    'http://localhost:PORT.evil',
  ])('is refused with 403 for any method, without CORS headers: %s', async (origin) => {
    await using daemon = await testDaemon()
    const headers = { origin: origin.replace('PORT', portOf(daemon)) }

    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await send(method, `${daemon.url}/deposits/`, { headers })

      expect(reply.status).toBe(403)
      if (method !== 'HEAD') expect(reply.body).toMatchObject({ code: 'cross_origin' })
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([])
    }
  })

  it('can be our own, but a token is still needed', async () => {
    await using daemon = await testDaemon()
    const headers = { origin: daemon.origin }

    expect((await send('GET', `${daemon.url}/deposits/`, { headers })).status).toBe(401)
    const ada = await daemon.as('ada').get('/deposits/', headers)
    expect(ada.status).toBe(200)
  })
})

describe('the page a request comes from', () => {
  it.each(['cross-site', 'same-site'])('is refused at the interface if it is %s', async (site) => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')

    const read = await ada.get('/deposits/', { 'sec-fetch-site': site })
    const form = await ada.post('/deposits/', { headers: navigation(site), json: {} })

    expect([read.status, form.status]).toEqual([403, 403])
  })

  it('may link to pages and records, but not to the interface or a sign-in', async () => {
    await using daemon = await testDaemon()
    const follow = async (path: string): Promise<number> =>
      (await get(daemon, path, navigation('cross-site'))).status

    expect(await follow('/device')).toBe(200)
    expect(await follow('/api/records/1')).toBe(404)
    expect(await follow('/api/deposits/')).toBe(403)
    expect(await follow('/zenodo/api/deposit/depositions')).toBe(403)
    expect(await follow('/rdm/api/records')).toBe(403)
    expect(await follow('/oauth/auth?client_id=deposit-pages')).toBe(403)
    expect(await follow('/%61pi/deposits/')).toBe(403)
    expect(await follow('/%6detrics')).toBe(403)
    expect(await follow('/%6fauth/jwks')).toBe(403)
  })

  it('finds no route of the issuer under another spelling of its path', async () => {
    await using daemon = await testDaemon()

    const reply = await send('GET', `${daemon.origin}/%6fauth/jwks`)

    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it.each(['iframe', 'object', 'embed'])('cannot show our pages in an %s', async (dest) => {
    await using daemon = await testDaemon()

    for (const path of paths) {
      const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest }
      expect((await get(daemon, path, headers)).status).toBe(403)
    }
  })

  it.each(['script', 'style', 'image', 'audio', 'font', 'worker', 'manifest'])(
    'cannot load the interface as %s, nor anything of ours from another site',
    async (dest) => {
      await using daemon = await testDaemon()
      const load = async (path: string, site: string): Promise<number> => {
        const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': dest }
        return (await get(daemon, path, headers)).status
      }

      expect(await load('/api/deposits', 'same-origin')).toBe(403)
      expect(await load('/api/records', 'same-origin')).toBe(403)
      expect(await load('/zenodo/api/records/3', 'same-origin')).toBe(403)
      expect(await load('/rdm/api/records', 'same-origin')).toBe(403)
      for (const path of paths) {
        for (const site of ['same-site', 'cross-site']) expect(await load(path, site)).toBe(403)
      }
    },
  )
})

describe('the forwarding headers of a proxy', () => {
  const forged = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'host=evil.example;proto=https',
  }

  it('change no link if the proxy is not trusted', async () => {
    await using daemon = await testDaemon()

    const reply = await daemon.as('ada').post('/deposits/', { headers: forged, json: {} })
    const discovery = await send('GET', daemon.origin + wellKnown, { headers: forged })

    expect(reply.headers.get('location')).toMatch(`${daemon.url}/deposits/`)
    expect(discovery.body).toMatchObject({ issuer: daemon.origin })
    expect(JSON.stringify([reply.body, discovery.body])).not.toContain('evil')
  })

  it('never change a link if the service has a public address', async () => {
    const env = {
      DEPOSIT_PUBLIC_URL: 'https://deposit.example.org',
      DEPOSIT_TRUSTED_PROXIES: '127.0.0.1',
    }
    await using daemon = await testDaemon({ env })
    const headers = { ...forged, host: 'deposit.example.org' }

    const discovery = await get(daemon, wellKnown, headers)
    const refused = await get(daemon, '/api/deposits/', headers)

    expect(discovery.text).toContain('"https://deposit.example.org/oauth/token"')
    expect(refused.text).toContain(
      'resource_metadata="https://deposit.example.org/.well-known/oauth-protected-resource/api"',
    )
    expect(discovery.text + refused.text).not.toContain('evil')
  })
})

function portOf({ origin }: TestDaemon): string {
  return new URL(origin).port
}

function navigation(site: string) {
  return {
    'sec-fetch-site': site,
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  }
}

function get({ origin }: TestDaemon, path: string, headers: Readonly<Record<string, string>>) {
  const own = { host: new URL(origin).host, connection: 'close' }
  return rawRequest(origin, head(`GET ${path}`, { ...own, ...headers }))
}

import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const isPublic = {
  DEPOSIT_PUBLIC_URL: 'https://deposit.example.org',
  DEPOSIT_TRUSTED_PROXIES: '127.0.0.1',
}

describe('at a service with a public address', () => {
  it('an address may send twenty invalid tokens a minute; valid tokens and visitors still pass', async () => {
    await using daemon = await testDaemon({ env: isPublic })
    const ada = daemon.as('ada')
    const from = { 'x-forwarded-for': '203.0.113.7' }
    for (let count = 0; count < 20; count++) {
      expect((await knock(daemon, '203.0.113.7')).status).toBe(401)
    }

    const refused = await knock(daemon, '203.0.113.7')

    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await knock(daemon, '203.0.113.8')).status).toBe(401)
    expect((await ada.get('/me', from)).status).toBe(200)
    expect((await ada.post('/deposits/', { headers: from, json: {} })).status).toBe(201)
    expect((await ada.get('/records/', from)).status).toBe(200)
    expect((await daemon.visitor.get('/records/', from)).status).toBe(200)
  })

  it('the addresses of one IPv6 network are counted as one', async () => {
    await using daemon = await testDaemon({ env: isPublic })
    const hosts = ['1', '2:3', 'ffff:0:0:1', '0:0:0:abcd']
    for (let count = 0; count < 20; count++) {
      const host = hosts[count % hosts.length] ?? ''
      const head = host.includes(':0:') ? '2001:db8:0:7:' : '2001:db8:0:7::'
      expect((await knock(daemon, head + host)).status).toBe(401)
    }

    expect((await knock(daemon, '2001:db8::7:9:9:9:9')).status).toBe(429)
    expect((await knock(daemon, '2001:db8:0:8::1')).status).toBe(401)
  })

  it('an address is that of the connection if no proxy is trusted, despite its headers', async () => {
    const env = { DEPOSIT_PUBLIC_URL: isPublic.DEPOSIT_PUBLIC_URL }
    await using daemon = await testDaemon({ env })
    let from = 0
    const knockAnew = () => knock(daemon, `203.0.113.${(from += 1)}`)
    while (from < 20) expect((await knockAnew()).status).toBe(401)

    await expect.poll(knockAnew).toMatchObject({ status: 429 })
  })

  it('a user may make 600 changes a minute, can still read then, and delays no other user', async () => {
    await using daemon = await testDaemon({ env: isPublic })
    const ada = daemon.as('ada')
    const change = async (): Promise<number> => (await ada.put('/deposits/none', {})).status
    for (let count = 0; count < 60; count++) {
      const some = await Promise.all(Array.from({ length: 10 }, change))
      expect(new Set(some)).toEqual(new Set([404]))
    }

    expect(await change()).toBe(429)

    const other = daemon.as('ada', { scopes: ['deposit:write'] })
    expect((await other.put('/deposits/none', {})).status).toBe(429)
    expect((await ada.get('/deposits/')).status).toBe(200)
    expect((await daemon.as('bob').put('/deposits/none', {})).status).toBe(404)
  })

  it('those who hold links of a user may make 600 changes a minute together, and stop no one else', async () => {
    await using daemon = await testDaemon({ env: isPublic })
    const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]
    const first = await linkTo(daemon, ada, await ada.createDraft())
    const second = await linkTo(daemon, ada, await ada.createDraft())
    const other = await linkTo(daemon, bob, await bob.createDraft())
    const twin = await linkTo(daemon, ada, first.deposit)
    const all = [first, second, twin]
    for (let count = 0; count < 60; count++) {
      const some = await Promise.all(
        Array.from({ length: 10 }, async (_, at) => all[at % all.length]?.change()),
      )
      expect(new Set(some)).toEqual(new Set([412]))
    }

    for (const holder of all) expect(await holder.change()).toBe(429)
    // Another link gives no further changes.
    expect(await (await linkTo(daemon, ada, first.deposit)).change()).toBe(429)

    expect((await ada.put(`/deposits/${first.deposit.id}`, { title: 'Tides' })).status).toBe(200)
    expect(await other.change()).toBe(412)
  })
})

interface Holder {
  readonly deposit: DepositBody
  /** Answers the status of a change that is refused for its revision. */
  readonly change: () => Promise<number>
}

/** Makes a link by which somebody without an account edits a deposit. */
async function linkTo({ url }: TestDaemon, owner: User, deposit: DepositBody): Promise<Holder> {
  const path = `/deposits/${deposit.id}`
  const made = await owner.post(`${path}/links`, { json: { role: 'editor' } })
  const link = bodyOf<{ readonly url: string }>(made, 201)
  const cookie = `deposit_link=${new URL(link.url).searchParams.get('key')}`
  const headers = { cookie, 'if-match': '"999"' }
  const change = async () => (await send('PUT', url + path, { headers, json: {} })).status
  return { deposit, change }
}

describe('on the machine of its owner', () => {
  it('fast work is not refused', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const change = async (): Promise<number> => (await ada.put('/deposits/none', {})).status
    const seen = new Set<number>()
    for (let count = 0; count < 61; count++) {
      for (const status of await Promise.all(Array.from({ length: 10 }, change))) seen.add(status)
    }
    for (let count = 0; count < 30; count++) seen.add((await knock(daemon)).status)

    expect(seen).toEqual(new Set([404, 401]))
  })
})

/** Sends an invalid token, from the address that the proxy of the service reports. */
function knock({ url }: TestDaemon, from: string = '127.0.0.1') {
  const headers = { authorization: 'Bearer dep_pt_none', 'x-forwarded-for': from }
  return send('GET', `${url}/deposits/`, { headers })
}

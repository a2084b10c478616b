import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { trailOf } from '../support/trail.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

interface Link {
  readonly id: string
  readonly url: string
  readonly expires: string
}

const telling = {
  title: 'Sea level',
  description: 'Levels.',
  creators: [
    { name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097', affiliation: ['Analytical Society'] },
  ],
  contributors: [{ name: 'Babbage, Charles' }],
  funding: [{ funder: 'Royal Fund', award: 'RF-1815' }],
  publisher: 'Society Press',
  related_identifiers: [{ relation: 'IsPartOf', identifier: '10.1234/telling', scheme: 'doi' }],
  keywords: ['tides'],
  _contact: 'lovelace@example.org',
}
const tales =
  /Lovelace|Babbage|Analytical|0000-0002-1825-0097|Royal|RF-1815|Society|10\.1234|ada@|lovelace/i

async function linked(wanted: object = { role: 'reader' }) {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft(telling)
  await ada.addFile(draft, 'levels.csv', 'a,b\n1,2\n')
  const path = `/deposits/${draft.id}`
  const link = bodyOf<Link>(await ada.post(`${path}/links`, { json: wanted }), 201)
  const opened = await send('GET', link.url)
  const cookies = opened.headers.getSetCookie()
  const cookie = (cookies[0] ?? '').split(';', 1)[0] ?? ''
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    send('GET', url.startsWith('/') ? daemon.origin + url : url, {
      headers: { cookie, ...headers },
    })
  return { ada, draft, path, link, opened, cookies, cookie, get }
}

function cookieOf({ url }: Link): string {
  return `deposit_link=${new URL(url).searchParams.get('key')}`
}

describe('a link', () => {
  it('leads to the page of its deposit with cookies of that deposit alone', async () => {
    const { draft, opened, cookies, get } = await linked()
    expect(opened.status).toBe(303)
    expect(opened.headers.get('location')).toBe(`/deposit/${draft.id}`)
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
    expect(cookies.map((each) => /Path=([^;]*)/.exec(each)?.[1])).toEqual([
      `/deposit/${draft.id}`,
      `/api/deposits/${draft.id}`,
      new URL(draft.links['bucket'] ?? '').pathname,
    ])
    for (const each of cookies) expect(each).toMatch(/; SameSite=(?:Lax|Strict);.*HttpOnly/)

    const page = await get(`/deposit/${draft.id}`, { accept: 'text/html' })
    expect(page.bytes.toString()).toContain('Lovelace, Ada')
    expect(page.bytes.toString()).not.toContain('dep_sl_')
  })

  it('shows its secret once', async () => {
    const { ada, path, link } = await linked({ role: 'reader', label: 'Reviewer 2' })
    const listed = await ada.get(`${path}/links`)

    expect(listed.body).toMatchObject([{ id: link.id, label: 'Reviewer 2', role: 'reader' }])
    expect(listed.bytes.toString()).not.toContain('dep_sl_')
    const trail = await trailOf(daemon)
    const logs = join(daemon.home, 'logs')
    const names = await readdir(logs).catch(() => [])
    const texts = await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')))
    expect(trail).toContainEqual(
      expect.objectContaining({ who: `link:${link.id}`, what: 'opened a link' }),
    )
    expect(JSON.stringify(trail) + texts.join('')).not.toContain('dep_sl_')
  })

  it('that is opened again and again is one entry of the audit trail, and has a pace', async () => {
    const { link } = await linked()
    const statuses: number[] = []
    for (let batch = 0; batch < 10; batch += 1) {
      const openings = Array.from({ length: 62 }, () => send('GET', link.url))
      statuses.push(...(await Promise.all(openings)).map(({ status }) => status))
    }
    const late = await send('GET', link.url)
    const trail = (await trailOf(daemon)).filter(({ who }) => who === `link:${link.id}`)
    const times = trail.map((entry) => entry.times ?? 1)

    // One was opened before.
    expect(statuses.filter((status) => status === 303)).toHaveLength(599)
    expect(statuses.filter((status) => status === 429)).toHaveLength(21)
    expect(late.status).toBe(429)
    expect(late.bytes.toString()).toContain('This link was opened too often from your network')
    const wait = Number(late.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(times.reduce((sum, each) => sum + each, 0)).toBe(600)
    expect(trail.length).toBeLessThan(30)

    const other = await linked()
    expect(other.opened.status).toBe(303)
  })

  it('of an editor changes the document and files, and nothing else', async () => {
    const { path, cookie } = await linked({ role: 'editor' })
    const as = (method: string, below: string, json?: unknown) =>
      send(method, `${daemon.url}${path}${below}`, {
        headers: { cookie },
        ...(json !== undefined && { json }),
      })
    expect((await as('PUT', '', { title: 'Tides' })).status).toBe(200)
    expect((await as('DELETE', '/files/levels.csv')).status).toBe(204)
    expect((await as('POST', '/actions/publish')).status).toBe(403)
    expect((await as('DELETE', '')).status).toBe(403)
    expect((await as('GET', '/people')).status).toBe(403)
    expect((await as('POST', '/links', { role: 'reader' })).status).toBe(403)
  })

  it('shows where a review stands, and not who submitted or returned the draft, or their words', async () => {
    await using other = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
    const [bob, rolf] = [other.as('bob'), other.as('rolf', { roles: ['reviewer'] })]
    const draft = await bob.createDraftWith('levels.csv')
    const path = `/deposits/${draft.id}`
    const link = bodyOf<Link>(await bob.post(`${path}/links`, { json: { role: 'editor' } }), 201)
    bodyOf(await bob.post(`${path}/actions/submit`), 201)
    bodyOf(await rolf.post(`${path}/actions/return`, { json: { message: 'Say why.' } }), 201)

    const headers = { cookie: cookieOf(link) }
    const shown = await send('GET', other.url + path, { headers })
    const json = { title: 'Tides' }
    const changed = await send('PUT', other.url + path, { headers, json })
    for (const reply of [shown, changed]) {
      const { review } = bodyOf<{ readonly review: object }>(reply, 200)
      expect(review).toMatchObject({ state: 'returned' })
      expect(Object.keys(review).toSorted()).toEqual(['at', 'revision', 'state'])
    }
    expect((await bob.show(draft)).review).toMatchObject({ by: expect.any(String) as string })
  })

  it('that was revoked or has expired says so', async () => {
    const { ada, draft, path, link, get } = await linked()
    await ada.delete(`${path}/links/${link.id}`)
    const browser = { accept: 'text/html' }
    const [opened, page] = [
      await get(link.url, browser),
      await get(`/deposit/${draft.id}`, browser),
    ]

    expect([opened.status, page.status]).toEqual([410, 410])
    expect(page.bytes.toString()).toContain('expired or was revoked')
    expect((await get(`/api${path}`)).status).toBe(401)

    const expires = new Date(Date.now() + 10_000).toISOString()
    const short = await linked({ role: 'reader', expires })
    expect((await short.get(`/api${short.path}`)).status).toBe(200)
    await setTimeout(10_000)
    expect((await short.get(`/api${short.path}`)).status).toBe(401)
    expect((await short.get(short.link.url, browser)).status).toBe(410)
  })

  it('of a user who is disabled stops, and works again once they are enabled', async () => {
    const { draft, path, link, get } = await linked()
    const browser = { accept: 'text/html' }
    const statuses = async () => [
      (await get(`/api${path}`)).status,
      (await get(`${draft.links['bucket']}/levels.csv`)).status,
      (await get(`/deposit/${draft.id}`, browser)).status,
      (await get(link.url, browser)).status,
    ]
    const email = { email: 'ada@example.org' }
    expect(await statuses()).toEqual([200, 200, 200, 303])

    await daemon.operate('user disable', email)
    expect(await statuses()).toEqual([401, 401, 410, 410])
    const page = await get(`/deposit/${draft.id}`, browser)
    expect(page.bytes.toString()).toContain('may not share the deposit any more')

    await daemon.operate('user enable', email)
    expect(await statuses()).toEqual([200, 200, 200, 303])
  })

  it('of a user who is deleted stops for good, and leaves the list', async () => {
    const [root, bob] = [daemon.as('root', { admin: true }), daemon.as('bob')]
    const draft = await bob.createDraftWith('levels.csv')
    const links = `/deposits/${draft.id}/links`
    const made = await root.post(links, { json: { role: 'reader' } })
    const headers = { cookie: cookieOf(bodyOf<Link>(made, 201)) }
    const read = () => send('GET', `${daemon.url}/deposits/${draft.id}`, { headers })
    expect((await read()).status).toBe(200)

    const remove = ['user', 'delete', 'root@example.org', '--yes']
    expect(await runDepositd(daemon.home, remove)).toMatchObject({ status: 0 })

    expect((await read()).status).toBe(401)
    expect((await bob.get(links)).body).toEqual([])
  })

  it('of an administrator stops with their role, where they own nothing of it', async () => {
    const sue = daemon.as('sue', { admin: true })
    const draft = await daemon.as('bob').createDraft()
    const own = await sue.createDraft()
    const linkTo = async ({ id }: { readonly id: string }) => {
      const made = await sue.post(`/deposits/${id}/links`, { json: { role: 'reader' } })
      const headers = { cookie: cookieOf(bodyOf<Link>(made, 201)) }
      return async () => (await send('GET', `${daemon.url}/deposits/${id}`, { headers })).status
    }
    const [toBobs, toOwn] = [await linkTo(draft), await linkTo(own)]
    expect([await toBobs(), await toOwn()]).toEqual([200, 200])

    await daemon.operate('user admin', { email: 'sue@example.org', revoke: 'true', yes: 'true' })

    expect([await toBobs(), await toOwn()]).toEqual([401, 200])
  })

  it('ends in the future, and is anonymous for readers alone', async () => {
    const { ada, path } = await linked()
    const make = async (json: object) => (await ada.post(`${path}/links`, { json })).status

    expect(await make({ role: 'reader', expires: '2020-01-01' })).toBe(400)
    expect(await make({ role: 'reader', expires: 'soon' })).toBe(400)
    expect(await make({ role: 'owner' })).toBe(400)
    expect(await make({ role: 'editor', anonymous: true })).toBe(400)
  })

  it.each(['draft', 'published'])(
    'that is anonymous tells in no answer who made a %s',
    async (status) => {
      const { ada, draft, path, get } = await linked({ role: 'reader', anonymous: true })
      if (status === 'published') await ada.publish(draft)
      const { metadata } = await ada.show(draft)
      const record = String(metadata._deposit?.value ?? 'no record')
      const list = await get(`/api${path}/export`)
      const exports = bodyOf<readonly { readonly href: string }[]>(list, 200)
      const urls = [
        `/api${path}`,
        `/api${path}/files`,
        `/api${path}/files/levels.csv`,
        `/api${path}/packages`,
        `/api${path}/packages/zip`,
        `/deposit/${draft.id}`,
        ...exports.map(({ href }) => href),
        draft.links['bucket'] ?? '',
        `${draft.links['bucket']}/levels.csv`,
      ]
      expect(exports.length).toBeGreaterThan(10)
      for (const url of urls) {
        const { status: answered, bytes, headers } = await get(url, { accept: '*/*' })
        const told = bytes.toString() + JSON.stringify([...headers])
        expect([url, answered]).toEqual([url, 200])
        expect([url, tales.exec(told)?.[0]]).toEqual([url, undefined])
        expect([url, told.includes(record)]).toEqual([url, false])
        const owner = metadata._deposit?.owners?.[0] ?? ''
        expect([url, told.includes(owner)]).toEqual([url, false])
      }
      expect((await get(`/api${path}/people`)).status).toBe(403)
    },
  )
})

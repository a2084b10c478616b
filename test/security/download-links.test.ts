import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

interface Linked {
  readonly url: string
  readonly expires: string
}

interface Written {
  readonly version_id: string
  readonly links: { readonly download: string }
}

describe('a link that downloads a file', () => {
  it('needs no token, and works once', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)
    const { url, expires } = await linkOf(daemon, download)

    const replies = await Promise.all(Array.from({ length: 6 }, () => send('GET', url)))

    const [granted, ...others] = replies.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(granted?.bytes.toString()).toBe('secret bytes')
    expect(granted?.headers.get('content-disposition')).toContain('attachment')
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5)
    const seconds = (Date.parse(expires) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  it('is not used up by HEAD requests', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)
    const { url } = await linkOf(daemon, download)

    const looks = [await send('HEAD', url), await send('HEAD', url)]
    expect(looks.map(({ status }) => status)).toEqual([200, 200])
    expect((await send('GET', url)).bytes.toString()).toBe('secret bytes')
    expect((await send('HEAD', url)).status).toBe(401)
  })

  it('is not used up by an answer without bytes of the file', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)
    const { url } = await linkOf(daemon, download)
    const etag = (await send('HEAD', url)).headers.get('etag') ?? ''

    const unchanged = await send('GET', url, { headers: { 'if-none-match': etag } })
    const behind = await send('GET', url, { headers: { range: 'bytes=999-' } })
    const other = await send('GET', url, { headers: { 'if-match': '"other"' } })
    expect([unchanged, behind, other].map(({ status }) => status)).toEqual([304, 416, 412])

    const part = await send('GET', url, { headers: { range: 'bytes=0-5' } })
    expect(part.bytes.toString()).toBe('secret')
    const again = await send('GET', url)
    expect(again.status).toBe(401)
    expect(again.headers.get('repr-digest')).toBeNull()
    expect(again.headers.get('etag')).toBeNull()
  })

  it('is given only to callers who may read the file', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)

    expect((await send('POST', download)).status).toBe(401)
    expect((await daemon.as('eve').post(download)).status).toBe(403)
    expect((await daemon.as('root', { admin: true }).post(download)).status).toBe(201)
    expect((await daemon.as('ada', { scopes: [] }).post(download)).status).toBe(201)
  })

  it('is for one version of one file', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const { download, bucket } = await draftWithFile(daemon)
    await ada.send('PUT', `${bucket}/other.bin`, { body: 'other bytes' })
    const { url } = await linkOf(daemon, download)

    const elsewhere = url.replace('a.bin', 'other.bin')
    expect((await send('GET', elsewhere)).status).toBe(401)
    expect((await send('GET', url.replace(/versionId=[^&]+&/, ''))).status).toBe(401)
    expect((await send('GET', `${download}?ticket=nothing`)).status).toBe(401)
    // The link leads to the same version after a newer one is stored.
    await ada.send('PUT', download, { body: 'newer bytes' })
    expect((await send('GET', url)).bytes.toString()).toBe('secret bytes')
  })

  it('fails once its user has lost the right, and opens nothing else', async () => {
    await using daemon = await testDaemon()
    const { id, download, bucket } = await draftWithFile(daemon)
    const { url } = await linkOf(daemon, download)
    const ticket = new URL(url).searchParams.get('ticket') ?? ''

    expect((await send('GET', `${bucket}?ticket=${ticket}`)).status).toBe(401)
    expect((await send('DELETE', url)).status).toBe(401)
    const headers = { authorization: `Bearer ${ticket}` }
    expect((await send('GET', download, { headers })).status).toBe(401)
    await daemon.as('ada').delete(`/deposits/${id}`)
    expect((await send('GET', url)).status).toBe(404)
  })

  it('fails once its user was removed from the deposit', async () => {
    await using daemon = await testDaemon()
    const { id, download } = await draftWithFile(daemon)
    const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]
    await bob.get('/me')
    const json = { user: 'bob@example.org', role: 'reader' }
    const person = bodyOf<{ readonly id: string }>(
      await ada.post(`/deposits/${id}/people`, { json }),
      201,
    )
    const [kept, lost] = [await linkOf(daemon, download, bob), await linkOf(daemon, download, bob)]
    expect((await send('GET', kept.url)).status).toBe(200)

    await ada.delete(`/deposits/${id}/people/${person.id}`)

    expect((await send('GET', lost.url)).status).toBe(403)
  })

  it('fails once a role of the service was taken from its user', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
    const { id, download } = await draftWithFile(daemon)
    await daemon.as('ada').post(`/deposits/${id}/actions/submit`)
    for (const [name, take] of [
      [
        'root',
        () => daemon.operate('user admin', { ...byName('root'), revoke: 'true', yes: 'true' }),
      ],
      ['rolf', () => daemon.operate('role revoke', { ...byName('rolf'), role: 'reviewer' })],
    ] as const) {
      const user =
        name === 'root'
          ? daemon.as(name, { admin: true })
          : daemon.as(name, { roles: ['reviewer'] })
      const [kept, lost] = [
        await linkOf(daemon, download, user),
        await linkOf(daemon, download, user),
      ]
      expect([name, (await send('GET', kept.url)).status]).toEqual([name, 200])

      await take()

      expect([name, (await send('GET', lost.url)).status]).toEqual([name, 403])
    }
  })

  it('is refused once the token it was made with is revoked', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)
    const ada = daemon.as('ada')
    const made = await ada.post('/tokens/', { json: { name: 'laptop', scope: '' } })
    const { id, token } = bodyOf<{ readonly id: string; readonly token: string }>(made, 201)
    const headers = { authorization: `Bearer ${token}` }
    const { url } = bodyOf<Linked>(await send('POST', download, { headers }), 201)

    await ada.delete(`/tokens/${id}`)

    expect((await send('GET', url)).status).toBe(401)
  })

  it('is refused once its user is disabled', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)
    const { url } = await linkOf(daemon, download)

    await daemon.operate('user disable', { email: 'ada@example.org' })

    expect((await send('GET', url)).status).toBe(401)
  })

  it('is stored as a hash only: its secret is nowhere in the home of the daemon', async () => {
    await using daemon = await testDaemon()
    const { download } = await draftWithFile(daemon)
    const { url } = await linkOf(daemon, download)
    await send('GET', url)

    const ticket = new URL(url).searchParams.get('ticket') ?? ''
    expect(ticket).toMatch(/^dep_dl_[\w-]{43}$/)
    const entries = await readdir(daemon.home, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const contents = files.map(({ parentPath, name }) => readFile(join(parentPath, name)))
    expect((await Promise.all(contents)).some((bytes) => bytes.includes(ticket))).toBe(false)
    expect(contents.length).toBeGreaterThan(2)
  })
})

async function draftWithFile(daemon: TestDaemon) {
  const ada = daemon.as('ada')
  const { id, links } = await ada.createDraft({ title: 'Large' })
  const bucket = links['bucket'] ?? ''
  const written = await ada.send('PUT', `${bucket}/a.bin`, { body: 'secret bytes' })
  const { links: own } = bodyOf<Written>(written, 201)
  return { id, bucket, download: own.download.replace(/\?.*/, '') }
}

const byName = (name: string) => ({ email: `${name}@example.org` })

async function linkOf(
  daemon: TestDaemon,
  download: string,
  user: User = daemon.as('ada'),
): Promise<Linked> {
  const reply: Reply = await user.post(download)
  return bodyOf<Linked>(reply, 201)
}

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { initiateDeviceAuthorization } from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { packageNames } from '../../core/contract/exports.ts'
import { launchBrowser } from '../support/browser.ts'
import { balancer, type Balancer } from '../support/balancer.ts'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { commitCutter } from '../support/commit-cutter.ts'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { bodyOf, send } from '../support/http.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { hasS3, s3Credentials, startS3 } from '../support/s3.ts'
import { cliClient, cliScope, collectTokens, approveAsOwner } from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

describe.skipIf(!hasPostgres())('several daemons on the same database', () => {
  const stack = new AsyncDisposableStack()
  let server: PostgresServer
  let front: Balancer
  let one: TestDaemon
  let two: TestDaemon
  beforeAll(async () => {
    server = stack.use(await startPostgres())
    front = stack.use(await balancer())
    const env = {
      DEPOSIT_DATABASE_URL: await server.database(randomUUID()),
      DEPOSIT_PUBLIC_URL: front.origin,
    }
    one = stack.use(await testDaemon({ env }))
    two = stack.use(await testDaemon({ env }))
    for (const { origin } of [one, two]) await front.add(origin)
  })
  afterAll(() => stack.disposeAsync())

  /** The user of one daemon, as a client of the other. */
  const elsewhere = (user: User): User =>
    new User(two.url, async () => (await user.authorization())['authorization']?.slice(7))

  it('accept the same token until one of them revokes it', async () => {
    const ada = one.as('ada')
    const draft = await ada.createDraft()
    expect((await elsewhere(ada).get(`/deposits/${draft.id}`)).status).toBe(200)

    const made = await ada.post('/tokens/', { json: { name: 'short', scope: 'openid' } })
    const { id, token } = bodyOf<{ readonly id: string; readonly token: string }>(made, 201)
    const short = new User(two.url, async () => token)
    expect((await short.get('/deposits/')).status).toBe(200)
    expect((await ada.delete(`/tokens/${id}`)).status).toBe(204)
    expect((await short.get('/deposits/')).status).toBe(401)
  })

  it('make a change once when both of them get it at the same time', async () => {
    const ada = one.as('ada')
    const headers = { 'idempotency-key': randomUUID() }
    const sent = { headers, json: { title: 'Made once' } }
    const everywhere = [ada, elsewhere(ada), ada, elsewhere(ada)]
    const replies = await Promise.all(everywhere.map((user) => user.post('/deposits/', sent)))

    const made = replies.map((reply) => bodyOf<DepositBody>(reply, 201).id)
    expect(new Set(made).size).toBe(1)
    const replayed = replies.filter(({ headers: said }) => said.has('idempotency-replayed'))
    expect(replayed).toHaveLength(3)
  })

  it('sign in by the device flow, whichever daemon is asked', async () => {
    const client = await cliClient(front)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })
    await approveAsOwner(two, device.user_code)
    const { access_token: token } = await collectTokens(client, device)

    for (const { url } of [one, two]) {
      const user = new User(url, async () => token)
      expect((await user.get('/deposits/')).status).toBe(200)
    }
  })

  it('accept at one of them a form that the other has shown', async () => {
    const client = await cliClient(front)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })
    const shown = await send('POST', `${one.origin}/device`, form({ user_code: device.user_code }))
    const ticket = /name="ticket" value="([^"]+)"/.exec(shown.bytes.toString())?.[1] ?? ''
    const fields = { user_code: device.user_code, ticket, decision: 'deny' }
    const decided = await send('POST', `${two.origin}/device/approve`, form(fields))

    expect(decided.status).toBe(200)
    await expect(collectTokens(client, device)).rejects.toMatchObject({ error: 'access_denied' })
  })

  it('sign a browser in to the pages, whichever daemon is asked', async () => {
    await using browser = await launchBrowser()
    const page = await browser.newPage()
    const link = new URL(await one.operate('user add', { email: 'eve@example.org' }))
    await choosePassphrase(page, front.origin + link.pathname + link.search + link.hash)
    await page.goto(`${front.origin}/deposit`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address').fill('eve@example.org')
    await page.getByLabel('Passphrase').fill(passphrase)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByRole('link', { name: 'New deposit' }).waitFor()
    await page.waitForURL(`${front.origin}/deposit`)
  })

  it('are harvested and searched as one service', async () => {
    const titles = Array.from({ length: 205 }, (_, number) => `Level ${number}`)
    const owners = [one.as('ada'), two.as('ben')] as const
    const made: DepositBody[] = []
    // Few at a time: a busy machine refuses more with 503.
    while (made.length < titles.length) {
      const some = titles.slice(made.length, made.length + 10)
      const publish = (title: string, at: number) =>
        owners[at % 2 === 0 ? 0 : 1].createPublished({ title })
      made.push(...(await Promise.all(some.map(publish))))
    }
    const ask = async ({ origin }: TestDaemon, query: string): Promise<string> =>
      (await send('GET', `${origin}/oai?verb=ListIdentifiers&${query}`)).bytes.toString()
    const first = await ask(one, 'metadataPrefix=oai_dc')
    const token = /<resumptionToken[^>]*>([^<]+)</.exec(first)?.[1] ?? ''
    const rest = await ask(two, `resumptionToken=${token}`)
    const harvested = (first + rest).match(/(?<=<identifier>oai:[^:<]*:)[^<]+/g) ?? []

    const values = made.map(({ links }) => links['record']?.split('/').at(-1) ?? '')
    expect(new Set(harvested)).toEqual(new Set(values))
    expect(harvested).toHaveLength(values.length)
    for (const { origin } of [one, two]) {
      const page = await send('GET', `${origin}/records?q=%22Level+204%22`, {
        headers: { accept: 'text/html' },
      })
      expect(page.bytes.toString()).toContain('>Level 204</a>')
    }
  })

  it.skipIf(!hasS3())('send the same packages of a record whose bytes are in S3', async () => {
    await using bytes = await startS3()
    Object.assign(process.env, s3Credentials)
    const env = {
      DEPOSIT_STORAGE_URL: bytes.store(randomUUID()),
      DEPOSIT_DATABASE_URL: await server.database(randomUUID()),
      DEPOSIT_PUBLIC_URL: front.origin,
    }
    await using first = await testDaemon({ env })
    await using second = await testDaemon({ env })
    const ada = first.as('ada')
    const draft = await ada.createDraft({ title: 'Tides' })
    for (const name of ['a.csv', 'b/ä.csv', 'empty']) await ada.addFile(draft, name)
    const record = await ada.publish(draft)
    const path = `/api/records/${record.links['record']?.split('/').at(-1)}/packages`
    for (const name of packageNames) {
      const ask = ({ origin }: TestDaemon) => send('GET', `${origin}${path}/${name}`)
      const [here, there, again] = await Promise.all([first, second, first].map(ask))

      expect(here?.headers.get('etag')).toMatch(/^"/)
      for (const other of [there, again]) {
        expect(other?.headers.get('etag')).toBe(here?.headers.get('etag'))
        expect(other?.bytes.equals(here?.bytes ?? Buffer.alloc(0))).toBe(true)
      }
    }
  })

  it('open one draft of the next version, and publish one chain of versions', async () => {
    const ada = one.as('ada')
    const everywhere = [ada, elsewhere(ada), ada, elsewhere(ada)]
    const published = await ada.createPublished()
    const opened = await Promise.all(everywhere.map((user) => user.act(published, 'newversion')))

    const drafts = opened.map((reply) => bodyOf<DepositBody>(reply, 201).id)
    expect(new Set(drafts).size).toBe(1)
    const [id = ''] = drafts
    const replies = await Promise.all(everywhere.map((user) => user.act({ id }, 'publish')))
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1)
    const record = bodyOf<DepositBody>(await ada.get(published.links['record'] ?? ''), 200)
    const versions = await elsewhere(ada).get(`/records/${record.id}/versions`)
    expect(bodyOf<readonly unknown[]>(versions, 200)).toHaveLength(2)
  })

  it('keep the bytes of a change whose outcome is unknown', async () => {
    await using cutter = await commitCutter(await server.database(randomUUID()))
    await using daemon = await testDaemon({ env: { DEPOSIT_DATABASE_URL: cutter.url } })
    await using restarting = openPostgres(cutter.url, { connections: 1 })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    // This makes the server look like one that has crashed since the transaction was named.
    const crash = sql`select pg_stat_reset_shared('bgwriter')`
    cutter.cutNext('after', { run: () => crash.execute(restarting), with: 'a.bin' })
    const refused = await ada.putObject(draft, 'a.bin', 'x'.repeat(2_000_000))

    expect(refused.status).toBe(503)
    const [file] = await ada.files(draft)
    expect(file).toMatchObject({ filename: 'a.bin', filesize: 2_000_000 })
    const read = await ada.get(`/files/${draft.links['bucket']?.split('/').at(-1)}/a.bin`)
    expect([read.status, read.bytes.length]).toEqual([200, 2_000_000])
  })

  it('sign with the same keys', async () => {
    const [first, second] = await Promise.all(
      [one, two].map(async ({ origin }) => (await send('GET', `${origin}/oauth/jwks`)).body),
    )
    expect(first).toEqual(second)
  })

  it('count failed guesses together', async () => {
    const guess = ({ origin }: TestDaemon) =>
      send('POST', `${origin}/device`, form({ user_code: 'BBBB-BBBB' }))
    const statuses: number[] = []
    for (let count = 0; count < 8; count++)
      statuses.push((await guess(count % 2 ? one : two)).status)

    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(5)
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.at(-2)).toBe(429)
  })
})

function form(fields: Readonly<Record<string, string>>) {
  return { body: new URLSearchParams(fields) }
}

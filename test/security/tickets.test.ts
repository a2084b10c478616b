import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseUserId } from '../../core/index.ts'
import { oneTimeTickets } from '../../daemon/sign-in/identity/tickets.ts'
import { desktopBrowser, findChromium, launchBrowser } from '../support/browser.ts'
import { clockReading } from '../support/clock-reading.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { send } from '../support/http.ts'
import { startInstitution } from '../support/institution.ts'
import { asOwner } from '../support/owner.ts'
import { runCli } from '../support/run-cli.ts'
import { trailOf } from '../support/trail.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const hasChromium = (await findChromium()) !== undefined

interface Granted {
  readonly access_token: string
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a ticket of the owner', () => {
  it('gives one token of the owner, with both scopes, for an hour', async () => {
    await using daemon = await testDaemon()
    const ticket = await newTicket(daemon)

    const replies = await Promise.all(Array.from({ length: 8 }, () => redeem(daemon, ticket)))

    const [granted, ...others] = replies.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(7)
    expect(granted?.headers.get('cache-control')).toBe('no-store')
    expect(granted?.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
    const me = await whoIs(daemon, granted?.body as Granted)
    expect(me.body).toMatchObject({ scopes: ['deposit:write', 'deposit:actions'], admin: false })
  })

  it('signs in a browser, which is listed, and ended with all sign-ins; personal tokens stay', async () => {
    await using daemon = await testDaemon()
    const browsers: Granted[] = []
    for (let left = 3; left > 0; left -= 1)
      browsers.push((await redeem(daemon, await newTicket(daemon))).body as Granted)
    const [one, two, gone] = browsers as [Granted, Granted, Granted & { readonly token_id: string }]
    const as = ({ access_token: token }: Granted) => ({
      headers: { authorization: `Bearer ${token}` },
    })
    const user = `${userInfo().username}@localhost`
    const personal = await daemon.operate('token create', { user, scope: '', name: 'browser' })
    await send('DELETE', `${daemon.url}/tokens/${gone.token_id}`, as(gone))

    const listed = await send('GET', `${daemon.url}/sign-ins/`, as(one))
    const out = await send('DELETE', `${daemon.url}/sign-ins/`, as(one))

    expect(listed.body).toMatchObject([{ program: 'deposit-pages' }, { program: 'deposit-pages' }])
    expect(out.status).toBe(204)
    for (const browser of [one, two]) expect((await whoIs(daemon, browser)).status).toBe(401)
    expect((await whoIs(daemon, { access_token: personal })).status).toBe(200)
  })

  it('expires after a minute', () => {
    let now = '2026-11-20T12:00:00.000Z'
    const tickets = oneTimeTickets(clockReading(() => now))
    const user = parseUserId('ada')
    const [soon, late] = [tickets.issue(user), tickets.issue(user)]

    now = '2026-11-20T12:00:59.999Z'
    expect(tickets.redeem(soon)).toBe(user)
    now = '2026-11-20T12:01:00.000Z'
    expect(tickets.redeem(late)).toBeUndefined()
  })

  it('needs a proof of the key, and is not a token itself', async () => {
    await using daemon = await testDaemon()
    const asked = await send('POST', `${daemon.origin}/local/ticket`)
    const ticket = await newTicket(daemon)

    expect(asked.status).toBe(401)
    expect((await whoIs(daemon, { access_token: ticket })).status).toBe(401)
    expect((await redeem(daemon, 'x'.repeat(43))).status).toBe(401)
    const foreign = { headers: { origin: 'http://evil.example' }, json: { ticket } }
    expect((await send('POST', `${daemon.origin}/oauth/ticket`, foreign)).status).toBe(403)
    expect((await redeem(daemon, ticket)).status).toBe(200)
  })

  it('is recorded in the audit trail with its user when it is used', async () => {
    await using daemon = await testDaemon()
    const granted = (await redeem(daemon, await newTicket(daemon))).body as Granted
    const { user } = (await whoIs(daemon, granted)).body as { readonly user: string }

    expect(await trailOf(daemon)).toContainEqual(
      expect.objectContaining({ who: user, what: 'signed in to the pages by a ticket' }),
    )
  })
})

describe('deposit open', () => {
  it('gives the browser a file that only its user can read, and no ticket as an argument', async () => {
    await using daemon = await startDaemon()
    await using browser = await desktopBrowser()

    const { stdout, stderr, status, id } = await openDraft(daemon.home)

    const page = `${daemon.url}/deposit/${id}`
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${page}\n`, stderr: '' })
    const opened = await browser.opened()
    expect(opened).toMatch(/^file:\/\/\/\S+\/open-[\w-]+\.html$/)
    const file = fileURLToPath(opened)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const [, address = '', ticket = 'none'] =
      /content="0;url=(\S+#ticket=([\w-]{43}))"/.exec(await readFile(file, 'utf8')) ?? []
    expect(address).toBe(`${page}#ticket=${ticket}`)
    expect(stdout + stderr + daemon.log()).not.toContain(ticket)
  })

  it.skipIf(!hasChromium)('opens a page that is signed in', async () => {
    await using daemon = await startDaemon()
    await using handedTo = await desktopBrowser()
    await openDraft(daemon.home)
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(await handedTo.opened())

      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      expect(page.url()).not.toContain('ticket')
    } finally {
      await browser.close()
    }
  })

  it('advises --link, which prints an address that signs in once, if it can open no browser', async () => {
    await using daemon = await startDaemon()
    const environment = { DEPOSIT_HOME: daemon.home }
    const created = await runCli(['create', '--title', 'Tides', '--quiet'], { environment })
    const id = created.stdout.trim()

    const { stdout, stderr } = await runCli(['open', id], { environment, terminal: 80 })
    expect(stdout).toBe(`${daemon.url}/deposit/${id}\n`)
    const advice = /deposit (open \w+ --link)/.exec(stderr)?.[1] ?? ''
    const link = await runCli(advice.split(' '), { environment })

    const [, ticket = ''] = /#ticket=(\S+)\n$/.exec(link.stdout) ?? []
    const redeemed = await send('POST', `${daemon.url}/oauth/ticket`, { json: { ticket } })
    expect(redeemed.status).toBe(200)
    const token = await runCli(['token', 'create', '--scope', 'deposit:write'], { environment })
    const given = { ...environment, DEPOSIT_TOKEN: token.stdout.trim() }
    expect(await runCli(['open', id, '--link'], { environment: given })).toMatchObject({
      status: 2,
      stdout: '',
    })
  })

  it('opens the page even if an institution signs users in', async () => {
    await using institution = await startInstitution()
    await using daemon = await startDaemon(institution.env)
    await using browser = await desktopBrowser()
    const scope = ['--scope', 'deposit:write']
    await daemon.operate(['user', 'add', 'ada@example.org'])
    const made = await daemon.operate(['token', 'create', '--user', 'ada@example.org', ...scope])
    const token = made.trim().split('\n').at(-1) ?? ''
    await runCli(['login', '--with-token'], {
      environment: { DEPOSIT_HOME: daemon.home },
      stdin: token,
    })

    const { status, id } = await openDraft(daemon.home)

    expect(status).toBe(0)
    expect(await browser.opened()).toBe(`${daemon.url}/deposit/${id}`)
  })
})

async function newTicket({ origin, home }: TestDaemon): Promise<string> {
  const path = '/local/ticket'
  const { body } = await send('POST', origin + path, { headers: await asOwner(origin, home, path) })
  return (body as { readonly ticket: string }).ticket
}

function redeem({ origin }: TestDaemon, ticket: string) {
  return send('POST', `${origin}/oauth/ticket`, { json: { ticket } })
}

function whoIs({ url }: TestDaemon, { access_token: token }: Granted) {
  return send('GET', `${url}/me`, { headers: { authorization: `Bearer ${token}` } })
}

/** Opens the page of a new draft as a user at a terminal with a desktop. */
async function openDraft(home: string) {
  const environment = { DEPOSIT_HOME: home, DISPLAY: ':0' }
  const { stdout } = await runCli(['create', '--title', 'Tides', '--quiet'], { environment })
  const id = stdout.trim()
  return { id, ...(await runCli(['open', id], { environment, terminal: 80 })) }
}

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { approve, choosePassphrase, commandLine, enterCode, told } from '../support/colleague.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasNginx } from '../support/nginx.ts'
import { tlsProxy } from '../support/tls-proxy.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

describe('a colleague who was given an address and a link', () => {
  it('signs the command line in with a browser, deposits, and signs out', async () => {
    await using daemon = await startDaemon()
    await using user = await temporaryFolder()
    const deposit = commandLine(daemon.url, user.path)
    const page = await (await browser.newContext()).newPage()
    await choosePassphrase(page, await daemon.operate(['user', 'add', 'ada@example.org']))

    using login = deposit('login')
    const { address, code } = await told(login)
    await enterCode(page, address, code)
    await approve(page)

    expect(await login.ended).toMatchObject({ status: 0, stdout: '' })
    const who = await deposit('whoami').ended
    expect(who.stdout).toContain(`ada@example.org at ${daemon.url}\n`)
    expect(who.stdout).toContain('Scopes: deposit:write deposit:actions\n')
    const created = await deposit('create', '--title', 'Sea level', '--quiet').ended
    expect(await deposit('publish', created.stdout.trim()).ended).toMatchObject({ status: 0 })
    expect(await page.context().cookies()).toEqual([])
    expect(await deposit('logout').ended).toMatchObject({ status: 0 })
    expect(await deposit('whoami').ended).toMatchObject({ status: 4 })
  })

  it('gets exit status 4 and a reason if the sign-in is denied', async () => {
    await using daemon = await startDaemon()
    await using user = await temporaryFolder()
    const page = await browser.newPage()

    using login = commandLine(daemon.url, user.path)('login')
    const { address, code } = await told(login)
    await enterCode(page, address, code)
    await page.getByRole('button', { name: 'Deny' }).click()

    const { status, stderr } = await login.ended
    expect(status).toBe(4)
    expect(stderr).toContain('the sign-in was denied')
  })
})

describe.skipIf(!hasNginx())('a colleague behind the proxy of the manual', () => {
  it('signs in over TLS, and every address they are shown is the public one', async () => {
    await using proxy = await tlsProxy()
    const { origin, certificate } = proxy
    const names = { DEPOSIT_PUBLIC_URL: origin, DEPOSIT_TRUSTED_PROXIES: '127.0.0.1' }
    await using daemon = await startDaemon(names)
    await proxy.start(daemon.url)
    await using user = await temporaryFolder()
    const deposit = commandLine(origin, user.path, { NODE_EXTRA_CA_CERTS: certificate })
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await choosePassphrase(page, await daemon.operate(['user', 'add', 'ada@example.org']))

    using login = deposit('login')
    const { address, code } = await told(login)
    expect(address).toBe(`${origin}/device`)
    await enterCode(page, address, code)
    await approve(page)

    expect(await login.ended).toMatchObject({ status: 0 })
    const who = await deposit('whoami').ended
    expect(who.stdout).toContain(`ada@example.org at ${origin}\n`)
    const created = await deposit('create', '--title', 'Sea level', '--publish').ended
    expect(created.stdout).toMatch(`${origin}/records/`)
    const record = await page.goto(created.stdout.trim())
    expect(record?.headers()['strict-transport-security']).toBeDefined()
    expect(await page.context().cookies()).toEqual([])
  })
})

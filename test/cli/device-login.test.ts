import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { credentialsFile } from '../support/house.ts'
import { runCli } from '../support/run-cli.ts'
import { approveAsOwner, signInByDevice } from '../support/sign-in.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'

let daemon: DaemonProcess
/** Knows the daemon's address, but cannot read its home. */
let remote: { readonly DEPOSIT_HOME: string; readonly DEPOSIT_URL: string }

beforeAll(async () => {
  daemon = await startDaemon()
  remote = { DEPOSIT_HOME: `${daemon.home}/elsewhere`, DEPOSIT_URL: daemon.url }
})
afterAll(() => daemon[Symbol.asyncDispose]())
beforeEach(() => rm(credentialsFile, { force: true }))

interface Stored {
  readonly token: string
  readonly expires: string
  readonly refresh: string
  readonly issuer: string
}

async function stored(): Promise<Stored> {
  const all = JSON.parse(await readFile(credentialsFile, 'utf8')) as Record<string, Stored>
  const found = all[daemon.url]
  if (found === undefined) throw new Error('nothing is stored for the daemon')
  return found
}

/** A sign-in as stored by `deposit login`, but without waiting. */
async function signedIn(): Promise<Stored> {
  const { tokens } = await signInByDevice({ origin: daemon.url, home: daemon.home })
  const { access_token: token, refresh_token: refresh = '', expires_in: seconds = 0 } = tokens
  const expires = new Date(Date.now() + seconds * 1000).toISOString()
  const stored = { token, refresh, expires, issuer: `${daemon.url}/` }
  await change(stored)
  return stored
}

/** Signs in at another machine, approved by the owner of the daemon's machine. */
async function signIn(...args: readonly string[]) {
  using login = startDeposit(['login', ...args], remote)
  const [, code = ''] = await login.told(/code (\S+)/)
  await approveAsOwner({ origin: daemon.url, home: daemon.home }, code)
  return await login.ended
}

async function change(credential: Stored): Promise<void> {
  await mkdir(dirname(credentialsFile), { recursive: true })
  await writeFile(credentialsFile, JSON.stringify({ [daemon.url]: credential }), { mode: 0o600 })
}

describe('deposit login at another machine', () => {
  it('shows address and code, waits for approval and stores the sign-in', async () => {
    const { status, stdout, stderr } = await signIn()

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(
      /^Open http:\S+\/device\nand enter the code \w{4}-\w{4}\nSigned in at \S+ as \S+\n$/,
    )
    expect((await stat(credentialsFile)).mode & 0o777).toBe(0o600)
    const { stdout: shown } = await runCli(['whoami'], { environment: remote })
    expect(shown).toContain(`at ${daemon.url}\n`)
    expect(shown).toContain('Scopes: deposit:write deposit:actions\n')
    expect(shown).toMatch(/Until: \S+Z, then renewed by itself/)
  })

  it('asks for the scopes of --scope', async () => {
    await signIn('--scope', 'deposit:write')

    const { stdout } = await runCli(['whoami', '--json', 'scopes'], { environment: remote })

    expect(JSON.parse(stdout)).toEqual({ scopes: ['deposit:write'] })
  })

  it('refuses an unknown scope before any request', async () => {
    const { status, stderr } = await runCli(['login', '--scope', 'all'], { environment: remote })

    expect(status).toBe(2)
    expect(stderr).toContain('there is no scope "all"')
  })

  it('exits with 130 when interrupted, and stores nothing', async () => {
    using login = startDeposit(['login'], remote)
    await login.told(/code \S+/)
    login.kill('SIGINT')

    expect(await login.ended).toMatchObject({ status: 130, stdout: '' })
    await expect(readFile(credentialsFile)).rejects.toThrow('ENOENT')
  })

  it('does not sign in at a server that names another resource', async () => {
    await using server = await strangeServer((_request, response) =>
      answerJson(response, {
        resource: 'https://deposit.example.org/api',
        authorization_servers: ['https://issuer.example.org'],
      }),
    )
    const environment = { ...remote, DEPOSIT_URL: server.url }

    const { status, stderr } = await runCli(['login'], { environment })

    expect(status).toBe(1)
    expect(stderr).toContain('it says it is https://deposit.example.org/api')
    expect(server.requests).toHaveLength(1)
  })
})

describe('a sign-in', () => {
  it('is renewed silently, and only once for fifty concurrent commands', async () => {
    const before = await signedIn()
    await change({ ...before, expires: '2026-01-01T00:00:00.000Z' })

    const ended = await Promise.all(
      Array.from({ length: 50 }, async () => startDeposit(['list', '--quiet'], remote).ended),
    )

    expect(ended.filter(({ status, stderr }) => status !== 0 || stderr !== '')).toEqual([])
    expect((await stored()).token).not.toBe(before.token)
    expect(await runCli(['list'], { environment: remote })).toMatchObject({ status: 0 })
  })

  it('is renewed when the server refuses a token that has not expired', async () => {
    const before = await signedIn()
    await change({ ...before, token: 'dep_at_of-another-time' })

    const all = ['list', 'whoami', 'list'].map((name) => runCli([name], { environment: remote }))

    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([0, 0, 0])
  })

  it('is removed if it was ended at the server, with advice to sign in again', async () => {
    const before = await signedIn()
    await change({ ...before, expires: '2026-01-01T00:00:00.000Z', refresh: 'dep_rt_ended' })

    const { status, stdout, stderr } = await runCli(['list'], { environment: remote })

    expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
    expect(stderr).toContain('deposit login')
    await expect(stored()).rejects.toThrow('nothing is stored')
  })

  it('is revoked at the server by logout', async () => {
    const { token } = await signedIn()

    const { status, stderr } = await runCli(['logout'], { environment: remote })

    expect({ status, stderr }).toEqual({ status: 0, stderr: `Signed out of ${daemon.url}\n` })
    const environment = { ...remote, DEPOSIT_TOKEN: token }
    expect(await runCli(['list'], { environment })).toMatchObject({ status: 4 })
  })

  it('is listed, and ended alone, by its id or the beginning of it', async () => {
    const run = (...args: readonly string[]) => runCli(['logout', ...args], { environment: remote })
    const statusOf = async (held: string) =>
      (await runCli(['list'], { environment: { ...remote, DEPOSIT_TOKEN: held } })).status
    const idHere = async (): Promise<string> => {
      const all = JSON.parse((await run('--list', '--json')).stdout) as readonly {
        readonly id: string
        readonly current?: true
      }[]
      return all.find(({ current }) => current)?.id ?? ''
    }
    const { token: other } = await signedIn()
    const there = await idHere()
    const { token } = await signedIn()
    const here = await idHere()
    expect((await run('--list')).stdout).toMatch(new RegExp(`${here}\tdeposit-cli\t.*\tthis one`))

    expect(await run('--sign-in', there.slice(0, 5))).toMatchObject({ status: 3 })
    expect(await run('--sign-in', there, '--everywhere')).toMatchObject({ status: 2 })
    const planned = await run('--sign-in', there.slice(0, 8), '--dry-run')
    expect(planned.stderr).toContain('Would end the sign-in')
    expect(await statusOf(other)).toBe(0)
    const ended = await run('--sign-in', there.slice(0, 8))
    expect(ended.stderr).toMatch(/^Ended the sign-in of [\d-]+ in deposit-cli\n/)
    expect([await statusOf(other), await statusOf(token)]).toEqual([4, 0])

    expect(await run('--sign-in', here)).toMatchObject({ status: 0 })
    await expect(stored()).rejects.toThrow('nothing is stored')
  })

  it('is ended everywhere by logout --everywhere, on other machines too', async () => {
    const { token: other } = await signedIn()
    const { token } = await signedIn()

    const { status, stderr } = await runCli(['logout', '--everywhere'], { environment: remote })

    expect(status).toBe(0)
    expect(stderr).toContain('All your sign-ins have ended.')
    expect(stderr).toContain('deposit token list')
    expect(stderr).toContain(`Signed out of ${daemon.url}`)
    for (const each of [token, other]) {
      const environment = { ...remote, DEPOSIT_TOKEN: each }
      expect(await runCli(['list'], { environment })).toMatchObject({ status: 4 })
    }
  })
})

it('fails with "no answer" if the server stops during the request', async () => {
  await using server = await strangeServer((asked, response) => {
    const isMetadata = asked.url === '/.well-known/oauth-protected-resource/api'
    const body = { resource: `${server.url}/api`, authorization_servers: [server.url] }
    if (isMetadata) answerJson(response, body)
    else response.destroy()
  })
  const environment = { DEPOSIT_HOME: '/nonexistent', DEPOSIT_URL: server.url }

  const { status, stderr } = await runCli(['login'], { environment })

  expect(status).toBe(6)
  expect(stderr).toContain('the server that signs you in gave no answer')
})

describe('a server that names another issuer than that of the sign-in', () => {
  async function changed() {
    const other = await strangeServer((_asked, response) => answerJson(response, {}))
    const server = await strangeServer((asked, response) => {
      const isMetadata = asked.url === '/.well-known/oauth-protected-resource/api'
      const body = { resource: `${server.url}/api`, authorization_servers: [other.url] }
      answerJson(response, isMetadata ? body : {}, isMetadata ? 200 : 401)
    })
    const [token, expires] = ['old', '2001-01-01T00:00:00Z']
    const credential = {
      token,
      expires,
      refresh: 'of-the-institution',
      issuer: 'https://login.org/',
    }
    await mkdir(dirname(credentialsFile), { recursive: true })
    const stored = JSON.stringify({ [server.url]: credential })
    await writeFile(credentialsFile, stored, { mode: 0o600 })
    return {
      environment: { DEPOSIT_HOME: '/nonexistent', DEPOSIT_URL: server.url },
      other,
      stored,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]()
        await other[Symbol.asyncDispose]()
      },
    }
  }

  it('causes no request to that issuer; the message names it, and the sign-in is kept', async () => {
    await using world = await changed()

    const { status, stderr } = await runCli(['whoami'], { environment: world.environment })

    expect(status).toBe(4)
    expect(stderr).toContain(`is ${world.other.url}/ now, not https://login.org/`)
    expect(world.other.requests).toEqual([])
    expect(await readFile(credentialsFile, 'utf8')).toBe(world.stored)
  })

  it('gets no request from logout, which still removes the sign-in', async () => {
    await using world = await changed()

    const { status, stderr } = await runCli(['logout'], { environment: world.environment })

    expect(status).toBe(0)
    expect(stderr).toContain('The token could not be revoked at the server')
    expect(world.other.requests).toEqual([])
    expect(await readFile(credentialsFile, 'utf8')).toBe('{}\n')
  })
})

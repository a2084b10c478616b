import { readFile, rm } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { credentialsFile } from '../support/house.ts'
import { runCli } from '../support/run-cli.ts'

let daemon: DaemonProcess
/** Knows the daemon's address, but cannot read its home. */
let remote: { readonly DEPOSIT_HOME: string; readonly DEPOSIT_URL: string }
let local: { readonly DEPOSIT_HOME: string }

beforeAll(async () => {
  daemon = await startDaemon()
  local = { DEPOSIT_HOME: daemon.home }
  remote = { DEPOSIT_HOME: `${daemon.home}/elsewhere`, DEPOSIT_URL: daemon.url }
})
afterAll(() => daemon[Symbol.asyncDispose]())
beforeEach(() => rm(credentialsFile, { force: true }))

async function newToken(...args: readonly string[]): Promise<string> {
  await daemon.operate(['user', 'add', 'ada@example.org']).catch(() => undefined)
  const output = await daemon.operate(['token', 'create', '--user', 'ada@example.org', ...args])
  return output.trim().split('\n').at(-1) ?? ''
}

describe('at the local daemon', () => {
  it('the first command signs in by itself', async () => {
    const { status, stdout, stderr } = await runCli(['whoami'], { environment: local })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`at ${daemon.url}`)
    expect(stdout).toContain('deposit:write deposit:actions')
    expect(await readFile(credentialsFile, 'utf8')).toContain(daemon.url)
  })

  it('DEPOSIT_URL may name it', async () => {
    const environment = { ...local, DEPOSIT_URL: `${daemon.url}/api/` }

    expect(await runCli(['whoami'], { environment })).toMatchObject({ status: 0 })
  })

  it('an invalid stored token is replaced silently', async () => {
    await runCli(['whoami'], { environment: local })
    const output = await daemon.operate(['token', 'list'])
    for (const id of new Set(output.match(/\b[0-9a-f-]{36}\b/g)))
      await daemon.operate(['token', 'revoke', id]).catch(() => undefined)

    expect(await runCli(['list'], { environment: local })).toMatchObject({ status: 0 })
  })

  it('login and logout report their effect', async () => {
    const login = await runCli(['login'], { environment: local })
    const logout = await runCli(['logout'], { environment: local })
    const again = await runCli(['logout'], { environment: local })

    expect(login).toMatchObject({ status: 0, stdout: '' })
    expect(login.stderr).toContain(`Signed in at ${daemon.url}`)
    expect(logout).toEqual({ status: 0, stdout: '', stderr: `Signed out of ${daemon.url}\n` })
    expect(again.stderr).toContain('You were not signed in')
  })
})

describe('at another daemon', () => {
  it('commands exit with 4 without a sign-in, and advise how to sign in', async () => {
    for (const command of ['list', 'whoami']) {
      const { status, stdout, stderr } = await runCli([command], { environment: remote })

      expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
      expect(stderr).toContain('deposit login')
    }
  })

  it('DEPOSIT_TOKEN is used, and stored nowhere', async () => {
    const environment = { ...remote, DEPOSIT_TOKEN: await newToken('--scope', 'deposit:write') }
    const { stdout } = await runCli(['whoami'], { environment })

    expect(stdout).toContain('ada@example.org')
    await expect(readFile(credentialsFile)).rejects.toThrow('ENOENT')
  })

  it('an invalid DEPOSIT_TOKEN exits with 4', async () => {
    const environment = { ...local, DEPOSIT_TOKEN: 'wrong' }

    expect(await runCli(['list'], { environment })).toMatchObject({ status: 4, stdout: '' })
  })

  it('an expired DEPOSIT_TOKEN exits with 4, and advises how to replace it', async () => {
    const token = await newToken('--scope', 'deposit:write', '--expires', '1s')
    const environment = { ...remote, DEPOSIT_TOKEN: token }
    const outcomes = []
    do outcomes.push(await runCli(['list'], { environment }))
    while (outcomes.at(-1)?.status === 0)

    expect(outcomes.at(-1)).toMatchObject({ status: 4, stdout: '' })
    expect(outcomes.at(-1)?.stderr).toMatch(/expired .*\n {2}next: .*run `deposit login`/)
  })

  it('login --with-token stores a token that the server accepts, and no other', async () => {
    const token = await newToken('--scope', 'deposit:write')
    const options = { environment: remote }

    expect(await runCli(['login', '--with-token'], { ...options, stdin: 'wrong\n' })).toMatchObject(
      { status: 4 },
    )
    await expect(readFile(credentialsFile)).rejects.toThrow('ENOENT')
    expect(
      await runCli(['login', '--with-token'], { ...options, stdin: `${token}\n` }),
    ).toMatchObject({ status: 0 })
    expect(await runCli(['list'], options)).toMatchObject({ status: 0 })
    expect(await runCli(['login', '--with-token'], options)).toMatchObject({ status: 2 })
  })

  it('a token without the scope exits with 4 and names the scope', async () => {
    const environment = { ...remote, DEPOSIT_TOKEN: await newToken('--scope', 'deposit:write') }
    const { stdout } = await runCli(['create', '--title', 'x'], { environment })
    const { status, stderr } = await runCli(['publish', stdout.trim()], { environment })

    expect(status).toBe(4)
    expect(stderr).toContain('deposit:actions')
  })

  it("a command for another user's deposit exits with 1", async () => {
    const environment = { ...remote, DEPOSIT_TOKEN: await newToken('--scope', 'deposit:write') }
    const { stdout } = await runCli(['create', '-q'], { environment: local })

    expect(await runCli(['show', stdout.trim()], { environment })).toMatchObject({
      status: 1,
      stdout: '',
    })
  })
})

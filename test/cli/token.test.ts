import { describe, expect, it } from 'vitest'
import { daemonUrl, deposit, expectFailure, newDraft, useDaemon } from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'

useDaemon()

/** Runs a command that has only a token. */
function pipeline(token: string, ...args: readonly string[]) {
  const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: token }
  return runCli(args, { environment })
}

describe('deposit token create', () => {
  it('prints a token for one deposit that expires and cannot publish', async () => {
    const [id, other] = [await newDraft('--title', 'a'), await newDraft('--title', 'b')]

    const made = await deposit(
      `token create --scope deposit:write --deposit ${id.slice(0, 8)} --expires 30d`.split(' '),
    )

    expect(made.status).toBe(0)
    expect(made.stdout).toMatch(/^dep_pt_\S+\n$/)
    expect(made.stderr).toMatch(/^Token \S+ is good until \S+Z; it is shown only this once\n$/)
    const token = made.stdout.trim()
    expect(await pipeline(token, 'update', id, '--set', 'title=c')).toMatchObject({ status: 0 })
    expect(await pipeline(token, 'show', other)).toMatchObject({ status: 4 })
    expect(await pipeline(token, 'publish', id)).toMatchObject({ status: 4 })
    expect((await pipeline(token, 'whoami')).stdout).toContain(`Only for deposit: ${id}`)
  })

  it('makes tokens for a year by default', async () => {
    const create = ['token', 'create', '--scope', 'openid', '--json', 'created,expires']
    const { created, expires } = JSON.parse((await deposit(create)).stdout) as {
      readonly created: string
      readonly expires: string
    }
    expect((Date.parse(expires) - Date.parse(created)) / 86_400_000).toBeCloseTo(365, 1)
    const forever = await deposit([...create, '--expires', 'never'])
    expect(JSON.parse(forever.stdout)).toMatchObject({ expires: null })
  })

  it('makes no token with more rights than that of the request', async () => {
    const { stdout } = await deposit(['token', 'create', '--scope', 'deposit:write'])

    const { status, stderr } = await pipeline(
      stdout.trim(),
      'token',
      'create',
      '--scope',
      'deposit:actions',
    )

    expect(status).toBe(4)
    expect(stderr).toContain('deposit:actions')
  })

  it('refuses invalid options before any request', async () => {
    expectFailure(await deposit(['token', 'create']), 2, '--scope')
    expectFailure(await deposit(['token', 'create', '--scope', 'all']), 2, 'no scope "all"')
    const args = ['token', 'create', '--scope', 'openid', '--expires', 'soon']
    expectFailure(await deposit(args), 2, '"soon" is not a duration')
  })
})

describe('deposit token list and revoke', () => {
  it('show tokens without their values, and revoke them', async () => {
    const args = ['token', 'create', '--scope', 'openid', '--name', 'nightly', '--json']
    const { stdout } = await deposit(args)
    const { id, token } = JSON.parse(stdout) as { readonly id: string; readonly token: string }

    const { stdout: made } = await pipeline(token, 'token', 'create', '--scope', 'openid', '--json')
    const child = (JSON.parse(made) as { readonly id: string }).id
    const listed = await deposit(['token', 'list'])
    const revoked = await deposit(['token', 'revoke', id.slice(0, 8), child])

    expect(listed.stdout).toMatch(new RegExp(`${id}\tnightly\treads\tall\t20\\d\\d-`))
    expect(listed.stdout).not.toContain(token)
    expect(revoked).toEqual({ status: 0, stdout: '', stderr: `Revoked ${id}\nRevoked ${child}\n` })
    expect(listed.stdout).toMatch(new RegExp(`${child}\t.*\t${id}\n`))
    expect(await pipeline(token, 'list')).toMatchObject({ status: 4 })
    expectFailure(await deposit(['token', 'revoke', id]), 3, 'none of your tokens')
  })
})

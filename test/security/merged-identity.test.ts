import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { startInstitution } from '../support/institution.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** Ada of an institution, whose account is merged into a local one. */
async function begin(isDisabled: boolean) {
  await using stack = new AsyncDisposableStack()
  const institution = stack.use(await startInstitution())
  const daemon = stack.use(await testDaemon({ env: institution.env }))
  const address = 'ada@example.org'
  const signIn = async () => {
    const authorization = `Bearer ${await institution.mint({ claims: { email: address } })}`
    return send('GET', `${daemon.url}/me`, { headers: { authorization } })
  }
  const userOf = async () => bodyOf<{ readonly user: string }>(await signIn(), 200).user
  const before = await userOf()
  const stays = bodyOf<{ readonly user: string }>(await daemon.as('boss').get('/me'), 200).user
  if (isDisabled) await daemon.operate('user disable', { email: address })
  const merge = (...more: readonly string[]) =>
    operateHere(daemon.home, ['user', 'merge', address, 'boss@example.org', ...more])
  const kept = stack.move()
  const end = () => kept.disposeAsync()
  return { signIn, userOf, before, stays, merge, [Symbol.asyncDispose]: end }
}

describe('the identity at an issuer of a disabled account that is merged', () => {
  it('signs nobody in as the account that stays unless the operator says so', async () => {
    await using there = await begin(true)

    const refused = await there.merge()

    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('would sign in as boss@example.org')
    expect((await there.signIn()).status).toBe(401)
    expect((await there.merge('--with-identity', '--without-identity')).status).toBe(1)
    const merged = await there.merge('--with-identity')
    expect(merged).toMatchObject({ status: 0 })
    expect(await there.userOf()).toBe(there.stays)
  })

  it('is left behind where the operator says so, and gets an account of its own', async () => {
    await using there = await begin(true)

    const merged = await there.merge('--without-identity')

    expect(merged).toMatchObject({ status: 0 })
    expect(merged.stderr).toContain('gets a new account when it signs in again')
    const now = await there.userOf()
    expect([there.before, there.stays]).not.toContain(now)
  })
})

it('the identity of another account that is merged goes along', async () => {
  await using there = await begin(false)
  expect(await there.merge()).toMatchObject({ status: 0 })
  expect(await there.userOf()).toBe(there.stays)
})

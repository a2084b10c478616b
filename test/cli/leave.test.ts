import { afterAll, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]

/** Runs a command with the token of a user. */
async function run(user: User, ...args: readonly string[]) {
  const { authorization = '' } = await user.authorization()
  const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: authorization.slice(7) }
  return runCli(args, { environment })
}

it('deposit unshare --me gives up a role on the deposit of somebody else', async () => {
  const { id } = await ada.createDraft()
  await ada.post(`/deposits/${id}/people`, { json: { user: 'bob@example.org', role: 'reader' } })
  const left = await run(bob, 'unshare', id, '--me')

  expect([left.status, left.stderr]).toEqual([0, `You have no role on ${id} any more\n`])
  expect((await bob.get(`/deposits/${id}`)).status).toBe(403)
  const again = await run(bob, 'unshare', id, '--me')
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('You have no role')])
})

it('deposit unshare takes an address or --me, and not both', async () => {
  const { id } = await ada.createDraft()
  for (const args of [[id], [id, 'bob@example.org', '--me']]) {
    const { status, stderr } = await run(ada, 'unshare', ...args)
    expect([status, stderr]).toEqual([2, expect.stringContaining('or --me')])
  }
})

import { afterAll, describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import { advice } from '../../cli/advice.ts'
import { expectProblem } from '../support/problem.ts'
import { runCli } from '../support/run-cli.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

const eve = { user: 'eve@example.org' }

/** Everything that says who has which right on a deposit, on one that has some of each. */
async function setting() {
  const ada = daemon.as('ada')
  await daemon.as('eve').get('/me')
  const { id } = await ada.createDraft()
  const path = `/deposits/${id}`
  const bob = await ada.post(`${path}/people`, {
    json: { user: 'bob@example.org', role: 'reader' },
  })
  const link = await ada.post(`${path}/links`, { json: { role: 'reader' } })
  await ada.post(`${path}/transfer`, { json: { user: 'bob@example.org' } })
  const idOf = ({ body }: { readonly body: unknown }) => (body as { readonly id: string }).id
  const requests = (user: User) => [
    () => user.post(`${path}/people`, { json: { ...eve, role: 'owner' } }),
    () => user.post(`${path}/people`, { json: { user: 'bob@example.org', role: 'editor' } }),
    () => user.delete(`${path}/people/${idOf(bob)}`),
    () => user.post(`${path}/links`, { json: { role: 'editor' } }),
    () => user.delete(`${path}/links/${idOf(link)}`),
    () => user.post(`${path}/transfer`, { json: eve }),
    () => user.delete(`${path}/transfer`),
  ]
  const state = async () =>
    Promise.all(
      ['people', 'links', 'transfer'].map(async (part) => (await ada.get(`${path}/${part}`)).body),
    )
  return { ada, id, path, requests, state }
}

describe('rights over a deposit', () => {
  it('are given and taken by no token that cannot act: who has them could publish', async () => {
    const { requests, state, path } = await setting()
    const before = await state()
    const writer = daemon.as('ada', { scopes: [writeScope] })
    for (const send of requests(writer))
      expectProblem(await send(), 'insufficient_scope', /deposit:actions/)
    const actor = daemon.as('ada', { scopes: [actionsScope] })
    for (const send of requests(actor))
      expectProblem(await send(), 'insufficient_scope', /deposit:write/)

    expect(await state()).toEqual(before)
    expect((await daemon.as('eve').get(path)).status).toBe(403)
    for (const part of ['people', 'links', 'transfer'])
      expect((await writer.get(`${path}/${part}`)).status).toBe(200)
  })

  it('are given and taken by no token for one deposit', async () => {
    const { id, requests, state } = await setting()
    const before = await state()
    for (const narrow of [
      daemon.as('ada', { deposit: id }),
      daemon.as('root', { admin: true, deposit: id }),
    ])
      for (const send of requests(narrow))
        expectProblem(await send(), 'permission_denied', /single deposit changes no rights/)

    expect(await state()).toEqual(before)
  })

  it('are given and taken by a token of the whole account with both scopes', async () => {
    const { ada, requests } = await setting()
    for (const send of requests(ada)) expect((await send()).status).toBeOneOf([201, 204])
  })
})

it('deposit share tells how to get a token that may give rights', async () => {
  const ada = daemon.as('ada')
  const { id } = await ada.createDraft()
  const token = async (scope: string, more = {}) =>
    daemon.operate('token create', { user: 'ada@example.org', scope, expires: 'never', ...more })
  const both = `${writeScope} ${actionsScope}`
  const share = (given: string) =>
    runCli(['share', id, eve.user, '--role', 'owner'], {
      environment: { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: given },
    })

  for (const given of [await token(writeScope), await token(both, { deposit: id })]) {
    const refused = await share(given)
    expect(refused.status).toBe(4)
    expect(refused.stderr).toContain(advice.replaceToken())
  }
  // The token of the advice: with both scopes, for the whole account.
  expect(advice.replaceToken()).toContain(`--scope ${writeScope},${actionsScope}`)
  expect((await share(await token(both))).status).toBe(0)
})

import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
afterAll(() => daemon[Symbol.asyncDispose]())

const ada = daemon.as('ada')
const root = daemon.as('root', { admin: true })
/** As many clients send it: a type, and no body. */
const empty = { headers: { 'content-type': 'application/json' }, body: '' }

describe('A body that can be left out', () => {
  it('is none where it is empty, whatever its type', async () => {
    const { id } = await ada.createDraft()
    await ada.put(`/deposits/${id}`, { title: 'Tides' })
    const at = `/deposits/${id}/actions`
    expect((await ada.post(`${at}/undo`, empty)).status).toBeLessThan(300)
    const { revision } = bodyOf<DepositBody>(await ada.post(`${at}/submit`, empty), 201)
    const accepted = await root.post(`${at}/accept`, {
      ...empty,
      headers: { ...empty.headers, 'if-match': `"${revision}"` },
    })
    expect(accepted.status).toBe(202)
  })

  it('is malformed where it cannot be left out', async () => {
    const { id } = await ada.createDraft()
    for (const path of ['', `${id}/people`, `${id}/comments`, `${id}/actions/withdraw`]) {
      const refused = await ada.post(`/deposits/${path}`, empty)
      expect([path, refused.body]).toMatchObject([path, { code: 'malformed_json' }])
    }
  })
})

describe('A value that is none of a choice', () => {
  it('is refused with the choice', async () => {
    const { id } = await ada.createDraft()
    const json = { user: 'bob@example.org', role: 'boss' }
    const refused = await ada.post(`/deposits/${id}/people`, { json })

    expect([refused.status, refused.body]).toMatchObject([
      400,
      { errors: [{ field: '/role', message: 'must be one of owner, editor, reader' }] },
    ])
  })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

describe('the audit trail', () => {
  it('says who did what, when, from where, and names the request', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const { user } = (await ada.get('/me')).body as { readonly user: string }
    const { id } = await ada.createDraft()

    await ada.post(`/deposits/${id}/actions/publish`)

    // An entry is written once its answer is sent.
    const entries = expect.poll(() => trail(daemon))
    await entries.toContainEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      who: user,
      token: 'token',
      what: 'POST /api/deposits/:pid_value/actions/publish',
      on: `/api/deposits/${id}/actions/publish`,
      status: 202,
      from: '127.0.0.1',
      request_id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
    })
    await entries.toContainEqual(
      expect.objectContaining({ who: 'owner', what: 'depositd user add', status: 200 }),
    )
  })

  it('has who signed in, and who was refused', async () => {
    await using daemon = await testDaemon()
    await signInByDevice(daemon)
    const headers = { authorization: 'Bearer dep_pt_none' }

    await send('GET', `${daemon.url}/deposits/`, { headers })

    const entries = expect.poll(() => trail(daemon))
    await entries.toContainEqual(
      expect.objectContaining({ what: 'issued tokens (device_code)', on: 'deposit-cli' }),
    )
    await entries.toContainEqual(expect.objectContaining({ on: '/api/deposits/', status: 401 }))
  })
})

async function trail({ home }: TestDaemon): Promise<readonly unknown[]> {
  const lines = (await readFile(join(home, 'logs', 'audit.jsonl'), 'utf8')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as unknown)
}

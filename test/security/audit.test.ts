import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { advice } from '../../daemon/advice.ts'
import { listeningUrl, runDepositd, spawnDepositd } from '../support/depositd.ts'
import { send } from '../support/http.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { trailIn, trailOf, type Entry } from '../support/trail.ts'

describe('the audit trail', () => {
  it('records who did what, when and from where, with the id of the request', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const { user } = (await ada.get('/me')).body as { readonly user: string }
    const { id } = await ada.createDraft()

    await ada.post(`/deposits/${id}/actions/publish`)

    const entries = await trailOf(daemon)
    expect(entries).toContainEqual({
      id: expect.stringMatching(/^[\da-f]{28}$/) as unknown,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      who: user,
      email: 'ada@example.org',
      token: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
      what: 'POST /api/deposits/:pid_value/actions/publish',
      on: `/api/deposits/${id}/actions/publish`,
      deposit: id,
      was: 0,
      revision: 1,
      object: expect.stringMatching(/^record:/) as unknown,
      status: 202,
      from: '127.0.0.1',
      request_id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
    })
    expect(entries).toContainEqual(
      expect.objectContaining({
        who: 'owner',
        what: `depositd user add email=${user}`,
        object: `user:${user}`,
      }),
    )
  })

  it('names the deposits and files that were made, and how a deposit was deleted', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'tides é.csv', 'a')
    await ada.putObject(draft, 'levels.csv', 'b')
    await ada.delete(`/deposits/${draft.id}?force=false`)

    const entries = await trailOf(daemon, { deposit: draft.id })
    expect(entries).toHaveLength(4)
    expect(entries).toMatchObject([
      { on: '/api/deposits/', deposit: draft.id, revision: 0, status: 201 },
      { deposit: draft.id, was: 0, revision: 1, files: ['tides é.csv'], status: 201 },
      { deposit: draft.id, was: 1, revision: 2, files: ['levels.csv'] },
      { deposit: draft.id, on: `/api/deposits/${draft.id}?force=false`, status: 204 },
    ])
  })

  it('records successful and refused sign-ins', async () => {
    await using daemon = await testDaemon()
    await signInByDevice(daemon)
    const headers = { authorization: 'Bearer dep_pt_none' }

    await send('GET', `${daemon.url}/deposits/`, { headers })

    const entries = await trailOf(daemon)
    expect(entries).toContainEqual(
      expect.objectContaining({ what: 'issued tokens (device_code)', on: 'deposit-cli' }),
    )
    expect(entries).toContainEqual(expect.objectContaining({ on: '/api/deposits/', status: 401 }))
  })
})

describe('the audit trail of operator’s commands', () => {
  it('records each command with its options, with or without a daemon', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const email = 'ada@example.org'
    await runDepositd(home, ['init'])
    await runDepositd(home, ['user', 'add', email])
    await runDepositd(home, ['user', 'link', 'nobody@example.org'])
    const daemon = spawnDepositd(home, ['serve', '--port', '0'])
    await listeningUrl(daemon)
    await runDepositd(home, ['user', 'disable', email])
    await runDepositd(home, ['user', 'link', 'eve@example.org'])
    // Refusals are gathered for a while; whoever reads the trail has them written first.
    await trailIn(home)
    await runDepositd(home, ['check'])
    const to = 'postgres://me:secret@127.0.0.1:1/none'
    expect((await runDepositd(home, ['move', '--to', to])).status).toBe(75)
    daemon.kill()
    await daemon.ended
    await runDepositd(home, ['move', '--to', to])
    await runDepositd(home, ['restore', '/none'])
    await runDepositd(home, ['gc'])

    const moved = 'depositd move to=postgres://127.0.0.1:1/none'
    const found = await trailIn(home)
    const said = (entry: Entry): string =>
      `${entry.who}: ${entry.what} ${entry.failed ?? ''}`.trim()
    const id = /email=([\da-f-]{36})$/.exec(found[1]?.what ?? '')?.[1]

    expect(found.map(said)).toEqual([
      'owner: depositd init',
      `owner: depositd user add email=${id}`,
      'owner: depositd user link email=… There is no user … See depositd user list.',
      `owner: depositd user disable email=${id}`,
      'owner: depositd user link email=… There is no user … See depositd user list.',
      'owner: depositd audit',
      'owner: depositd check depth=full quarantine=true',
      expect.stringMatching(
        new RegExp(
          `^owner: ${moved} Another depositd uses ${home} \\(process \\d+, http.*\\)\\. ${advice.stopDaemon()}$`,
        ),
      ),
      `owner: ${moved} postgres://127.0.0.1:1/none cannot be reached: connect ECONNREFUSED 127.0.0.1:1.`,
      'owner: depositd restore source=/none /none is not a backup, or is incomplete.',
      'owner: depositd gc',
    ])
  })
})

it('A command that failed is told without the e-mail address in its message', async () => {
  await using daemon = await testDaemon()
  await daemon.operate('user disable', { email: 'nobody@example.org' }).catch(() => undefined)

  const entries = await trailOf(daemon)
  expect(entries.find(({ failed }) => failed !== undefined)?.failed).toContain('There is no user …')
  expect(JSON.stringify(entries)).not.toContain('nobody@example.org')
})

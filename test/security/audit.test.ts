import { readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { advice } from '../../daemon/advice.ts'
import { openAudit } from '../../daemon/http/audit.ts'
import { listeningUrl, runDepositd, spawnDepositd } from '../support/depositd.ts'
import { send } from '../support/http.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

describe('the audit trail', () => {
  it('is rotated once it is large, also when it is reopened', async () => {
    await using folder = await temporaryFolder()
    const reported: unknown[] = []
    using audit = await openAudit(folder.path, (error) => reported.push(error))
    const path = join(folder.path, 'audit.jsonl')
    await truncate(path, 64 * 1024 * 1024)
    audit.reopen()
    await expect.poll(async () => (await stat(path).catch(() => undefined))?.size).toBe(0)
    audit.note({ what: 'after' })

    const names = await readdir(folder.path)
    expect(names.toSorted()).toEqual([expect.stringMatching(/^audit-.+Z\.jsonl$/), 'audit.jsonl'])
    await expect.poll(() => readFile(path, 'utf8')).toContain('"after"')
    expect(reported).toEqual([])
  })

  it('continues in the open file when it cannot be reopened, and reports how to reopen it', async () => {
    await using folder = await temporaryFolder()
    const [logs, moved] = [join(folder.path, 'logs'), join(folder.path, 'moved')]
    const reported: unknown[] = []
    using audit = await openAudit(logs, (error) => reported.push(error))
    await rename(logs, moved)
    await writeFile(logs, 'no folder')
    for (let time = 0; time < 2; time += 1) audit.reopen()
    audit.note({ what: 'while it is away' })
    await rm(logs)
    audit.reopen()
    audit.note({ what: 'in its place' })

    const trail = (path: string): Promise<string> => readFile(join(path, 'audit.jsonl'), 'utf8')
    expect(await trail(moved)).toMatch(/^[^\n]*while it is away[^\n]*\n$/)
    expect(await trail(logs)).toMatch(/^[^\n]*in its place[^\n]*\n$/)
    const said = /cannot be opened again: .*logs.* kill -HUP \d+$/
    expect(reported.map((error) => said.test(String(error)))).toEqual([true, true])
  })

  it('records who did what, when and from where, with the id of the request', async () => {
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
      token_id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
      what: 'POST /api/deposits/:pid_value/actions/publish',
      on: `/api/deposits/${id}/actions/publish`,
      deposit: id,
      was: 0,
      revision: 1,
      made: `/api/deposits/${id}`,
      status: 202,
      from: '127.0.0.1',
      request_id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
    })
    await entries.toContainEqual(
      expect.objectContaining({
        who: 'owner',
        what: 'depositd user add email=ada@example.org',
        status: 200,
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

    const entries = expect.poll(() => trail(daemon))
    await entries.toContainEqual(
      expect.objectContaining({ on: '/api/deposits/', made: `/api/deposits/${draft.id}` }),
    )
    await entries.toContainEqual(
      expect.objectContaining({
        deposit: draft.id,
        made: `/api/deposits/${draft.id}/files/tides%20%C3%A9.csv`,
        was: 0,
        revision: 1,
      }),
    )
    await entries.toContainEqual(
      expect.objectContaining({
        deposit: draft.id,
        made: new URL(`${draft.links['bucket'] ?? ''}/levels.csv`).pathname,
      }),
    )
    await entries.toContainEqual(
      expect.objectContaining({ deposit: draft.id, on: `/api/deposits/${draft.id}?force=false` }),
    )
  })

  it('records successful and refused sign-ins', async () => {
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
    await runDepositd(home, ['check'])
    const to = 'postgres://me:secret@127.0.0.1:1/none'
    expect((await runDepositd(home, ['move', '--to', to])).status).toBe(75)
    daemon.kill()
    await daemon.ended
    await runDepositd(home, ['move', '--to', to])
    await runDepositd(home, ['restore', '/none'])
    await runDepositd(home, ['gc'])

    const moved = 'depositd move to=postgres://127.0.0.1:1/none'
    type Entry = { readonly who: string; readonly what: string; readonly failed?: string }
    const found = (await trail({ home })) as readonly Entry[]

    expect(found.map(({ who, what, failed = '' }) => `${who}: ${what} ${failed}`.trim())).toEqual([
      'owner: depositd init',
      `owner: depositd user add email=${email}`,
      'owner: depositd user link email=nobody@example.org There is no user nobody@example.org. See depositd user list.',
      `owner: depositd user disable email=${email}`,
      'owner: depositd user link email=eve@example.org There is no user eve@example.org. See depositd user list.',
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

async function trail({ home }: Pick<TestDaemon, 'home'>): Promise<readonly unknown[]> {
  const lines = (await readFile(join(home, 'logs', 'audit.jsonl'), 'utf8')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as unknown)
}

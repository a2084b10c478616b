import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'

const zenodo = remoteKinds['Zenodo of today']

describe('what a push tells', () => {
  it('of a correction that is not published is the page of the draft, which shows it', async () => {
    await using there = await pushedFolder(zenodo, await zenodo.start())
    await there.write('a.csv', '1')
    await there.push('--publish', '--yes')
    await there.describe('notes: Corrected\n')

    const { status, stdout } = await there.push()

    expect(status).toBe(0)
    expect(stdout).toMatch(/^http:\S+\/deposit\/\d+\n$/)
  })

  it('of one that is refused are the reasons, and nothing that would be sent', async () => {
    await using there = await pushedFolder(zenodo, await zenodo.start())
    await there.write('sub/a.csv', '1')

    const refused = await there.push()
    const planned = await there.push('--dry-run')

    expect([refused.status, planned.status]).toEqual([1, 1])
    expect(refused.stderr).toContain('nothing was sent')
    expect(refused.stderr).not.toMatch(/a draft on|sends/i)
    expect(planned.stderr).not.toMatch(/a draft on|send/i)
  })

  it('of a rehearsal in JSON is what it would send', async () => {
    await using there = await pushedFolder(zenodo, await zenodo.start())
    await there.write('a.csv', '1')

    const { stderr } = await there.push('--dry-run', '--json')

    expect(stderr).toContain('Would send 1 file (1 B)')
    expect(stderr).not.toContain('Sends')
  })

  it('are bytes once, also of a file that was sent a second time', async () => {
    await using there = await pushedFolder(zenodo, await zenodo.start())
    await there.write('a.csv', '1'.repeat(12))
    there.service.misbehave({ only: /^PUT \/api\/files\//, next: ['brokenJson'] })

    const { status, stderr } = await there.push('--progress', 'json')

    expect(status).toBe(0)
    expect(there.bytesSent()).toBe(24)
    const events = stderr.split('\n').filter((line) => line.includes('"progress"'))
    expect(events.at(-1)).toContain('"bytes":12,"bytes_total":12')
  })

  it('of a repository that does not answer is no fault of the token', async () => {
    const service = await zenodo.start()
    await using there = await pushedFolder(zenodo, service)
    const refused = await there.deposit(['remote', 'check', 'there'])
    const environment = { DEPOSIT_REMOTE_THERE_TOKEN: 'another-token' }
    const check = ['remote', 'check', 'there']
    const wrong = await runCli(check, { folder: there.dir, environment })
    service.misbehave({ shares: { lostAnswer: 1 } })
    const silent = await there.deposit(['remote', 'check', 'there', '--retries', '0'])

    expect(refused.status).toBe(0)
    expect(wrong.stderr).toMatch(/answers 401: .*[^.], request \w/)
    expect(silent.stderr).toMatch(/could not sign in to there\n {2}no answer from/)
  })
})

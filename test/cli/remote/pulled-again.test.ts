import { describe, expect, it, onTestFinished } from 'vitest'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'
import { testDaemon } from '../../support/test-daemon.ts'

const publish = ['--publish', '--yes'] as const

/** A record at a repository, and a service of ours that pulls it. */
async function begin() {
  const under = remoteKinds['Zenodo of today']
  const there = await pushedFolder(under, await under.start())
  onTestFinished(() => there[Symbol.asyncDispose]())
  const daemon = await testDaemon()
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  const ada = daemon.as('ada')
  const { authorization = '' } = await ada.authorization()
  const token = authorization.replace('Bearer ', '')
  const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: token }
  const run = (...args: readonly string[]) => runCli(args, { folder: there.dir, environment })
  await there.write('a.csv', '1')
  await there.write('b.csv', '2')
  const pushed = await there.push(...publish, '--json')
  const { remote } = JSON.parse(pushed.stdout) as { readonly remote: { readonly id: string } }
  const pull = (...more: readonly string[]) => run('pull', `there:${remote.id}`, ...more)
  return { there, run, pull }
}

describe('a record that is pulled again', () => {
  it('leaves its draft as it is, and says that changes in it stay', async () => {
    const { run, pull } = await begin()
    const planned = await pull('--dry-run')
    const first = await pull()
    const id = first.stdout.trim()
    expect(planned.stderr).toContain('Would make a draft of')
    expect(planned.stdout).toContain('a.csv')
    const next = await pull('--dry-run')
    expect(next).toMatchObject({ status: 0, stdout: '' })
    expect(next.stderr).toMatch(/There is a draft of \S+ already, \S+, which would stay as it is/)
    expect(next.stderr).toContain(id)
    expect(next.stderr).not.toContain('Would make')
    expect(JSON.parse((await pull('--dry-run', '--json')).stdout)).toMatchObject({ would: 'keep' })
    await run('update', id, '--set', 'title=Mine')
    expect(await run('rm', id, 'b.csv')).toMatchObject({ status: 0 })

    const again = await pull()
    expect(first.stderr).toContain('Made a draft of')
    expect(again).toMatchObject({ status: 0, stdout: first.stdout })
    expect(again.stderr).toContain(
      'already, which is as it was: changes that were made in the draft',
    )
    expect(again.stderr).not.toContain('Made a draft')
    expect((await run('show', id)).stdout).toContain('Mine')
    expect((await run('files', id)).stdout).not.toContain('b.csv')
  })

  it('is refused if it has changed there: a draft of it may be open where it is closed', async () => {
    const { there, pull } = await begin()
    const first = await pull()
    await there.describe('access: {files: restricted}\nnotes: Names\n')
    expect(await there.push(...publish)).toMatchObject({ status: 0 })

    for (const more of [['--dry-run'], []]) {
      const again = await pull(...more)
      expect(again).toMatchObject({ status: 5, stdout: '' })
      expect(again.stderr).toContain(`there is a draft of it already, ${first.stdout.trim()}`)
      expect(again.stderr).toMatch(/which differs by now: .*access/)
    }
  })
})

describe('a record that is pulled and pushed back', () => {
  it('gets no second record, and is continued by the advice', async () => {
    const { there, run, pull } = await begin()
    const id = (await pull()).stdout.trim()
    await run('update', id, '--set', 'title=Theirs and mine')
    const before = there.held()

    for (const more of [[], ['--dry-run'], publish]) {
      const refused = await run('push', id, '--to', 'there', ...more)
      expect(refused).toMatchObject({ status: 5, stdout: '' })
      expect(refused.stderr).toContain('which is there already')
    }
    expect(there.held()).toEqual(before)
    const refused = await run('push', id, '--to', 'there', ...publish)
    const [, command = ''] = / next: .*?`deposit (.*?)`/.exec(refused.stderr) ?? []
    expect(await run(...command.split(' '))).toMatchObject({ status: 0 })
    expect(there.held()).toHaveLength(1)
  })
})

it.each(['Zenodo of today', 'InvenioRDM'] as const)(
  'a pull of an earlier version says which one is the newest: %s',
  async (name) => {
    const under = remoteKinds[name]
    await using there = await pushedFolder(under, await under.start())
    await there.write('a.csv', '1')
    const [first, second] = [await there.push(...publish, '--json'), await next(there)].map(
      ({ stdout }) =>
        (JSON.parse(stdout) as { readonly remote: { readonly id: string } }).remote.id,
    )

    const earlier = await there.deposit(['pull', `there:${first}`, '--dry-run'])
    expect(earlier.stderr).toContain(`is not the newest version: ${second} is`)
    const newest = await there.deposit(['pull', `there:${second}`, '--dry-run'])
    expect(newest).toMatchObject({ status: 0 })
    expect(newest.stderr).not.toContain('is not the newest')
  },
)

async function next(there: PushedFolder) {
  await there.write('a.csv', '12')
  return there.push(...publish, '--new-version', '--json')
}

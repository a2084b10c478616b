import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'
import { demoToken } from '../../support/services/invenio/store.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'

const publish = ['--publish', '--yes'] as const

/** The command of the next step in a status. */
const nextIn = (stdout: string): readonly string[] =>
  (/\nNext: run `deposit (.*?)`/.exec(stdout)?.[1] ?? '').split(' ')

describe('the status of a pushed folder', () => {
  it.each(['Zenodo of today', 'InvenioRDM', 'Dataverse'] as const)(
    'leads from a correction that was begun there to one that is published: %s',
    async (name) => {
      const under = remoteKinds[name]
      await using there = await pushedFolder(under, await under.start())
      await there.write('a.csv', '1')
      await there.push(...publish)
      await there.describe('notes: Corrected\n')
      await there.push()

      const { stdout } = await there.deposit(['status'])
      expect(stdout).toContain('with a correction there that is not published')
      expect(await there.deposit([...nextIn(stdout), '--yes'])).toMatchObject({ status: 0 })
      const after = await there.deposit(['status', '--remotes'])
      expect(after.stdout).toMatch(/published as .*, level\n[^]*Nothing to do/)
      expect(there.held()).toHaveLength(1)
    },
  )

  it('asks by the name that it was pushed to, where two stand for one service', async () => {
    const bob = { token: 'token-of-bob', user: 2 }
    const service = await startZenodo({ limit: Infinity, tokens: [demoToken, bob] })
    await using there = await pushedFolder(remoteKinds['Zenodo of today'], service)
    await there.write('a.csv', '1')
    const add = ['remote', 'add', 'there-too', '--kind=zenodo', `--url=${service.url}`]
    const mine = { folder: there.dir, stdin: demoToken.token }
    await there.deposit(['remote', 'remove', 'there'])
    await runCli(add, { folder: there.dir, stdin: bob.token })
    await runCli(['remote', 'add', 'there', '--kind=zenodo', `--url=${service.url}`], mine)
    await there.push()

    const { stdout } = await there.deposit(['status', '--remotes'])
    expect(stdout).toMatch(/^Pushed: there, a draft, http\S+, level$/m)
    expect(await there.deposit([...nextIn(stdout), '--yes'])).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true }])
    await there.deposit(['remote', 'remove', 'there-too'])
  })

  it('tells that somebody edits the published dataset there, and does not publish that', async () => {
    const under = remoteKinds.Dataverse
    await using there = await pushedFolder(under, await under.start())
    await there.write('a.csv', '1')
    const pushed = await there.push(...publish, '--json')
    const { remote } = JSON.parse(pushed.stdout) as { readonly remote: { readonly id: string } }
    const value = { typeName: 'title', typeClass: 'primitive', multiple: false, value: 'Theirs' }
    const of = `persistentId=${encodeURIComponent(remote.id)}&replace=true`
    const edited = await fetch(
      `${there.service.url}/api/datasets/:persistentId/editMetadata?${of}`,
      {
        method: 'PUT',
        headers: { 'x-dataverse-key': under.token, 'content-type': 'application/json' },
        body: JSON.stringify({ fields: [value] }),
      },
    )
    expect(edited.ok).toBe(true)

    const { stdout } = await there.deposit(['status', '--remotes'])
    expect(stdout).toContain('which is being edited there, and not by a push')
    const told = await there.deposit(nextIn(stdout))
    expect(told.status).toBe(5)
    expect(told.stderr).toContain('publish or discard these changes')
  })
})

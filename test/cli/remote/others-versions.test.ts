import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'
import { demoToken } from '../../support/services/invenio/store.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'

const publish = ['--publish', '--yes'] as const

type Send = (method: string, path: string, json?: object) => Promise<Shown>
interface Shown {
  readonly id: string | number
  readonly metadata: object
  readonly links: Readonly<Record<string, string>>
}

/** How a co-author publishes a version in the browser; the identifier is that of the record before. */
const inBrowser: Readonly<Record<string, (send: Send, id: string) => Promise<unknown>>> = {
  InvenioRDM: async (send, id) => {
    const draft = await send('POST', `/api/records/${id}/versions`)
    const own = `/api/records/${draft.id}/draft`
    await send('POST', `${own}/actions/files-import`)
    await send('PUT', own, { metadata: { ...draft.metadata, publication_date: '2026-02-03' } })
    await send('POST', `${own}/actions/publish`)
  },
  Dataverse: async (send, id) => {
    const at = `/api/datasets/:persistentId`
    const of = `persistentId=${encodeURIComponent(id)}`
    const value = { typeName: 'title', typeClass: 'primitive', multiple: false, value: 'Theirs' }
    await send('PUT', `${at}/editMetadata?${of}&replace=true`, { fields: [value] })
    await send('POST', `${at}/actions/:publish?${of}&type=major`)
  },
  figshare: async (send, id) => {
    await send('PUT', `/v2/account/articles/${id}`, { description: 'Theirs' })
    await send('POST', `/v2/account/articles/${id}/publish`)
  },
}

const headersOf = { InvenioRDM: 'authorization', Dataverse: 'x-dataverse-key', figshare: 'token' }

function sender({ service }: PushedFolder, name: keyof typeof headersOf): Send {
  const { token } = remoteKinds[name]
  const header = headersOf[name]
  const sent =
    header === 'x-dataverse-key'
      ? { [header]: token }
      : { authorization: `${header === 'token' ? 'token' : 'Bearer'} ${token}` }
  return async (method, path, json) => {
    const body = json && JSON.stringify(json)
    const headers = { ...sent, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body }) })
    expect({ path, isFine: answer.ok }).toEqual({ path, isFine: true })
    return (await answer.json().catch(() => ({}))) as Shown
  }
}

/** All that a service holds; a search is late by so many requests. */
const stateOf = ({ service }: PushedFolder): string =>
  JSON.stringify(service.state()).replaceAll(/"unindexed":-?\d+/g, '')

describe('a version that others published there', () => {
  it.each(['InvenioRDM', 'Dataverse', 'figshare'] as const)(
    'is not overwritten, and what it has is told: %s',
    async (name) => {
      const under = remoteKinds[name]
      await using there = await pushedFolder(under, await under.start())
      await there.write('a.csv', '1')
      const first = await there.push(...publish, '--json')
      const { remote } = JSON.parse(first.stdout) as { readonly remote: { readonly id: string } }
      await inBrowser[name]?.(sender(there, name), remote.id)
      const before = stateOf(there)
      // Nothing has changed here, which makes theirs none of ours.
      await there.push(...publish)
      await there.write('a.csv', '12')

      const refused = await there.push(...publish, '--new-version')
      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('which was not pushed from here')
      expect(stateOf(there)).toBe(before)

      const [, command = ''] = /run `deposit (.*--of \S+)`/.exec(refused.stderr) ?? []
      const after = await there.deposit(command.split(' '))
      expect(after).toMatchObject({ status: 0 })
      expect(there.held().at(-1)).toMatchObject({ isPublished: true })
      expect(there.held()).toHaveLength('versionsInOne' in under ? 1 : 3)
      const again = await there.push(...publish, '--new-version')
      expect(again).toMatchObject({ status: 0, stdout: after.stdout })
    },
  )

  it.each(['Dataverse', 'figshare'] as const)(
    'is not overwritten either while it is a draft: %s',
    async (name) => {
      const under = remoteKinds[name]
      await using there = await pushedFolder(under, await under.start())
      await there.write('a.csv', '1')
      const first = await there.push(...publish, '--json')
      const { remote } = JSON.parse(first.stdout) as { readonly remote: { readonly id: string } }
      const send = sender(there, name)
      const draftOnly: Send = async (method, path, json) =>
        path.includes('publish') ? { id: '', metadata: {}, links: {} } : send(method, path, json)
      await inBrowser[name]?.(draftOnly, remote.id)
      const before = stateOf(there)
      await there.write('a.csv', '12')

      const refused = await there.push(...publish, '--new-version')
      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('it is being edited there')
      expect(stateOf(there)).toBe(before)
    },
  )
})

describe('a journal that came with a folder of somebody else', () => {
  it('does not continue a record with another title and other files', async () => {
    const under = remoteKinds['Zenodo of today']
    await using there = await pushedFolder(under, await under.start())
    await there.write('a.csv', 'mine')
    await there.push('--journal', '../mine', ...publish)
    const before = stateOf(there)
    await cp(join(there.dir, '../mine'), join(there.dir, '../theirs'), { recursive: true })
    await there.write(
      'metadata.yaml',
      'title: Winds\ncreators: [{name: Bob}]\nresource_type: dataset\nlicense: CC0-1.0\n',
    )
    await there.write('a.csv', 'theirs')

    const refused = await there.push('--journal', '../theirs', ...publish, '--new-version')
    expect(refused.status).toBe(5)
    expect(refused.stderr).toContain('"Tides at the pier", which has another title')
    expect(stateOf(there)).toBe(before)

    // The record that it is, as the message says.
    const [, command = ''] = /run `deposit (.*--of \S+)`/.exec(refused.stderr) ?? []
    expect(await there.deposit(command.split(' '))).toMatchObject({ status: 0 })
    expect(there.held()).toHaveLength(2)
  })

  it('needs more than a license that both have, or half of the files under another title', async () => {
    const under = remoteKinds['Zenodo of today']
    await using there = await pushedFolder(under, await under.start())
    for (const name of ['LICENSE', 'README.md', 'a.csv', 'b.csv', 'c.csv'])
      await there.write(name, '1')
    await there.push('--journal', '../mine', ...publish)
    const before = stateOf(there)
    await there.write(
      'metadata.yaml',
      'title: Winds\ncreators: [{name: Bob}]\nresource_type: dataset\nlicense: CC0-1.0\n',
    )
    await there.write('b.csv', 'of the winds')
    await there.write('c.csv', 'of the winds')

    const refused = await there.push('--journal', '../mine', ...publish, '--new-version')
    expect(refused.status).toBe(5)
    expect(refused.stderr).toContain('fewer than half of its files are here')
    expect(stateOf(there)).toBe(before)

    await there.write('c.csv', '1')
    const renamed = await there.push('--journal', '../mine', ...publish, '--new-version')
    expect(renamed).toMatchObject({ status: 0 })
    expect(there.held()).toHaveLength(2)
  })

  it('continues no record of another account', async () => {
    const other = { token: 'of-another', user: 2 }
    const service = await startZenodo({ limit: Infinity, tokens: [demoToken, other] })
    await using there = await pushedFolder(remoteKinds['Zenodo of today'], service)
    await there.write('a.csv', '1')
    const at = ['push', '--to', 'there', '--journal', '../theirs', ...publish]
    const environment = { DEPOSIT_REMOTE_THERE_TOKEN: other.token }
    expect(await runCli(at, { folder: there.dir, environment })).toMatchObject({ status: 0 })
    const before = service.state()
    await there.write('a.csv', '12')

    const refused = await there.deposit([...at, '--new-version'])
    expect(refused.status).toBe(3)
    expect(refused.stderr).toContain('or is of another account')
    expect(refused.stderr).toContain('--of ADDRESS')
    expect(service.state()).toEqual(before)
  })
})

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { runCli } from '../../support/run-cli.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const kind = remoteKinds['Zenodo of today']
const described = {
  title: 'Tides',
  creators: [{ name: 'Ada' }],
  publication_date: '2026',
  resource_type: 'dataset',
  license: 'CC0-1.0',
  description: 'Levels',
}

/** As the service shows it. */
interface Draft {
  readonly id: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A folder, a table of it, and a remote. */
async function openPlace() {
  if (kind === undefined) throw new Error('there is no such kind')
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await kind.start())
  const folder = stack.use(await temporaryFolder({ 'data/a.csv': '1', 'rows.csv': '' }))
  const name = `c${randomUUID().slice(0, 8)}`
  const run = (...args: readonly string[]) =>
    runCli(args, { folder: folder.path, stdin: kind.token })
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  const ends = stack.move()
  return {
    folder: folder.path,
    service,
    held: () => kind.held(service.state()),
    draft: (...args: readonly string[]) => run('push', 'data', '--to', name, ...args),
    run: (...args: readonly string[]) => run(...args, '--to', name, '--publish', '--yes'),
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  }
}

describe('data that say they are closed, in words that close nothing', () => {
  it.for<[field: string, said: object]>([
    ['/access', { access: 'restricted' }],
    ['/accessRights', { accessRights: 'restricted' }],
    ['/access/files', { access: { files: 'closed' } }],
    ['/access/files', { access: { files: 'Restricted' } }],
    ['/access', { access: { file: 'restricted' } }],
    ['/acces', { acces: { files: 'restricted' } }],
    ['/access_right', { access_right: 'embargoed', embargo_date: '2999-01-01' }],
    ['/access', { access: { record: 'restricted', files: 'public' } }],
    ['/acess', { acess: { files: 'restricted', until: '2999-01-01' } }],
    ['/aces', { aces: { files: 'restricted' } }],
    ['/acccess', { acccess: ['me'] }],
    ['/axcess', { axcess: true }],
    ['/files', { files: 'restricted' }],
    ['/remark', { remark: { on: [{ files: 'Closed access' }] } }],
    ['/zenodo/access_right', { zenodo: { access_right: 'restricted' } }],
  ])('are not published at a repository: %s', async ([field, said]) => {
    await using place = await openPlace()
    const path = join(place.folder, 'data', 'metadata.json')
    await writeFile(path, JSON.stringify({ ...described, ...said }))

    const drafted = await place.draft('--dry-run')
    expect(drafted).toMatchObject({ status: 0 })
    expect(drafted.stderr).toContain(`warning: ${field}: `)

    const refused = await place.run('push', 'data')
    expect(refused.status).not.toBe(0)
    expect(refused.stderr).toContain(`${field}: `)
    expect(refused.stderr).toMatch(
      /write (?:(?:at the top of the document, )?in place of the field: )?access: \{files: restricted/,
    )
    expect(place.held()).toEqual([])

    // What the message says to write.
    await writeFile(path, JSON.stringify({ ...described, access: { files: 'public' } }))
    expect(await place.run('push', 'data')).toMatchObject({ status: 0 })
    expect(place.held()).toHaveLength(1)
  })

  it('are not looked for in other words, or where access is closed anyway', async () => {
    await using place = await openPlace()
    const path = join(place.folder, 'data', 'metadata.json')
    const said = { success: 'high', address: 'Pier 1', remark: 'The valve was closed.' }
    await writeFile(path, JSON.stringify({ ...described, ...said }))
    expect((await place.draft('--dry-run')).stderr).not.toContain('warning:')
    const closed = { access: { files: 'restricted' }, remark: 'restricted' }
    await writeFile(path, JSON.stringify({ ...described, ...closed }))
    expect((await place.draft('--dry-run')).stderr).not.toContain('/remark: it says')
  })

  it('stay closed where somebody opened the draft there', async () => {
    await using place = await openPlace()
    const path = join(place.folder, 'data', 'metadata.json')
    const closed = { ...described, access: { files: 'restricted', until: '2999-01-01' } }
    await writeFile(path, JSON.stringify(closed))
    expect(await place.draft()).toMatchObject({ status: 0 })
    const [item] = place.service.state() as readonly Draft[]
    const url = `${place.service.url}/api/deposit/depositions/${item?.id}`
    const headers = { authorization: `Bearer ${kind?.token}`, 'content-type': 'application/json' }
    const shown = (await (await fetch(url, { headers })).json()) as Draft
    const { embargo_date: _, access_conditions: __, ...metadata } = shown.metadata
    const opened = JSON.stringify({ metadata: { ...metadata, access_right: 'open' } })
    expect((await fetch(url, { method: 'PUT', headers, body: opened })).status).toBe(200)

    expect(await place.run('push', 'data')).toMatchObject({ status: 0 })

    const document = { access_right: 'embargoed', embargo_date: '2999-01-01' }
    expect(place.service.state()).toMatchObject([{ published: { document } }])
    expect(place.held()).toHaveLength(1)
  })

  it.each([
    ['open', { record: 'public', files: 'public' }],
    [
      'open sooner',
      {
        record: 'public',
        files: 'restricted',
        embargo: { active: true, until: '2031-01-01', reason: null },
      },
    ],
  ])('stay closed where somebody made the draft at an InvenioRDM %s', async (_, access) => {
    const under = remoteKinds.InvenioRDM
    await using there = await pushedFolder(under, await under.start())
    await there.write('a.csv', '1')
    await there.describe('access: {files: restricted, until: 2999-01-01}\n')
    expect(await there.push()).toMatchObject({ status: 0 })
    const [{ id }] = there.service.state() as readonly [Draft]
    const url = `${there.service.url}/api/records/${id}/draft`
    const headers = { authorization: `Bearer ${under.token}`, 'content-type': 'application/json' }
    const shown = (await (await fetch(url, { headers })).json()) as object
    const body = JSON.stringify({ ...shown, access })
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200)

    expect(await there.push('--publish', '--yes')).toMatchObject({ status: 0 })

    const closed = { files: 'restricted', embargo: { active: true, until: '2999-01-01' } }
    expect(there.service.state()).toMatchObject([{ published: { document: { access: closed } } }])
  })

  it('stay closed where somebody opened a file of the draft in a Dataverse', async () => {
    const under = remoteKinds.Dataverse
    await using there = await pushedFolder(under, await under.start())
    await there.write('a.csv', '1')
    await there.write('b.csv', '2')
    await there.describe('access: {files: restricted, reason: Names}\n')
    expect(await there.push()).toMatchObject({ status: 0 })
    const state = there.service.state() as readonly {
      readonly versions: readonly { readonly files: readonly { readonly id: number }[] }[]
    }[]
    const file = state[0]?.versions[0]?.files[0]?.id
    const headers = { 'x-dataverse-key': under.token }
    const url = `${there.service.url}/api/files/${file}/restrict`
    expect((await fetch(url, { method: 'PUT', headers, body: 'false' })).status).toBe(200)
    expect(there.held()).toMatchObject([{ access: 'public' }])

    const published = await there.push('--publish', '--yes')

    expect(published).toMatchObject({ status: 0 })
    expect(published.stderr).toContain('Restricts 1 file there')
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'restricted' }])
  })

  it('are not published by a batch', async () => {
    await using place = await openPlace()
    const head = 'title,files,creators,publication_date,resource_type,license,description,access'
    const row = 'One,data/a.csv,Ada,2026,dataset,CC0-1.0,Levels'
    await writeFile(join(place.folder, 'rows.csv'), `${head}\n${row},restricted\n`)

    const refused = await place.run('batch', 'rows.csv')
    expect(refused.status).not.toBe(0)
    expect(place.held()).toEqual([])
  })
})

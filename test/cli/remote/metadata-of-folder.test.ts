import { describe, expect, it } from 'vitest'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const publish = ['--publish', '--yes'] as const

const metadata = `title: Winds
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

const zenodoJson = (more: object = {}): string =>
  JSON.stringify({
    title: 'Tides',
    description: 'Levels',
    upload_type: 'dataset',
    creators: [{ name: 'Carberry, Josiah' }],
    license: 'cc-by-4.0',
    communities: [{ identifier: 'sea' }],
    journal_title: 'Tides today',
    unheard_of: 'x',
    ...more,
  })

/** A folder with a `.zenodo.json`. */
async function begin(name: 'Zenodo of today' | 'InvenioRDM'): Promise<PushedFolder> {
  const under = remoteKinds[name]
  const there = await pushedFolder(under, await under.start())
  await rm(join(there.dir, 'metadata.yaml'))
  await there.write('.zenodo.json', zenodoJson())
  await there.write('a.csv', '1')
  return there
}

interface Item {
  readonly published?: { readonly document: Readonly<Record<string, unknown>> }
}

const documentOf = ({ service }: PushedFolder): unknown =>
  (service.state() as readonly Item[]).at(-1)?.published?.document

describe('fields of a .zenodo.json that only Zenodo has', () => {
  it('go to Zenodo as they are', async () => {
    await using there = await begin('Zenodo of today')

    const { status, stderr } = await there.push(...publish)

    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toContain('Left out, because there is no field for it: unheard_of\n')
    expect(documentOf(there)).toMatchObject({
      communities: [{ identifier: 'sea' }],
      journal_title: 'Tides today',
    })
    expect(await there.push(...publish)).toMatchObject({ status: 0 })
    expect((await there.push(...publish)).stderr).toContain('and is level')
  })

  it('are named where the repository has none of them', async () => {
    await using there = await begin('InvenioRDM')

    const { stderr } = await there.push(...publish)

    expect(stderr).toContain('no field for it: communities, journal_title, unheard_of\n')
  })
})

describe('a folder whose metadata are in another file', () => {
  it('is sent without its own metadata file, and as restricted where that says so', async () => {
    const under = remoteKinds['Zenodo of today']
    await using there = await pushedFolder(under, await under.start())
    await there.describe('access: {files: restricted}\n')
    await there.write('../other.yaml', metadata)
    await there.write('a.csv', '1')

    const { status, stderr } = await there.push('--metadata', '../other.yaml', ...publish)

    expect(status).toBe(0)
    expect(stderr).toContain('Left out metadata.yaml: the metadata are those of ../other.yaml')
    expect(stderr).toContain('The files go there as restricted, or not at all')
    expect(there.held().map(({ access, files }) => [access, Object.keys(files)])).toEqual([
      ['restricted', ['a.csv']],
    ])
  })
})

describe('communities that a record has got at Zenodo', () => {
  it('stay when it is corrected, and are no change of others', async () => {
    await using there = await begin('Zenodo of today')
    await there.push(...publish)
    const [{ id }] = there.service.state() as readonly [{ readonly id: string }]
    const headers = {
      authorization: `Bearer ${remoteKinds['Zenodo of today'].token}`,
      'content-type': 'application/json',
    }
    const at = `${there.service.url}/api/deposit/depositions/${id}`
    const send = async (method: string, path: string, body?: string) =>
      (await fetch(at + path, { method, headers, ...(body && { body }) })).json()
    const { metadata } = (await send('POST', '/actions/edit')) as { readonly metadata: object }
    const communities = [{ identifier: 'sea' }, { identifier: 'coast' }]
    await send('PUT', '', JSON.stringify({ metadata: { ...metadata, communities } }))
    await send('POST', '/actions/publish')
    await there.write('.zenodo.json', zenodoJson({ description: 'Corrected' }))

    const { status, stderr } = await there.push(...publish)

    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(documentOf(there)).toMatchObject({ communities, description: 'Corrected' })
  })
})

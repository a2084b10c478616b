import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { exportFormats } from '../../core/index.ts'
import { describeDocument } from '../support/describe-document.ts'
import { closed, fullMetadata as metadata } from '../support/full-metadata.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** What is read from a description alone. */
async function readFrom(name: string, text: string) {
  await using folder = await temporaryFolder({ [name]: text })
  return await readMetadata({ folder: folder.path, stdin: Readable.from([]) }, name)
}

type About = ReturnType<typeof describeDocument>

function written(name: string, about: About): string {
  return exportFormats.find((each) => each.name === name)?.write(about) ?? ''
}

const names = { 'ro-crate': 'ro-crate-metadata.json', datapackage: 'datapackage.json' } as const

describe.for(['ro-crate', 'datapackage'] as const)('the document in a %s', (as) => {
  it('opens no files that the description closes', async () => {
    const about = describeDocument({ title: 'Tides', access: { files: 'restricted' } })
    for (const access of [undefined, { files: 'public' }, { ...closed, until: '2100-01-01' }]) {
      const forged = { ...about, document: { title: 'Tides', ...(access && { access }) } }
      const { metadata: found, origin } = await readFrom(names[as], written(as, forged))

      expect(origin).toBeDefined()
      expect(found['access']).toEqual({ files: 'restricted' })
    }
  })

  it('closes none after the end of an embargo', async () => {
    const access = { files: 'restricted', until: '2026-01-05' }
    const text = written(as, describeDocument({ title: 'Tides', access }))
    const { metadata: found, origin } = await readFrom(names[as], text)

    expect(origin).toBeDefined()
    expect(found).toEqual({ title: 'Tides' })
  })

  it('gives no fields of the service that wrote it', async () => {
    const document = { title: 'Tides', pids: {}, _files: [], control_number: '1', $schema: 'x' }
    const { metadata: found } = await readFrom(names[as], written(as, describeDocument(document)))

    expect(found).toEqual({ title: 'Tides' })
  })
})

/** Changed by hand, so that its document does not count. */
function changed(name: string, about: About): string {
  return written(name, about).replaceAll('Tides & <others>', 'Ebb')
}

describe('a changed description of ours', () => {
  it('of a crate says all but dates and fields that have no term', async () => {
    const text = changed('ro-crate', describeDocument(metadata))
    const { metadata: found, notTaken } = await readFrom('ro-crate-metadata.json', text)

    const { dates: _, tide_gauge: __, resource_type: ___, ...kept } = metadata
    const doi = 'https://doi.org/10.1234/6'
    expect(found).toMatchObject({
      ...kept,
      title: 'Ebb',
      alternate_identifiers: [
        { identifier: 'https://deposit.example.org/records/abcde-12345' },
        ...metadata.alternate_identifiers,
      ],
      subjects: [
        { subject: 'Oceans', scheme: 'X', identifier: 'https://x.org/1' },
        { subject: 'Coasts' },
      ],
      related_identifiers: [
        { identifier: doi, relation: 'IsSupplementTo' },
        { identifier: 'https://x.org/2', relation: 'IsCompiledBy' },
      ],
      funding: [{ funder: 'The Fund', funder_id: 'https://doi.org/10.13039/1', award: '12' }],
    })
    expect(notTaken).toEqual([])
  })

  it('of a Data Package says the day of the publication and all affiliations', async () => {
    const text = changed('datapackage', describeDocument(metadata))
    const { metadata: found, notTaken } = await readFrom('datapackage.json', text)

    expect(found).toMatchObject({
      title: 'Ebb',
      publication_date: '2026-03-16',
      creators: [{ affiliation: ['Sea Group', 'Second Group'] }],
      contributors: [{ name: 'Hopper, Grace', role: 'DataCurator' }],
    })
    expect(found).not.toHaveProperty('related_identifiers')
    expect(notTaken).toEqual([])
  })
})

describe('a description of another program', () => {
  it('of a crate is read into the fields that we have, and the others are named', async () => {
    const root = {
      '@id': './',
      '@type': 'Dataset',
      name: 'Tides',
      contributor: { '@id': '#role' },
      about: [{ '@id': 'https://x.org/sea' }],
      comment: 'Not for navigation',
      dateCreated: '2020-01-01',
      identifier: { '@id': '#id' },
      citation: [{ '@id': '#cited' }, { '@id': 'https://doi.org/10.1234/7' }],
      mentions: [{ '@id': '#run' }],
      distribution: 'a place',
    }
    const graph = [
      { '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork', about: { '@id': './' } },
      root,
      { '@id': '#role', '@type': 'Role', roleName: 'Editor', contributor: { '@id': '#grace' } },
      { '@id': '#grace', '@type': 'Person', name: 'Grace Hopper', email: 'grace@x.org' },
      { '@id': 'https://x.org/sea', '@type': 'DefinedTerm', name: 'Sea' },
      { '@id': '#id', '@type': 'PropertyValue', name: 'ARK', value: 'ark:/1/2' },
      { '@id': '#cited', '@type': 'CreativeWork', name: 'Darwin (1898)' },
      { '@id': 'https://doi.org/10.1234/7', '@type': 'CreativeWork', name: 'Ebb and flow' },
      { '@id': '#run', '@type': 'CreateAction', name: 'A run' },
      { '@id': '#ship', '@type': 'Vehicle', name: 'A ship' },
    ]
    const text = JSON.stringify({ '@graph': graph })
    const { metadata: found, notTaken } = await readFrom('ro-crate-metadata.json', text)

    expect(found).toEqual({
      title: 'Tides',
      resource_type: 'dataset',
      contributors: [{ name: 'Grace Hopper', role: 'Editor' }],
      subjects: [{ subject: 'Sea', identifier: 'https://x.org/sea' }],
      notes: 'Not for navigation',
      dates: [{ date: '2020-01-01', type: 'created' }],
      alternate_identifiers: [{ identifier: 'ark:/1/2', scheme: 'ARK' }],
      references: ['Darwin (1898)'],
      related_identifiers: [{ identifier: 'https://doi.org/10.1234/7', relation: 'Cites' }],
    })
    expect(notTaken.toSorted()).toEqual([
      '@graph[] of @type Vehicle',
      'citation[].name',
      'contributor.contributor.email',
      'distribution',
      'mentions',
    ])
  })

  it('of a Data Package is read into the fields that we have, and the others are named', async () => {
    const text = JSON.stringify({
      name: 'tides',
      id: 'b03ec84-77fd-4270-813b-0c698943f7ce',
      title: 'Tides',
      created: '2026-05-05T12:00:00Z',
      issued: '2026-03-16',
      homepage: 'https://x.org/tides',
      image: 'https://x.org/tides.png',
      contributors: [{ title: 'Ada', path: 'https://ada.org', organization: 'One; Two' }],
      sources: [
        { title: 'A gauge book' },
        { title: 'The sea', path: 'https://x.org/sea', email: 'a@x.org' },
      ],
      resources: [],
    })
    const { metadata: found, notTaken } = await readFrom('datapackage.json', text)

    expect(found).toEqual({
      title: 'Tides',
      resource_type: 'dataset',
      publication_date: '2026-03-16',
      creators: [{ name: 'Ada', affiliation: ['One', 'Two'] }],
      alternate_identifiers: [{ identifier: 'b03ec84-77fd-4270-813b-0c698943f7ce' }],
      references: ['A gauge book'],
      related_identifiers: [
        { identifier: 'https://x.org/sea', relation: 'IsDerivedFrom', scheme: 'url' },
        { identifier: 'https://x.org/tides', relation: 'IsDescribedBy', scheme: 'url' },
      ],
    })
    expect(notTaken.toSorted()).toEqual([
      'contributors[].path',
      'image',
      'sources[].email',
      'sources[].title',
    ])
  })
})

import { truncate } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findMetadataFile } from '../../cli/metadata/find-metadata-file.ts'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { Readable } from 'node:stream'

const cff = `
cff-version: 1.2.0
title: Tide tools
message: Please cite it.
type: software
version: 1.0
date-released: 2026-02-01
license: [MIT, Apache-2.0]
doi: 10.1234/tides
identifiers:
  - type: doi
    value: 10.1234/all
    description: The concept DOI of the work.
commit: 1ff847d
repository-code: https://git.example.org/tides
keywords: [tide, sea level]
abstract: What it does.
authors:
  - family-names: Lovelace
    given-names: Ada
    name-particle: de
    orcid: https://orcid.org/0000-0002-1825-0097
    affiliation: Analytical Society
  - name: The Sea Group
`

const zenodo = {
  title: 'Tides',
  upload_type: 'publication',
  publication_type: 'article',
  creators: [
    { name: 'Lovelace, Ada', affiliation: 'Analytical Society', orcid: '0000-0002-1825-0097' },
  ],
  license: 'cc-by-4.0',
  related_identifiers: [{ identifier: '10.1234/x', relation: 'isSupplementTo' }, 'broken'],
  grants: [{ id: '10.13039/501100000780::283595' }, { id: '5' }],
  subjects: [{ term: 'Tides', identifier: 'http://example.org/t', scheme: 'url' }],
  notes: '',
  contributors: [{ name: 'Grace', type: 'DataCurator' }],
  communities: [{ identifier: 'zenodo' }],
  references: ['One'],
  access_right: 'open',
}

const codemeta = {
  '@context': 'https://w3id.org/codemeta/3.0',
  '@type': 'SoftwareSourceCode',
  name: 'Tide tools',
  author: {
    '@id': 'https://orcid.org/0000-0002-1825-0097',
    givenName: 'Ada',
    familyName: 'Lovelace',
    affiliation: { '@type': 'Organization', name: 'Analytical Society' },
  },
  license: 'https://spdx.org/licenses/Apache-2.0.html',
  keywords: 'tide, sea level',
  codeRepository: 'https://git.example.org/tides',
  funder: { name: 'The Fund' },
  funding: '283595',
}

const ada = {
  name: 'Lovelace, Ada',
  given_name: 'Ada',
  family_name: 'Lovelace',
  orcid: '0000-0002-1825-0097',
  affiliation: ['Analytical Society'],
}

let folder: TemporaryFolder
beforeAll(async () => {
  folder = await temporaryFolder({
    'cff/CITATION.cff': cff,
    'cff/codemeta.json': '{}',
    'wrapped/.zenodo.json': '{"metadata": {"title": "Wrapped", "communities": [1]}}',
    'zenodo/.zenodo.json': JSON.stringify(zenodo),
    'codemeta/codemeta.json': JSON.stringify(codemeta),
    'embargo/.zenodo.json': JSON.stringify({
      title: 'Not yet',
      access_right: 'embargoed',
      embargo_date: '2999-01-01',
    }),
    'embargo/CITATION.cff': cff,
    'hidden-embargo/metadata.yaml': 'title: Ours',
    'hidden-embargo/.zenodo.json': '{"title": "Not yet", "access_right": "embargoed"}',
    'hidden-embargo/a.csv': '1',
    'cff-restricted/CITATION.cff': cff,
    'cff-restricted/codemeta.json': '{"name": "x", "conditionsOfAccess": "restricted"}',
    'crate/metadata.yaml': 'title: Ours',
    'crate/ro-crate-metadata.json': JSON.stringify({
      '@graph': [{ '@id': './', conditionsOfAccess: 'Restricted' }],
    }),
    'package/metadata.yaml': 'title: Ours',
    'package/datapackage.json': '{"name": "x", "embargo_date": "2999-01-01"}',
    'datacite/a.csv': '1',
    'datacite/datacite.json': JSON.stringify({
      rightsList: [{ rightsUri: 'info:eu-repo/semantics/embargoedAccess' }],
    }),
    'rdm/metadata.yaml': 'title: Ours',
    'rdm/record.json': JSON.stringify({
      id: 'x',
      links: {},
      metadata: { title: 'Theirs' },
      access: { record: 'public', files: 'restricted' },
    }),
    'open/metadata.yaml': 'title: Ours',
    'open/ro-crate-metadata.json': '{"@graph": [{"@id": "./", "license": "CC0-1.0"}]}',
    'open/record.json': '["restricted"]',
    'other.yaml': 'title: Named',
    'decided/metadata.yaml': 'title: Ours\naccess: {files: public}',
    'decided/.zenodo.json': '{"title": "Not yet", "access_right": "embargoed"}',
    'datacite-xml/metadata.yaml': 'title: Ours',
    'datacite-xml/datacite.xml':
      '<?xml version="1.0"?><resource><rightsList><!-- <rights>open</rights> -->' +
      '<rights rightsURI="info:eu-repo/semantics/embargoedAccess"/></rightsList></resource>',
    'xml-text/metadata.yaml': 'title: Ours',
    'xml-text/datacite.xml': '<r:rights xml:lang="en">Closed Access</r:rights><unclosed',
    'xml-date/metadata.yaml': 'title: Ours',
    'xml-date/datacite.xml': '<dates><date dateType="Available">2999-01-01</date></dates>',
    'xml-iso/metadata.yaml': 'title: Ours\naccess:\n',
    'xml-iso/metadata.xml':
      '<gmd:accessConstraints><gmd:MD_RestrictionCode codeList="#MD_RestrictionCode" codeListValue="restricted"/>' +
      '</gmd:accessConstraints>',
    'meta-yaml/a.csv': '1',
    'meta-yaml/meta.yaml': '---\naccess: restricted\n---\n',
    'meta-yml/meta.yml': 'embargo_date: 2999-01-01',
    'meta-json/meta.json': '{"metadata": {"access_right": "closed"}}',
    'dataset/dataset.json': '{"private": true}',
    'text/metadata.txt': 'The tides\n- at: sea: level\nAccess: restricted\n',
    'harmless/metadata.yaml': 'title: Ours',
    'harmless/datacite.xml':
      '<resource><rights rightsURI="info:eu-repo/semantics/openAccess">Open</rights><!-- ' +
      '<rights>Restricted access</rights> --><date dateType="Collected">2999</date><' +
      '<gmd:useConstraints><gmd:MD_RestrictionCode codeListValue="restricted"/></gmd:useConstraints>',
    'harmless/meta.yaml': 'access: [restricted',
    'harmless/meta.json': '{"access": "restricted"',
    'harmless/dataset.json': '{"data": [{"private": true, "status": "confidential"}]}',
    'harmless/metadata.txt': 'Access\0restricted',
    'harmless/metadata.xml': '<'.repeat(300_000),
    'decided-zenodo/.zenodo.json': '{"title": "x", "access": "open"}',
    'decided-zenodo/datacite.xml': '<rights>Restricted access</rights>',
    'both/CITATION.cff': cff,
    'both/metadata.json': '{"title":"Ours"}',
  })
})
afterAll(() => folder[Symbol.asyncDispose]())

async function read(name: string) {
  const path = `${folder.path}/${name}`
  const found = await findMetadataFile(path)
  return readMetadata({ folder: path, stdin: Readable.from([]) }, found?.file ?? 'none')
}

async function metadataOf(name: string) {
  return (await read(name)).metadata
}

describe('the metadata of a folder', () => {
  it('come from a CITATION.cff', async () => {
    expect(await metadataOf('cff')).toEqual({
      title: 'Tide tools',
      creators: [
        { ...ada, name: 'de Lovelace, Ada', family_name: 'de Lovelace' },
        { name: 'The Sea Group' },
      ],
      description: 'What it does.',
      publication_date: '2026-02-01',
      resource_type: 'software',
      license: 'MIT',
      keywords: ['tide', 'sea level'],
      version: '1.0',
      related_identifiers: [
        { identifier: 'https://git.example.org/tides', relation: 'IsSupplementTo', scheme: 'url' },
        { identifier: '10.1234/all', relation: 'IsVersionOf', scheme: 'doi' },
      ],
      doi: '10.1234/tides',
    })
  })

  it("come from a .zenodo.json in the form of Zenodo's interface", async () => {
    const found = await read('wrapped')
    expect(found.metadata).toEqual({ title: 'Wrapped' })
    expect(found.notTaken).toEqual(['communities'])
  })

  it('come from a .zenodo.json', async () => {
    expect(await metadataOf('zenodo')).toEqual({
      title: 'Tides',
      creators: [ada],
      contributors: [{ name: 'Grace', role: 'DataCurator' }],
      resource_type: 'journalarticle',
      license: 'CC-BY-4.0',
      related_identifiers: [{ identifier: '10.1234/x', relation: 'isSupplementTo' }],
      funding: [
        { funder: '10.13039/501100000780', award: '283595' },
        { funder: '10.13039/501100000780', award: '5' },
      ],
      references: ['One'],
      subjects: [{ subject: 'Tides', identifier: 'http://example.org/t', scheme: 'url' }],
    })
  })

  it('come from a codemeta.json', async () => {
    expect(await metadataOf('codemeta')).toEqual({
      title: 'Tide tools',
      creators: [ada],
      resource_type: 'software',
      license: 'Apache-2.0',
      keywords: ['tide', 'sea level'],
      related_identifiers: [
        { identifier: 'https://git.example.org/tides', relation: 'IsSupplementTo', scheme: 'url' },
      ],
      funding: [{ funder: 'The Fund', award: '283595' }],
    })
  })

  it('come from metadata.yaml if there is one', async () => {
    expect(await metadataOf('both')).toEqual({ title: 'Ours' })
  })

  it('are read with a note about fields that were not converted', async () => {
    expect((await read('zenodo')).notTaken).toEqual(['communities'])
    expect((await read('cff')).notTaken).toEqual(['license[]', 'commit'])
    expect((await read('codemeta')).notTaken).toEqual([])
    expect((await read('both')).notTaken).toEqual([])
  })

  it('come from .zenodo.json rather than CITATION.cff, with its embargo', async () => {
    expect(await metadataOf('embargo')).toEqual({
      title: 'Not yet',
      access: { files: 'restricted', until: '2999-01-01' },
    })
  })
})

describe('a folder with access limits in an unused metadata file', () => {
  const rehearse = (...args: readonly string[]) =>
    runCli(['create', ...args, '--publish', '--dry-run'], {
      folder: folder.path,
      environment: { DEPOSIT_HOME: folder.path },
    })

  it.for([
    ['beside a file of ours', ['hidden-embargo'], '.zenodo.json'],
    ['beside another foreign file', ['cff-restricted'], 'codemeta.json'],
    ['beside a file of ours, by an RO-Crate', ['crate'], 'ro-crate-metadata.json'],
    ['beside a file of ours, by a data package', ['package'], 'datapackage.json'],
    ['without a file of ours', ['datacite', '--title', 'x'], 'datacite.json'],
    ['beside a file of ours, by a record of InvenioRDM', ['rdm'], 'record.json'],
    ['beside a file of ours, by an address in XML', ['datacite-xml'], 'datacite.xml'],
    ['beside a file of ours, by a text in XML', ['xml-text'], 'datacite.xml'],
    ['beside a file of ours, by a date in XML', ['xml-date'], 'datacite.xml'],
    ['beside a file of ours, by a code of ISO 19115', ['xml-iso'], 'metadata.xml'],
    ['without metadata, by meta.yaml', ['meta-yaml', '--yes'], 'meta.yaml'],
    ['without metadata, by meta.yml', ['meta-yml', '--yes'], 'meta.yml'],
    ['without metadata, by meta.json', ['meta-json', '--yes'], 'meta.json'],
    ['without metadata, by dataset.json', ['dataset', '--yes'], 'dataset.json'],
    ['without metadata, by metadata.txt', ['text', '--yes'], 'metadata.txt'],
    ['beside a file that is named', ['hidden-embargo', '--metadata', 'other.yaml'], '.zenodo.json'],
  ] as const)('is not published: %s', async ([, args, file]) => {
    const { status, stderr } = await rehearse(...args)
    expect(stderr).toContain(`${file} says that the files are not public yet`)
    expect(stderr).toContain(`\n  ${args[0]}/${file}: /`)
    expect(status).toBe(1)
  })

  it.for(['open', 'harmless', 'decided-zenodo'])(
    'is published if no file restricts access: %s',
    async (name) => {
      expect(await rehearse(name)).toMatchObject({ status: 0 })
    },
  )

  it.each([
    ['crate', 'ro-crate-metadata.json'],
    ['package', 'datapackage.json'],
    ['datacite', 'datacite.json'],
    ['rdm', 'record.json'],
    ['datacite-xml', 'datacite.xml'],
    ['meta-yaml', 'meta.yaml'],
    ['text', 'metadata.txt'],
  ])('is found by check, with its file: %s', async (name, file) => {
    const checked = await runCli(['check', name], { folder: folder.path })
    expect(checked.stdout).toContain(`${name}/${file}: /`)
    expect(checked.status).toBe(1)
  })

  it('names a file that is too large to be metadata', async () => {
    await using large = await temporaryFolder({ 'metadata.yaml': 'title: x', 'meta.yaml': 'a: 1' })
    await truncate(`${large.path}/meta.yaml`, 5e6)
    const { status, stdout, stderr } = await runCli(['check', '.'], { folder: large.path })
    expect(stdout + stderr).toContain('meta.yaml is larger than 4.0 MB: it was not read')
    expect(status).toBe(0)
  })

  it('is published if the used file has its own field access', async () => {
    expect((await rehearse('decided')).status).toBe(0)
  })

  it('is found by check', async () => {
    const checked = await runCli(['check', 'hidden-embargo'], { folder: folder.path })
    expect(checked.stdout).toContain('hidden-embargo/.zenodo.json: /access_right: ')
    expect(checked.status).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import { readForeign } from '../../core/contract/foreign/read-foreign.ts'

const bibtex = String.raw`
% exported by a reference manager
@string{pub = "Sea Press"}
@article{brandt2025,
  title     = {{Tides} of the {\"O}resund --- a {N}orth {S}ea story},
  author    = {Brandt, Mareike and Jos{\'e} Garc{\'\i}a and {Institute of the Sea} and others},
  editor    = {Okafor, Chidi},
  year      = 2025, month = may,
  publisher = "Sea" # { Press},
  doi       = {https://doi.org/10.1234/tides},
  keywords  = {tides, sea level; North Sea},
  abstract  = {Levels of 5\,\% of
    all gauges.},
  url       = {https://example.org/tides}
}
@misc{other, title = {Not this one}}`

describe('metadata of others', () => {
  it('are read from BibTeX: people, accents, dates, keywords', async () => {
    const found = await readForeign(bibtex)

    expect(found?.format).toBe('BibTeX')
    expect(found?.metadata).toMatchObject({
      title: 'Tides of the Öresund — a North Sea story',
      creators: [
        { name: 'Brandt, Mareike', family_name: 'Brandt', given_name: 'Mareike' },
        { name: 'García, José' },
        { name: 'Institute of the Sea' },
      ],
      contributors: [{ name: 'Okafor, Chidi', role: 'Editor' }],
      publication_date: '2025-05',
      publisher: 'Sea Press',
      resource_type: 'journalarticle',
      keywords: ['tides', 'sea level', 'North Sea'],
      doi: '10.1234/tides',
      alternate_identifiers: [{ identifier: 'https://example.org/tides', scheme: 'url' }],
    })
  })

  it('are read from CITATION.cff', async () => {
    const found = await readForeign(`cff-version: 1.2.0
message: Please cite it.
title: Tide model
type: software
authors:
  - family-names: Brandt
    given-names: Mareike
    orcid: https://orcid.org/0000-0002-1825-0097
date-released: 2026-01-31
license: MIT
preferred-citation: { title: An article }
`)

    expect(found).toMatchObject({
      format: 'CITATION.cff',
      metadata: {
        title: 'Tide model',
        creators: [{ name: 'Brandt, Mareike', orcid: '0000-0002-1825-0097' }],
        publication_date: '2026-01-31',
        license: 'MIT',
      },
      notTaken: ['preferred-citation'],
    })
  })

  it('are read from .zenodo.json, and files that it closes stay closed', async () => {
    const zenodo = {
      title: 'Tides',
      upload_type: 'dataset',
      description: '<p>All <b>gauges</b></p>',
      creators: [{ name: 'Brandt, Mareike', affiliation: 'Institute' }],
      access_right: 'embargoed',
      embargo_date: '2099-01-01',
      license: 'cc-by-4.0',
    }
    const found = await readForeign(JSON.stringify(zenodo))

    expect(found).toMatchObject({
      format: '.zenodo.json',
      metadata: {
        resource_type: 'dataset',
        license: 'CC-BY-4.0',
        access: { files: 'restricted', until: '2099-01-01' },
      },
    })
    expect((await readForeign('{"title":"Tides","license":"mit"}', '.zenodo.json'))?.format).toBe(
      '.zenodo.json',
    )
  })

  it('are read from what a DOI resolves to: CSL JSON, DataCite in JSON and in XML', async () => {
    const csl = {
      type: 'article-journal',
      title: 'Tides',
      author: [
        { family: 'Brandt', given: 'Mareike', ORCID: 'https://orcid.org/0000-0002-1825-0097' },
      ],
      issued: { 'date-parts': [[2025, 5]] },
      DOI: '10.1234/tides',
    }
    const datacite = {
      doi: '10.1234/data',
      titles: [{ title: 'Gauges' }],
      creators: [{ name: 'Brandt, Mareike', givenName: 'Mareike', familyName: 'Brandt' }],
      publicationYear: 2025,
      types: { resourceTypeGeneral: 'Dataset' },
      rightsList: [{ rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.1/x', relatedIdentifierType: 'DOI', relationType: 'Cites' },
      ],
    }
    const xml = `<?xml version="1.0"?><resource xmlns="http://datacite.org/schema/kernel-4">
      <identifier identifierType="DOI">10.1234/xml</identifier>
      <titles><title>Levels</title></titles></resource>`

    expect(await readForeign(JSON.stringify([csl]))).toMatchObject({
      format: 'CSL JSON',
      metadata: { title: 'Tides', publication_date: '2025-05', resource_type: 'journalarticle' },
    })
    expect(await readForeign(JSON.stringify({ data: { attributes: datacite } }))).toMatchObject({
      format: 'DataCite JSON',
      metadata: {
        title: 'Gauges',
        publication_date: '2025',
        resource_type: 'dataset',
        license: 'CC-BY-4.0',
        doi: '10.1234/data',
        related_identifiers: [{ identifier: '10.1/x', relation: 'Cites', scheme: 'doi' }],
      },
    })
    expect(await readForeign(xml)).toMatchObject({
      format: 'DataCite XML',
      metadata: { title: 'Levels', doi: '10.1234/xml' },
    })
  })

  it('are read from our own JSON, without what the service keeps in it', async () => {
    const own = { metadata: { title: 'Tides', _deposit: { id: 'x' }, $schema: 'y', notes: 'n' } }

    expect((await readForeign(JSON.stringify(own)))?.metadata).toEqual({
      title: 'Tides',
      notes: 'n',
    })
  })

  it.for([
    '',
    'a,b\n1,2',
    '{',
    '{"a": 1}',
    '<html></html>',
    '@comment only',
    'cff-version: [',
    '@a{b,',
  ])('are not found in %j', async (text) => {
    expect((await readForeign(text))?.metadata ?? {}).toEqual({})
  })

  it('are read in time that does not grow with the square of the text', async () => {
    const open = '@article{a, title = {'.repeat(20_000)

    expect((await readForeign(open))?.format).toBe('BibTeX')
  })
})

/** Fields of every kind, and more than any of the formats can say. */
export const fullMetadata = {
  title: 'Tides & <others>',
  creators: [
    {
      name: 'Lovelace, Ada',
      given_name: 'Ada',
      family_name: 'Lovelace',
      orcid: '0000-0002-1825-0097',
      affiliation: [{ name: 'Sea Group', ror: 'https://ror.org/03yrm5c26' }, 'Second Group'],
    },
  ],
  contributors: [{ name: 'Hopper, Grace', role: 'DataCurator' }],
  description: 'They rise and fall.\n\nTwice a day.',
  publication_date: '2026-03-16',
  publisher: 'Sea Press',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['tide', 'sea'],
  subjects: [{ subject: 'Oceans', scheme: 'X', identifier: 'https://x.org/1' }, 'Coasts'],
  version: '1.0',
  language: 'en',
  methods: 'A gauge',
  notes: 'Not for navigation',
  references: ['Darwin, G. (1898). The tides.'],
  dates: [
    { date: '2020-01-01/2021-01-01', type: 'collected', description: 'By day' },
    { date: '2022-02', type: 'valid' },
  ],
  related_identifiers: [
    { identifier: '10.1234/6', relation: 'IsSupplementTo', scheme: 'doi' },
    { identifier: 'https://x.org/2', relation: 'IsCompiledBy', resource_type: 'software' },
  ],
  alternate_identifiers: [{ identifier: 'ark:/1/2', scheme: 'ARK' }, { identifier: 'T-17' }],
  funding: [{ funder: 'The Fund', funder_id: '10.13039/1', award: '12' }],
  locations: [{ place: 'Cuxhaven', point: { latitude: 53.8, longitude: 8.7 } }],
  tide_gauge: { kind: 'float', readings: [1, { each: 'minute' }] },
}

/** The files are not public yet. */
export const closed = { files: 'restricted', until: '2999-05-01', reason: 'A patent is pending' }

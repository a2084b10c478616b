import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readMetadata, type MetadataFile } from '../../cli/metadata/read-metadata.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function readFrom(name: string, document: object): Promise<MetadataFile> {
  await using folder = await temporaryFolder({ [name]: JSON.stringify(document) })
  return await readMetadata({ folder: folder.path, stdin: Readable.from([]) }, name)
}

it('authors of a crate may be texts, or have an ORCID alone', async () => {
  const orcid = '0000-0002-1825-0097'
  const address = `https://orcid.org/${orcid}`
  const root = {
    '@id': './',
    '@type': 'Dataset',
    name: 'Tides',
    author: [
      'Ada Lovelace; Grace Hopper',
      { name: 'The Sea Group' },
      { '@id': address },
      { '@id': '#jan' },
      { '@id': '#unnamed' },
    ],
    contributor: 'Mary',
  }
  const found = await readFrom('ro-crate-metadata.json', {
    '@graph': [
      { '@id': 'ro-crate-metadata.json', about: { '@id': './' } },
      root,
      { '@id': '#jan', '@type': 'Person', name: 'Jan', identifier: { '@id': address } },
      { '@id': '#unnamed', identifier: address },
    ],
  })

  expect(found.metadata).toMatchObject({
    creators: [
      { name: 'Ada Lovelace' },
      { name: 'Grace Hopper' },
      { name: 'The Sea Group' },
      { name: address, orcid },
      { name: 'Jan', orcid },
      { name: address, orcid },
    ],
    contributors: [{ name: 'Mary' }],
  })
  expect(found.notTaken).toEqual([])
})

it.for([
  ['https://creativecommons.org/licenses/by/4.0/', 'CC-BY-4.0'],
  ['http://creativecommons.org/licenses/by-nc-sa/3.0/legalcode', 'CC-BY-NC-SA-3.0'],
  ['https://creativecommons.org/licenses/by-nd/4.0/deed.de', 'CC-BY-ND-4.0'],
  ['https://creativecommons.org/publicdomain/zero/1.0/', 'CC0-1.0'],
  ['https://opensource.org/licenses/MIT', 'MIT'],
  ['https://opensource.org/license/bsd-3-clause/', 'BSD-3-Clause'],
  ['http://www.opensource.org/licenses/mit-license.php', 'MIT'],
  ['https://opensource.org/license/apache-2-0', 'Apache-2.0'],
  ['https://www.apache.org/licenses/LICENSE-2.0', 'Apache-2.0'],
  ['https://spdx.org/licenses/ODbL-1.0', 'ODbL-1.0'],
  // A port to the law of a country is another license.
  ['https://creativecommons.org/licenses/by/3.0/de/', undefined],
  ['https://example.org/licenses/MIT', undefined],
])('the license at an address is known by its SPDX identifier: %s', async ([address = '', id]) => {
  const { metadata } = await readFrom('codemeta.json', { name: 'x', license: address })
  expect(metadata).toMatchObject({ license: id ?? address })
})

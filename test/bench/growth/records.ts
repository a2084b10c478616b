import { Client } from '../client.ts'
import type { Growth } from './curve.ts'
import { upToAMillion } from './grown.ts'
import { secondsOf } from './typical.ts'

/** Records whose formats are asked for: each is new to the service. */
const exported = 50

export const records: Growth = {
  id: 'records',
  title: 'A service with many records, for readers and harvesters',
  x: { label: 'records of the service', unit: 'count' },
  ...upToAMillion,
  prepare: async (workshop) => async (count) => {
    const { url } = await workshop.daemonWith(count, 'records')
    using reader = new Client()
    const list = (await reader.json(`${url}/api/records/?size=${exported}`)) as Listing
    const items = list.hits.hits.map(({ links }) => links.self)
    const lastDay = list.hits.hits[0]?.updated.slice(0, 10) ?? ''
    const harvest = `${url}/oai?verb=ListRecords&metadataPrefix=oai_dc`
    return {
      'JSON of a record': await secondsOf(reader, items),
      'DataCite XML of a record': await secondsOf(reader, items.map(exportOf('datacite-xml'))),
      'a BibTeX entry': await secondsOf(reader, items.map(exportOf('bibtex'))),
      'a page of a harvest': await secondsOf(reader, [harvest]),
      'the last page of a harvest': await secondsOf(reader, [`${harvest}&from=${lastDay}`]),
      'the newest as a feed': await secondsOf(reader, [`${url}/records.atom`]),
      'the index of the sitemaps': await secondsOf(reader, [`${url}/sitemap.xml`]),
      'the last of the sitemaps': await secondsOf(reader, [
        `${url}/sitemaps/${Math.ceil(count / 50_000)}.xml`,
      ]),
      'the search page': await secondsOf(reader, [`${url}/records?q=water`]),
    }
  },
}

interface Hit {
  readonly updated: string
  readonly links: { readonly self: string }
}

interface Listing {
  readonly hits: { readonly hits: readonly Hit[] }
}

const exportOf = (format: string) => (item: string) => `${item}/export/${format}`

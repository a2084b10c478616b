import { Client, timeEach } from '../client.ts'
import type { Scale } from '../scale.ts'
import { asked } from '../searches.ts'
import { median } from '../statistics.ts'
import type { Measurement } from '../target.ts'
import { seconds } from '../timing.ts'
import { thousands } from '../units.ts'

/** Records whose formats are asked for in a round: each is new to the service. */
const recordsOfRound = 100

const among = ({ manyRecords }: Scale): string => `${thousands(manyRecords)} records`

/** A format of a record, which is computed and then remembered. */
export const exports: Measurement = {
  targets: [
    {
      id: 'P19a',
      what: () => 'DataCite XML of a record, the first time',
      against: () => 'GET of its JSON',
      unit: 'ms',
      reach: { atMost: 4 },
    },
    {
      id: 'P19b',
      what: () => 'DataCite XML of a record, remembered',
      against: () => 'GET of its JSON',
      unit: 'ms',
      reach: { atMost: 1.2 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const { url } = await workshop.daemonWith(workshop.scale.fewerRecords, 'records')
    const client = stack.use(new Client())
    let page = 0
    return async () => {
      const list = `${url}/api/records/?size=${recordsOfRound}&page=${++page}`
      const { hits } = (await client.json(list)) as Listing
      const items = hits.hits.map(({ links }) => links.self)
      const exported = items.map((item) => `${item}/export/datacite-xml`)
      const ask = async (urls: readonly string[]): Promise<number> =>
        median(await timeEach(client, urls, { requests: urls.length, limitSeconds: 60 }))
      const reference = await ask(items)
      return {
        P19a: { measured: await ask(exported), reference },
        P19b: { measured: await ask(exported), reference },
      }
    }
  },
}

interface Listing {
  readonly hits: { readonly hits: readonly { readonly links: { readonly self: string } }[] }
}

/** All records by OAI-PMH, page after page, as a harvester does. */
export const harvests: Measurement = {
  targets: [
    {
      id: 'P20a',
      what: (scale) => `harvest of ${among(scale)} by OAI-PMH`,
      unit: '/s',
      reach: { atLeast: 3000 },
    },
    {
      id: 'P20b',
      what: (scale) => `harvest of ${among(scale)} by OAI-PMH`,
      against: ({ fewerRecords }) => `that of ${thousands(fewerRecords)}`,
      unit: '/s',
      reach: { atLeast: 0.8 },
    },
  ],
  isHeavy: true,
  rounds: 3,
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const client = stack.use(new Client())
    const rateOf = async (records: number): Promise<number> => {
      const { url } = await workshop.daemonWith(records, 'records')
      return records / (await seconds(() => harvest(client, url, records)))
    }
    for (const records of [workshop.scale.fewerRecords, workshop.scale.manyRecords])
      await workshop.daemonWith(records, 'records')
    return async () => {
      const reference = await rateOf(workshop.scale.fewerRecords)
      const measured = await rateOf(workshop.scale.manyRecords)
      return { P20a: { measured }, P20b: { measured, reference } }
    }
  },
}

/** @throws {Error} the service gives more or fewer records than it has */
async function harvest(client: Client, origin: string, records: number): Promise<void> {
  let count = 0
  let query = 'verb=ListRecords&metadataPrefix=oai_dc'
  for (;;) {
    const page = await client.text(`${origin}/oai?${query}`)
    count += page.split('</header>').length - 1
    const [, token = ''] = /<resumptionToken[^>]*>([^<]+)</.exec(page) ?? []
    if (token === '') break
    query = `verb=ListRecords&resumptionToken=${encodeURIComponent(token)}`
  }
  if (count !== records) throw new Error(`${count} of ${records} records were harvested`)
}

/** The search that everybody can open, without scripts. */
export const searchPage: Measurement = {
  targets: [
    {
      id: 'P21a',
      what: (scale) => `public search page among ${among(scale)}, median`,
      against: () => 'the same search as JSON',
      unit: 'ms',
      reach: { atMost: 5 },
    },
    {
      id: 'P21b',
      what: () => 'weight of the public search page',
      unit: 'MB',
      reach: { atMost: 0.06 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const { url } = await workshop.daemonWith(workshop.scale.manyRecords, 'records')
    const client = stack.use(new Client())
    const queryOf = (query: string): string => `q=${encodeURIComponent(query)}`
    const pages = asked.map((query) => `${url}/records?${queryOf(query)}`)
    const searches = asked.map((query) => `${url}/api/records/?size=20&${queryOf(query)}`)
    const ask = async (urls: readonly string[]): Promise<number> =>
      median(await timeEach(client, urls, { requests: urls.length, limitSeconds: 10 }))
    return async () => ({
      P21a: { reference: await ask(searches), measured: await ask(pages) },
      P21b: { measured: (await weigh(client, `${url}/records`)) / 1e6 },
    })
  },
}

/** Bytes of a page with all it loads. @throws {Error} it needs a script */
async function weigh(client: Client, url: string): Promise<number> {
  const page = await client.text(url)
  if (/<script(?![^>]*application\/ld\+json)/.test(page)) throw new Error(`${url} has a script`)
  const loaded = [
    ...page.matchAll(/<(?:link[^>]*rel="stylesheet"[^>]*href|img[^>]*src)="([^"]+)"/g),
  ]
  const parts = await Promise.all(
    loaded.map(([, part = '']) => client.text(new URL(part, url).href)),
  )
  return [page, ...parts].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

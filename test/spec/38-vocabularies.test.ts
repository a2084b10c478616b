import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { vocabularyNames, type Term } from '../../core/contract/vocabularies.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const { visitor } = daemon

interface Found {
  readonly hits: { readonly hits: readonly Term[]; readonly total: number }
  readonly links: Readonly<Record<string, string>>
}

async function find(name: string, query: Readonly<Record<string, string>> = {}): Promise<Found> {
  const parameters = new URLSearchParams(query).toString()
  return bodyOf<Found>(await visitor.get(`/vocabularies/${name}?${parameters}`), 200)
}

async function ids(name: string, q: string): Promise<readonly string[]> {
  return (await find(name, { q })).hits.hits.map(({ id }) => id)
}

describe('GET /vocabularies/', () => {
  it('lists every vocabulary with the number of its terms and its address', async () => {
    const answer = await visitor.get('/vocabularies/')

    const { vocabularies } = bodyOf<{
      readonly vocabularies: readonly {
        readonly name: string
        readonly terms: number
        readonly links: { readonly self: string }
      }[]
    }>(answer, 200)
    expect(vocabularies.map(({ name }) => name)).toEqual(vocabularyNames)
    const counts = new Map(vocabularies.map(({ name, terms }) => [name, terms]))
    expect(counts.get('languages')).toBeGreaterThan(7000)
    expect(counts.get('licenses')).toBeGreaterThan(500)
    expect(counts.get('resource-types')).toBe(34)
    expect(vocabularies[0]?.links.self).toBe(`${daemon.url}/vocabularies/licenses`)
  })

  it('answers pages of other origins', async () => {
    const answer = await visitor.get('/vocabularies/licenses?q=mit')

    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('GET /vocabularies/{name}', () => {
  it.for([
    ['licenses', 'CC BY 4.0', 'CC-BY-4.0'],
    ['licenses', 'cc-by', 'CC-BY-4.0'],
    ['licenses', 'creative commons zero', 'CC0-1.0'],
    ['languages', 'german', 'de'],
    ['languages', 'deutsch', 'de'],
    ['languages', 'haw', 'haw'],
    ['languages', 'Français', 'fr'],
    ['languages', 'francais', 'fr'],
    ['resource-types', 'data set', 'dataset'],
    ['resource-types', 'notebook', 'computationalnotebook'],
    ['relations', 'supplement to', 'IsSupplementTo'],
    ['roles', 'data coll', 'DataCollector'],
    ['subjects', 'mathem', 'Mathematics'],
  ] as const)('of %s finds %s: %s first', async ([name, q, id]) => {
    expect((await ids(name, q))[0]).toBe(id)
  })

  it('finds nothing for words that no term has', async () => {
    expect(await ids('licenses', 'zzz')).toEqual([])
  })

  it('pages through all terms, each once', async () => {
    const { hits } = await find('resource-types')
    expect(hits.hits).toHaveLength(10)
    const all: string[] = []
    let next: string | undefined = `${daemon.url}/vocabularies/resource-types?size=13`
    while (next !== undefined) {
      const page: Found = bodyOf<Found>(await visitor.get(next.slice(daemon.url.length)), 200)
      all.push(...page.hits.hits.map(({ id }) => id))
      next = page.links['next']
    }

    expect(all).toHaveLength(34)
    expect(new Set(all).size).toBe(34)
  })

  it.for(['size=0', 'size=x', 'page=0', 'page=9999999', 'size=20000'])(
    'refuses %s',
    async (query) => {
      const answer = await visitor.get(`/vocabularies/licenses?${query}`)

      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ code: 'invalid_paging' })
    },
  )

  it('names the vocabularies there are where there is none of a name', async () => {
    const answer = await visitor.get('/vocabularies/planets')

    expect(answer.status).toBe(404)
    const { message } = answer.body as { readonly message: string }
    for (const name of vocabularyNames) expect(message).toContain(name)
  })
})

describe('GET /vocabularies/{name}/{id}', () => {
  it('reads a term in any case', async () => {
    const answer = await visitor.get('/vocabularies/licenses/cc-by-4.0')

    expect(bodyOf<Term>(answer, 200)).toMatchObject({
      id: 'CC-BY-4.0',
      title: 'Creative Commons Attribution 4.0 International',
    })
  })

  it('answers 404 for a term that there is not', async () => {
    expect((await visitor.get('/vocabularies/licenses/none')).status).toBe(404)
  })
})

describe('depositd vocabulary load', () => {
  const ror = [
    {
      id: 'https://ror.org/00g30e956',
      status: 'active',
      types: ['education', 'funder'],
      names: [
        { value: 'UHH', types: ['acronym'] },
        { value: 'Universität Hamburg', types: ['label', 'ror_display'], lang: 'de' },
        { value: 'University of Hamburg', types: ['label'], lang: 'en' },
      ],
      locations: [{ geonames_details: { name: 'Hamburg', country_name: 'Germany' } }],
    },
    {
      id: 'https://ror.org/01ggx4157',
      name: 'European Organization for Nuclear Research',
      acronyms: ['CERN'],
      labels: [{ label: 'Organisation européenne pour la recherche nucléaire', iso639: 'fr' }],
      country: { country_name: 'Switzerland' },
    },
    { id: 'https://ror.org/000000000', status: 'withdrawn', names: [{ value: 'Gone' }] },
  ]

  it('fills organizations and funders from a data dump of ROR', async () => {
    await using loaded = await daemonWith('ror.json', JSON.stringify(ror, null, 2))

    expect(loaded.stdout).toBe('organizations\t2\nfunders\t1\n')
    const found = await loaded.find('organizations', 'hamburg uni')
    expect(found).toEqual([
      {
        id: 'https://ror.org/00g30e956',
        title: 'Universität Hamburg',
        aliases: ['UHH', 'University of Hamburg'],
        scheme: 'ROR',
        uri: 'https://ror.org/00g30e956',
        note: 'Hamburg, Germany',
      },
    ])
    expect((await loaded.find('organizations', 'cern')).map(({ title }) => title)).toEqual([
      'European Organization for Nuclear Research',
    ])
    expect((await loaded.find('funders', 'uhh')).map(({ id }) => id)).toEqual([ror[0]?.id])
    expect(await loaded.find('organizations', 'gone')).toEqual([])
    const term = await loaded.visitor.get('/vocabularies/organizations/https://ror.org/01ggx4157')
    expect(bodyOf<Term>(term, 200).note).toBe('Switzerland')
  })

  it.for([
    ['terms.csv', 'id,title,aliases\nmesh-1,Sea level,Meeresspiegel; niveau de la mer\n'],
    ['ror.csv', 'id,title,aliases\nhttps://ror.org/02nr0ka47,Sea level,Meeresspiegel\n'],
    ['terms.jsonl', '{"id":"mesh-1","title":"Sea level","aliases":["Meeresspiegel"]}\n'],
    ['terms.json', '[{"id": "mesh-1", "title": "Sea level", "aliases": ["Meeresspiegel"]}]'],
  ] as const)('adds terms of one’s own from %s', async ([name, text]) => {
    await using loaded = await daemonWith(name, text, 'subjects')

    const found = await loaded.find('subjects', 'meeres')
    expect(found.map(({ title }) => title)).toEqual(['Sea level'])
    expect((await loaded.find('subjects', 'mathematics')).map(({ id }) => id)).toEqual([
      'Mathematics',
    ])
  })

  it('replaces what was loaded before, and clear brings back the terms of the package', async () => {
    await using loaded = await daemonWith('a.csv', 'id,title\na,Alpha\n', 'subjects')
    const { home } = loaded
    await writeFile(join(home, '..', 'b.csv'), 'id,title\nb,Beta\n')

    await operateHere(home, ['vocabulary', 'load', join(home, '..', 'b.csv'), 'subjects'])
    expect(await loaded.find('subjects', 'alpha')).toEqual([])
    expect(await loaded.find('subjects', 'beta')).toHaveLength(1)
    await operateHere(home, ['vocabulary', 'clear', 'subjects'])
    expect(await loaded.find('subjects', 'beta')).toEqual([])
    expect(await loaded.find('subjects', 'law')).toHaveLength(1)
  })

  it.for([
    ['a.json', '{"id": "x"}', 'it is no JSON array'],
    ['a.json', '[{"id": "x", "title": "X"}', 'it ends in the middle'],
    ['a.csv', 'id,title\nx,X\ny,\n', 'term 2: it has no title'],
    ['a.jsonl', '', 'has no terms'],
  ] as const)('changes nothing for a wrong %s: %s', async ([name, text, reason]) => {
    await using loaded = await daemonWith('good.csv', 'id,title\na,Alpha\n', 'subjects')
    const path = join(loaded.home, '..', name)
    await writeFile(path, text)

    const { status, stderr } = await operateHere(loaded.home, [
      'vocabulary',
      'load',
      path,
      'subjects',
    ])

    expect(status).not.toBe(0)
    expect(stderr).toContain(reason)
    expect(await loaded.find('subjects', 'alpha')).toHaveLength(1)
  })
})

/** A daemon in whose home a file was loaded. */
async function daemonWith(name: string, text: string, vocabulary?: string) {
  const folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  const path = join(folder.path, name)
  await writeFile(path, text)
  const own = await testDaemon({ home })
  const args = ['vocabulary', 'load', path, ...(vocabulary === undefined ? [] : [vocabulary])]
  const { status, stdout, stderr } = await operateHere(home, args)
  expect({ status, stderr }).toEqual({ status: 0, stderr })
  return {
    home,
    stdout,
    visitor: own.visitor,
    find: async (of: string, q: string): Promise<readonly Term[]> => {
      const query = new URLSearchParams({ q }).toString()
      const answer = await own.visitor.get(`/vocabularies/${of}?${query}`)
      return bodyOf<Found>(answer, 200).hits.hits
    },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

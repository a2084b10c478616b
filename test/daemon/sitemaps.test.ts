import { expect, it } from 'vitest'
import { sitemaps } from '../../daemon/discovery/sitemap.ts'
import { coreParts } from '../support/core-parts.ts'
import { sampleRecord } from '../support/rows.ts'

const origin = 'https://data.example.org'
const sizes = { mostUrls: 4, pieceLength: 2 }

it('Sitemaps have each record once, and the index as many sitemaps as have one', async () => {
  await using stack = new AsyncDisposableStack()
  const { database } = await coreParts(stack)
  const values: string[] = []
  for (let count = 0; count <= 9; count += 1) {
    const links = { recordPage: (value: string) => `${origin}/records/${value}` }
    const maps = sitemaps(database.read, links, () => origin, sizes)
    const numbers = Array.from({ length: Math.ceil(count / sizes.mostUrls) }, (_, at) => at + 1)
    expect(addressesOf(await maps.index())).toEqual(
      numbers.map((number) => `${origin}/sitemaps/${number}.xml`),
    )
    const texts = await Promise.all(numbers.map((number) => maps.numbered(number)))
    const found = texts.flatMap((text) => addressesOf(text ?? ''))
    expect(found.toSorted()).toEqual(values.map(links.recordPage).toSorted())
    expect(await maps.numbered(Math.max(numbers.length, 1) + 1)).toBeUndefined()
    const record = sampleRecord()
    values.push(record.value)
    await database.write((unit) => unit.records.insert(record))
  }
})

const addressesOf = (text: string): string[] =>
  Array.from(text.matchAll(/<loc>(.*?)<\/loc>/g), ([, address = '']) => address)

import { afterAll, describe, expect, it } from 'vitest'
import { parseJson } from '../../core/json/json-text.ts'
import { naughtyStrings } from '../support/naughty-strings.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

describe('Naughty strings as a title', () => {
  it('are returned byte for byte by the item, a search and a record', async () => {
    for (const title of naughtyStrings) {
      const reply = await ada.post('/deposits/', { json: { title } })
      if (!isTaken(title)) {
        expectProblem(reply, 'malformed_json', /./)
        continue
      }
      expect([title, reply.status]).toEqual([title, 201])
      expect(reply.body).toHaveProperty('metadata.title', title)
    }
    const kept = [...naughtyStrings].filter(isTaken)
    const found: unknown[] = []
    for (let page = 1; found.length < kept.length; page += 1) {
      const { hits } = (await ada.search(`page=${page}&size=100`)).hits
      if (hits.length === 0) break
      found.push(...hits.map(({ metadata }) => ('title' in metadata ? metadata.title : undefined)))
    }
    expect(found.toReversed()).toEqual(kept)
  })

  it('are accepted or refused as queries, without a failure', async () => {
    for (const title of naughtyStrings) {
      const quoted = `"${title.replaceAll(/["\\]/g, ' ')}"`
      for (const query of [title, quoted]) {
        const { status } = await ada.get(`/deposits/?q=${encodeURIComponent(query.toWellFormed())}`)
        expect([query, status]).toEqual([query, expect.toBeOneOf([200, 400])])
      }
    }
  })

  it.for(['社會科學院語學研究所', 'ЁЂЃЄЅІЇЈЉЊЋЌЍЎЏ', '０１２３'])(
    '%j finds the deposit with that title',
    async (title) => {
      const { hits } = (await ada.search(`q=${encodeURIComponent(`"${title}"`)}`)).hits
      expect(hits.map(({ metadata }) => 'title' in metadata && metadata.title)).toContain(title)
    },
  )
})

function isTaken(title: string): boolean {
  try {
    parseJson(JSON.stringify({ title }))
    return true
  } catch {
    return false
  }
}

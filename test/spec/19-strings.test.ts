import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parseJson } from '../../core/json/json-text.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

/** The big list of naughty strings, if it lies beside the project. */
const list = fileURLToPath(
  new URL('../../../shared/data/naughty-strings/blns.json', import.meta.url),
)

/** A few of each kind, in case the list is missing. */
const some = [
  'undefined',
  '1/0',
  '０１２３',
  '¡™£¢∞§¶•ªº–≠',
  'ЁЂЃЄЅІЇЈЉЊЋЌЍЎЏ',
  '社會科學院語學研究所',
  'הָיְתָה test',
  '\u2028\u2029',
  '\u202atest\u202a',
  'Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤',
  '👩🏽 👨‍🦰 🏳0🌈️',
  '<script>alert(1)</script>',
  `"'\`><img src=x onerror=javascript:alert(1)>`,
  "1'; DROP TABLE users--",
  '$(touch /tmp/x) `touch /tmp/x` {0} %s%n',
  '../../../../etc/passwd%00',
  'AND OR NOT + - title:x [1 TO 2] "open (',
  'NUL CON AUX',
  '\u200b\ufeff',
  '',
] as const

if (!existsSync(list)) {
  process.stderr.write('SKIPPED: the big list of naughty strings is not there.\n')
}

const strings = existsSync(list)
  ? (JSON.parse(readFileSync(list, 'utf8')) as readonly string[])
  : some

describe('Naughty strings as a title', () => {
  it('are returned byte for byte by the item, a search and a record', async () => {
    for (const title of new Set([...some, ...strings])) {
      const reply = await ada.post('/deposits/', { json: { title } })
      if (!isTaken(title)) {
        expectProblem(reply, 'malformed_json', /./)
        continue
      }
      expect([title, reply.status]).toEqual([title, 201])
      expect(reply.body).toHaveProperty('metadata.title', title)
    }
    const kept = [...new Set([...some, ...strings])].filter(isTaken)
    const found: unknown[] = []
    for (let page = 1; found.length < kept.length; page += 1) {
      const { hits } = (await ada.search(`page=${page}&size=100`)).hits
      if (hits.length === 0) break
      found.push(...hits.map(({ metadata }) => ('title' in metadata ? metadata.title : undefined)))
    }
    expect(found.toReversed()).toEqual(kept)
  })

  it('are accepted or refused as queries, without a failure', async () => {
    for (const title of new Set([...some, ...strings])) {
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

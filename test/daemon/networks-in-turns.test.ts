import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { form, formType } from '../support/form.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const many = 60

let daemon: TestDaemon
/** Addresses of answers that are costly, and what each has in it. */
let costly: Readonly<Record<string, readonly [path: string, part: string]>>

beforeAll(async () => {
  daemon = await testDaemon({ files: {} })
  const user = daemon.as('ada')
  const keywords = Array.from({ length: 200 }, (_, at) => `word ${at}`)
  for (let at = 0; at < 20; at += 1) await user.createPublished({ title: `Record ${at}`, keywords })
  const draft = await user.createDraft({ title: 'Many files' })
  const names = Array.from({ length: 1000 }, (_, at) => `${at}/${'n'.repeat(200)}.txt`)
  for (let at = 0; at < names.length; at += 100) {
    const parts = names
      .slice(at, at + 100)
      .map((filename) => ({ name: 'file', filename, content: '' }))
    const sent = { body: form(...parts), headers: { 'content-type': formType } }
    expect((await user.post(draft.links['bundles'] ?? '', sent)).status).toBe(201)
  }
  const { links } = await user.publish(draft)
  const record = new URL(links['record'] ?? '').pathname
  costly = {
    harvest: ['/oai?verb=ListRecords&metadataPrefix=oai_datacite', '<ListRecords>'],
    files: [`${record}/export/croissant`, '999/nnn'],
  }
})
afterAll(() => daemon[Symbol.asyncDispose]())

type Costly = 'harvest' | 'files'

/** Asks from an address of this machine. */
function ask(what: Costly, from: string): ClientRequest {
  const [path] = costly[what] ?? ['']
  return request(daemon.origin + path, { localAddress: from, agent: false })
    .on('error', () => {})
    .end()
}

async function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response
}

async function read(what: Costly, from: string): Promise<void> {
  expect(await text(await answerTo(ask(what, from)))).toContain(costly[what]?.[1])
}

it.for(['harvest', 'files'] as const)(
  'answers a network before all requests (%s) that another one has sent earlier',
  async (what) => {
    let answered = 0
    const first = Array.from({ length: many }, async () => {
      await read(what, '127.0.0.2')
      answered += 1
    })
    await Promise.race(first)
    await read(what, '127.0.0.3')
    expect(answered).toBeLessThan(many / 2)
    await Promise.all(first)
  },
)

it.for(['harvest', 'files'] as const)(
  'does no work for requests (%s) whose clients are gone',
  async (what) => {
    const left = Array.from({ length: many }, () => ask(what, '127.0.0.2'))
    expect((await Promise.race(left.map(answerTo))).statusCode).toBe(200)
    for (const asked of left) asked.destroy()

    let isAnswered = false
    const next = read(what, '127.0.0.2').then(() => (isAnswered = true))
    let others = 0
    while (!isAnswered) {
      await read(what, '127.0.0.3')
      others += 1
    }
    await next
    expect(others).toBeLessThan(many / 4)
  },
)

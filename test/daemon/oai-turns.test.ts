import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const many = 60

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await testDaemon({ files: {} })
  const user = daemon.as('ada')
  const keywords = Array.from({ length: 200 }, (_, at) => `word ${at}`)
  for (let at = 0; at < 20; at += 1) await user.createPublished({ title: `Record ${at}`, keywords })
})
afterAll(() => daemon[Symbol.asyncDispose]())

/** Asks for all records, from an address of this machine. */
function ask(from: string): ClientRequest {
  const url = `${daemon.origin}/oai?verb=ListRecords&metadataPrefix=dcat`
  return request(url, { localAddress: from, agent: false })
    .on('error', () => {})
    .end()
}

async function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response
}

async function harvest(from: string): Promise<void> {
  expect(await text(await answerTo(ask(from)))).toContain('<ListRecords>')
}

it('answers a harvester before all requests that another network has sent earlier', async () => {
  let answered = 0
  const first = Array.from({ length: many }, async () => {
    await harvest('127.0.0.2')
    answered += 1
  })
  await first[0]
  await harvest('127.0.0.3')
  expect(answered).toBeLessThan(many / 2)
  await Promise.all(first)
})

it('does no work for requests whose clients are gone', async () => {
  const left = Array.from({ length: many }, () => ask('127.0.0.2'))
  expect((await Promise.race(left.map(answerTo))).statusCode).toBe(200)
  for (const asked of left) asked.destroy()

  let isAnswered = false
  const next = harvest('127.0.0.2').then(() => (isAnswered = true))
  let others = 0
  while (!isAnswered) {
    await harvest('127.0.0.3')
    others += 1
  }
  await next
  expect(others).toBeLessThan(many / 4)
})

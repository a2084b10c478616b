import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { form, formType } from '../support/form.ts'
import { send } from '../support/http.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const host = (): string => new URL(daemon.origin).host

async function expectHealthy(): Promise<void> {
  expect((await send('GET', `${daemon.origin}/health`)).status).toBe(200)
}

describe('a request with too large a head', () => {
  const lines = (count: number, size: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'x'.repeat(size)]))

  it.for([
    ['one line of 20 kB', lines(1, 20_000)],
    ['one line of 80 kB', lines(1, 80_000)],
    ['3,000 lines', lines(3000, 10)],
    ['a cookie of 30 kB', { cookie: `a=${'x'.repeat(30_000)}` }],
  ] as const)('is 431, and the service keeps running: %s', async ([, headers]) => {
    const all = { host: host(), connection: 'close', ...headers }
    const { status } = await rawRequest(daemon.origin, head('GET /health', all))

    expect(status).toBe(431)
    await expectHealthy()
  })

  it('is 414 or 431 with a target of 20 kB', async () => {
    const path = `/api/deposits/${'x'.repeat(20_000)}`
    const headers = { host: host(), connection: 'close' }
    const { status } = await rawRequest(daemon.origin, head(`GET ${path}`, headers))

    expect([414, 431]).toContain(status)
    await expectHealthy()
  })
})

describe('a form with too much in it', () => {
  async function postParts(body: Buffer<ArrayBuffer>): Promise<number> {
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    const headers = { 'content-type': formType }
    const { status } = await ada.post(`/deposits/${draft.id}/files`, { headers, body })
    expect(await ada.keys(draft)).toEqual([])
    return status
  }

  it('is 400 with 10,000 parts', async () => {
    const parts = Array.from({ length: 10_000 }, (_, at) => ({ name: `n-${at}`, content: 'x' }))

    expect(await postParts(form(...parts))).toBe(400)
    await expectHealthy()
  })

  it('is 400 with 3,000 headers of a part', async () => {
    const whole = form({ name: 'file', filename: 'a', content: 'x' }).toString()
    const extra = Array.from({ length: 3000 }, (_, at) => `X-${at}: y\r\n`).join('')
    const body = Buffer.from(whole.replace('Content-Disposition', `${extra}Content-Disposition`))

    expect(await postParts(body)).toBe(400)
    await expectHealthy()
  })
})

describe('a connection', () => {
  it('may send 10,000 requests before it reads an answer, and gets all of them', async () => {
    const requests = 10_000
    const socket = connect(Number(new URL(daemon.origin).port), '127.0.0.1')
    await once(socket, 'connect')
    let answered = 0
    let rest = ''
    const { promise: all, resolve } = Promise.withResolvers<void>()
    socket.on('data', (chunk: Buffer) => {
      const text = rest + chunk.toString('latin1')
      answered += text.split('HTTP/1.1 200').length - 1
      // The last bytes may begin the next answer; they are too few to hold a whole status line.
      rest = text.slice(-11)
      if (answered === requests) resolve()
    })
    socket.write(head('GET /health', { host: host() }).repeat(requests))
    await Promise.race([all, once(socket, 'close')])
    socket.destroy()

    expect(answered).toBe(requests)
    await expectHealthy()
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { faultKinds } from '../support/services/faults.ts'
import { startService, type FakeService, type Service } from '../support/services/service.ts'
import { store, type Stored } from '../support/services/exchange.ts'

it.for([
  ['error', false],
  ['tooMany', false],
  ['html', false],
  ['cutRequest', false],
  ['gatewayTimeout', true],
  ['brokenJson', true],
  ['lostAnswer', true],
  ['cutAnswer', true],
  ['slow', true],
  ['throttle', true],
] as const)('a request that ends by %s leaves the work done: %s', async ([kind, isDone]) => {
  await using shelf = await startShelf()
  shelf.misbehave({ next: [kind], delay: 10 })
  const seen = await send(shelf, 'x'.repeat(1000))
  const wanted = {
    error: /^(500|503) json$/,
    tooMany: /^429 json$/,
    html: /^502 <html>/,
    gatewayTimeout: /^504 <html>/,
    brokenJson: /^200 broken$/,
    slow: /^200 json$/,
    throttle: /^200 json$/,
    lostAnswer: /^cut$/,
    cutRequest: /^cut$/,
    cutAnswer: /^cut$/,
  }
  expect(seen).toMatch(wanted[kind])
  expect(shelf.state()).toHaveLength(isDone ? 1 : 0)
  expect(shelf.requests.map(({ fault }) => fault)).toEqual([kind])
  expect(await send(shelf, 'y')).toBe('200 json')
})

it('the same seed gives the same faults, in the wanted share', async () => {
  const ends = async (): Promise<readonly unknown[]> => {
    await using shelf = await startShelf()
    shelf.misbehave({ seed: 7, shares: { error: 0.2, lostAnswer: 0.2 } })
    for (let at = 0; at < 100; at += 1) await send(shelf, 'x')
    return shelf.requests.map(({ fault }) => fault)
  }
  const first = await ends()
  expect(await ends()).toEqual(first)
  const failed = first.filter((fault) => fault !== undefined).length
  expect(failed).toBeGreaterThan(25)
  expect(failed).toBeLessThan(55)
})

it('only the requests that are meant go wrong', async () => {
  await using shelf = await startShelf()
  shelf.misbehave({ only: '^GET ', next: ['error'] })
  expect(await send(shelf, 'x')).toBe('200 json')
  expect((await fetch(`${shelf.url}/boxes`)).status).toBeGreaterThanOrEqual(500)
  expect((await fetch(`${shelf.url}/boxes`)).status).toBe(405)
})

it('the log says what arrived, without secrets', async () => {
  await using shelf = await startShelf()
  await fetch(`${shelf.url}/boxes?access_token=secret&name=a`, {
    method: 'PUT',
    body: 'abc',
    headers: { authorization: 'Bearer secret', 'x-dataverse-key': 'secret' },
  })
  expect(JSON.stringify(shelf.requests)).not.toContain('secret')
  expect(shelf.requests).toMatchObject([
    {
      method: 'PUT',
      path: '/boxes?access_token=…&name=a',
      headers: { authorization: 'Bearer' },
      received: 3,
      md5: '900150983cd24fb0d6963f7d28e17f72',
      status: 200,
    },
  ])
})

it('a large file takes no memory', async () => {
  await using shelf = await startShelf()
  const chunk = new Uint8Array(1_000_000)
  const before = process.memoryUsage().rss
  const body = ReadableStream.from(
    (function* () {
      for (let at = 0; at < 300; at += 1) yield chunk
    })(),
  )
  await fetch(`${shelf.url}/boxes`, { method: 'PUT', body, duplex: 'half' })
  expect(shelf.state()).toMatchObject([{ size: 300_000_000 }])
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

it('a service runs as a program, whose state and log can be read and whose faults be set', async () => {
  const program = fileURLToPath(new URL('../support/services/main.ts', import.meta.url))
  const child = spawn(process.execPath, [program, 'datacite'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  const url = first.toString().trim()
  await fetch(`${url}/-/faults`, { method: 'PUT', body: '{"next":["html"],"only":"/dois"}' })
  expect((await fetch(`${url}/dois/10.5072/one`)).status).toBe(502)
  expect((await fetch(`${url}/dois/10.5072/one`)).status).toBe(404)
  expect(await (await fetch(`${url}/-/state`)).json()).toEqual({})
  expect(await (await fetch(`${url}/-/requests`)).json()).toMatchObject([
    { status: 502 },
    { status: 404 },
  ])
  child.stdin.end()
  expect(await ended).toEqual([0, null])
})

it('page does the work, and answers a page with the usual status', async () => {
  await using shelf = await startShelf()
  shelf.misbehave({ next: ['page'] })
  const answer = await fetch(`${shelf.url}/boxes`, { method: 'PUT', body: 'abc' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ])
  expect(shelf.state()).toMatchObject([{ size: 3 }])
})

it('every kind of fault is tried here', () => {
  expect(faultKinds).toHaveLength(11)
})

async function startShelf(): Promise<FakeService> {
  const boxes: Stored[] = []
  const service: Service = {
    routes: [
      {
        method: 'PUT',
        path: '/boxes',
        answer: async ({ body }) => {
          boxes.push(await store(body))
          return { body: { boxes: boxes.length, padding: 'x'.repeat(1000) } }
        },
      },
    ],
    unknown: (_, allowed) => ({ status: allowed.length > 0 ? 405 : 404 }),
    failure: (status) => ({ status }),
    state: () => boxes.map(({ size, md5 }) => ({ size, md5 })),
  }
  return startService(service)
}

/** Status and form of the answer, or that there was none. */
async function send({ url }: FakeService, body: string): Promise<string> {
  try {
    const reply = await fetch(`${url}/boxes`, { method: 'PUT', body })
    const text = await reply.text()
    if (text.startsWith('<html>')) return `${reply.status} <html>`
    try {
      JSON.parse(text)
      return `${reply.status} json`
    } catch {
      return `${reply.status} broken`
    }
  } catch {
    return 'cut'
  }
}

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

async function open(daemon: TestDaemon): Promise<Socket> {
  const { hostname, port } = new URL(daemon.origin)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The bytes that a socket gets until the other end closes it. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

const isWell = async ({ origin }: TestDaemon): Promise<boolean> =>
  (await fetch(`${origin}/health`, { headers: { connection: 'close' } })).ok

describe('the head of a request', () => {
  it.for([
    ['one header', { 'x-large': 'x'.repeat(20_000) }],
    [
      'many headers',
      Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`x-${n}`, 'xxxxxxx'])),
    ],
    ['a cookie', { cookie: `a=${'x'.repeat(20_000)}` }],
  ] as const)(
    'that is larger than the limit is 431 (%s), and the next is answered',
    async ([, large]) => {
      await using daemon = await testDaemon({ env: { DEPOSIT_MAX_HEADERS: '16384' } })
      const { host } = new URL(daemon.origin)
      const headers = { host, ...large, connection: 'close' }

      const { status } = await rawRequest(daemon.origin, head('GET /health', headers))

      expect(status).toBe(431)
      expect(await isWell(daemon)).toBe(true)
    },
  )

  it('that never ends is 408 in time, while others are answered', async () => {
    await using daemon = await testDaemon()
    const socket = await open(daemon)
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n')
    const drip = setInterval(() => socket.write('x-slow: 1\r\n'), 500)

    const answer = readAll(socket).finally(() => clearInterval(drip))
    expect(await isWell(daemon)).toBe(true)

    expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
  })
})

describe('connections', () => {
  it('beyond the limit are closed, until there is room again', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_MAX_CONNECTIONS: '2' } })
    const idle = [await open(daemon), await open(daemon)]

    expect(await readAll(await open(daemon))).toBe('')

    for (const socket of idle) socket.destroy()
    await expect.poll(() => isWell(daemon).catch(() => false)).toBe(true)
  })
})

describe('a client that leaves before its request is handled', () => {
  it('causes no failure of the service', async () => {
    await using daemon = await testDaemon()
    const { host } = new URL(daemon.origin)
    const request = head('GET /api/deposits/', { host, authorization: 'Bearer dep_pt_x' })
    for (let round = 0; round < 50; round += 1) {
      const socket = await open(daemon)
      socket.write(request.repeat(20), () => socket.resetAndDestroy())
    }
    expect(await isWell(daemon)).toBe(true)
  })
})

describe('a daemon that stops', () => {
  it('does not wait for connections that have sent nothing, or half of a head', async () => {
    const daemon = await testDaemon()
    const { host } = new URL(daemon.origin)
    const half = `GET /health HTTP/1.1\r\nHost: ${host}\r\n`
    const [silent, begun, again] = [await open(daemon), await open(daemon), await open(daemon)]
    begun.write(half)
    again.write(head('GET /health', { host }))
    await once(again, 'data')
    again.write(half)

    await daemon[Symbol.asyncDispose]()

    expect(await readAll(silent)).toBe('')
    expect(await readAll(begun)).toBe('')
    await readAll(again)
  })
})

const noTable = process.platform === 'linux' ? undefined : 'only Linux says who is connected'

describe('an answer', () => {
  it.skipIf(unless('a client that does not read', noTable))(
    'that its client does not read is abandoned, and others are answered',
    async () => {
      await using daemon = await testDaemon({ env: { DEPOSIT_PROGRESS_SECONDS: '1' } })
      const owner = daemon.as('owner')
      const draft = await owner.createDraft()
      const size = 32 * 1024 * 1024
      expect((await owner.putObject(draft, 'large', Buffer.alloc(size))).status).toBe(201)
      const { host, pathname } = new URL(`${draft.links['bucket']}/large`)
      const socket = (await open(daemon)).pause()
      socket.write(head(`GET ${pathname}`, { host, ...(await owner.authorization()) }))

      await expect.poll(() => isServed(daemon, socket)).toBe(false)

      expect(await isWell(daemon)).toBe(true)
      expect((await readAll(socket.resume())).length).toBeLessThan(size)
    },
  )
})

/** Whether the daemon has its end of a connection open; the client cannot tell while it sleeps. */
async function isServed({ origin }: TestDaemon, { localPort = 0 }: Socket): Promise<boolean> {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
  const table = await readFile('/proc/net/tcp', 'utf8')
  const ends = `:${hex(Number(new URL(origin).port))} \\w+:${hex(localPort)}`
  return new RegExp(`${ends} 01 `).test(table)
}

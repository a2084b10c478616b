import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { expectProblem } from '../support/problem.ts'
import { head } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

describe('bytes that are still arriving', () => {
  let daemon: TestDaemon
  beforeAll(async () => {
    daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '1000000' } })
  })
  afterAll(() => daemon[Symbol.asyncDispose]())

  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const ways = {
    raw: (draft: DepositBody) => ({
      line: `PUT ${new URL(draft.links['bucket'] ?? '').pathname}/a`,
      type: 'application/octet-stream',
      first: 'x',
    }),
    form: ({ id }: DepositBody) => ({
      line: `POST /api/deposits/${id}/files`,
      type: 'multipart/form-data; boundary=b',
      first: part,
    }),
  }

  /** A request whose bytes never end. */
  async function send(draft: DepositBody, way: keyof typeof ways, user: string): Promise<Socket> {
    const { line, type, first } = ways[way](draft)
    const { host, port } = new URL(daemon.origin)
    const headers = { host, 'content-type': type, 'transfer-encoding': 'chunked' }
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    socket.write(head(line, { ...headers, ...(await daemon.as(user).authorization()) }))
    socket.write(`${first.length.toString(16)}\r\n${first}\r\n`)
    return socket
  }

  async function answerToAll(sockets: readonly Socket[]): Promise<readonly string[]> {
    const chunk = `10000\r\n${'x'.repeat(0x1_0000)}\r\n`
    return Promise.all(
      sockets.map(async (socket) => {
        const answer: Buffer[] = []
        socket.on('data', (data: Buffer) => answer.push(data))
        const closed = new Promise((resolve) => socket.once('close', resolve))
        const sending = setInterval(() => socket.writable && socket.write(chunk), 1)
        await closed
        clearInterval(sending)
        return Buffer.concat(answer).toString()
      }),
    )
  }

  it.for(['raw', 'form'] as const)(
    'of unknown length are refused at the end of the quota (%s)',
    async (way) => {
      const user = `endless-${way}`
      const draft = await daemon.as(user).createDraft()
      const sockets = await Promise.all([1, 2, 3].map(() => send(draft, way, user)))
      for (const answer of await answerToAll(sockets)) {
        expect(answer).toMatch(/^HTTP\/1\.1 507 .*quota_exceeded/s)
      }
      expect(await daemon.storedBytes()).toEqual([])
      const whole = await daemon.as(user).putObject(draft, 'a', 'x'.repeat(990_000))
      expect(whole.status).toBe(201)
      await daemon.as(user).delete(`/deposits/${draft.id}`)
    },
  )

  it('of an announced length count against the quota before they have arrived', async () => {
    const owner = daemon.as('announced')
    const draft = await owner.createDraft()
    const { host, port, pathname } = new URL(`${draft.links['bucket']}/a`)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    const headers = { host, 'content-length': '600000', ...(await owner.authorization()) }
    socket.write(`${head(`PUT ${pathname}`, headers)}x`)
    await expect.poll(() => daemon.isReceiving()).toBe(true)
    const second = await owner.putObject(draft, 'b', 'x'.repeat(600_000))
    expectProblem(second, 'quota_exceeded', /1000000/)
    const [closed] = [once(socket, 'close'), socket.resetAndDestroy()]
    await closed
    await expect
      .poll(async () => (await owner.putObject(draft, 'b', 'x'.repeat(600_000))).status)
      .toBe(201)
  })
})

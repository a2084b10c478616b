import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { hasPostgres } from '../support/postgres.ts'
import { head } from '../support/raw-request.ts'
import { hasS3 } from '../support/s3.ts'
import type { User } from '../support/user.ts'
import { append, begun, bytes, metadata, offsetOf, tus } from '../uploads/tus-client.ts'
import { twoDaemons, type TwoDaemons } from './two-daemons.ts'

describe.skipIf(!hasPostgres() || !hasS3())('an upload at two daemons', () => {
  let daemons: TwoDaemons
  beforeAll(async () => void (daemons = await twoDaemons()))
  afterAll(() => daemons[Symbol.asyncDispose]())

  const elsewhere = (user: User): User => daemons.elsewhere(user)
  /** The same upload at the other daemon. */
  const there = (url: string): string => url.replace(daemons.one.origin, daemons.two.origin)

  it.for([
    ['less than a part', 4096, 20],
    ['more than a part', 9 * 1024 * 1024, 3],
  ] as const)('has the bytes that were acknowledged, of %s', async ([, size, times]) => {
    const ada = daemons.one.as('ada')
    for (let time = 0; time < times; time += 1) {
      const draft = await ada.createDraft()
      const url = await begun(ada, draft, { size: 2 * size })
      const acknowledged: { readonly from: number; readonly sent: Buffer }[] = []
      for (
        let from = 0;
        from < 2 * size;
        from = Number(await offsetOf(elsewhere(ada), there(url)))
      ) {
        const length = Math.min(size, 2 * size - from)
        const [here, other] = [randomBytes(length), randomBytes(length)]
        const replies = await Promise.all([
          append(ada, url, from, here),
          append(elsewhere(ada), there(url), from, other),
        ])
        const taken = [here, other].filter((_, index) => replies[index]?.status === 204)
        expect(taken.length, told(replies)).toBeLessThanOrEqual(1)
        for (const { status } of replies) expect([204, 409], told(replies)).toContain(status)
        acknowledged.push(...taken.map((sent) => ({ from, sent })))
      }

      const stored = await readBack(ada, draft)
      expect(stored.length).toBe(2 * size)
      for (const { from, sent } of acknowledged)
        expect(stored.subarray(from, from + sent.length).equals(sent)).toBe(true)
    }
  })

  it('is finished once when both get its last bytes', async () => {
    const ada = daemons.one.as('ada')
    const draft = await ada.createDraft()
    const url = await begun(ada, draft, { size: 6 })
    await append(ada, url, 0, Buffer.from('abc'))
    const last = Buffer.from('def')
    const replies = await Promise.all([
      append(ada, url, 3, last),
      append(elsewhere(ada), there(url), 3, last),
    ])

    const statuses = replies.map(({ status }) => status)
    expect(new Set(statuses), told(replies)).toEqual(new Set([204, 409]))
    expect((await readBack(ada, draft)).toString()).toBe('abcdef')
  })

  it('is given over by a request whose bytes do not come', async () => {
    const ada = daemons.one.as('ada')
    const draft = await ada.createDraft()
    const url = await begun(ada, draft, { size: 10 })
    const { answer } = await patching(ada, url, 'abcd', 10)

    const offset = Number(await offsetOf(elsewhere(ada), there(url)))
    expect(await answer).toMatch(/^HTTP\/1\.1 409 .*"upload_conflict"/s)
    const rest = Buffer.from('abcdefghij').subarray(offset)
    expect((await append(elsewhere(ada), there(url), offset, rest)).status).toBe(204)
    expect((await readBack(ada, draft)).toString()).toBe('abcdefghij')
  })

  it('is deleted while the other receives its bytes', async () => {
    const ada = daemons.one.as('ada')
    const url = await begun(ada, await ada.createDraft(), { size: 10 })
    const { answer } = await patching(ada, url, 'abcd', 10)

    expect((await elsewhere(ada).delete(there(url), tus)).status).toBe(204)
    expect(await answer).toMatch(/^HTTP\/1\.1 409 /)
    expect((await ada.send('HEAD', url, { headers: tus })).status).toBe(404)
  })

  it('is one file when both put the same parts together', async () => {
    const ada = daemons.one.as('ada')
    const draft = await ada.createDraft()
    const parts: string[] = []
    for (const sent of ['ab', 'cd']) {
      const headers = { ...tus, 'upload-length': '2', 'upload-concat': 'partial' }
      const reply = await ada.post(draft.links['uploads'] ?? '', { headers })
      const url = reply.headers.get('location') ?? ''
      expect((await append(ada, url, 0, Buffer.from(sent))).status).toBe(204)
      parts.push(url)
    }
    const named = { 'upload-metadata': metadata({ filename: 'a.bin' }) }
    const headers = { ...tus, ...named, 'upload-concat': `final;${parts.join(' ')}` }
    const list = draft.links['uploads'] ?? ''
    const replies = await Promise.all([
      ada.post(list, { headers }),
      elsewhere(ada).post(there(list), { headers }),
    ])

    expect(
      replies.map(({ status }) => status),
      told(replies),
    ).toEqual([201, 201])
    expect((await readBack(ada, draft)).toString()).toBe('abcd')
  })

  it('acknowledges nothing once its lock was lost', async () => {
    const ada = daemons.one.as('ada')
    const draft = await ada.createDraft()
    const url = await begun(ada, draft, { size: 10 })
    const { answer } = await patching(ada, url, 'abcd', 10)
    await expect.poll(locksHeld).toBe(1)
    await using db = openPostgres(daemons.database, { connections: 1 })
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and classid = ${0x64657075}`.execute(db)

    expect(await answer).toMatch(/^HTTP\/1\.1 503 .*Ask with HEAD/s)
    const offset = Number(await offsetOf(elsewhere(ada), there(url)))
    const rest = Buffer.from('abcdefghij').subarray(offset)
    expect((await append(ada, url, offset, rest)).status).toBe(204)
    expect((await readBack(ada, draft)).toString()).toBe('abcdefghij')
  })

  it('is free at once when the daemon that receives its bytes is killed', async () => {
    await using killed = await lastingDaemon({ env: daemons.env })
    const { owner } = killed
    const other = elsewhere(owner)
    for (const [size, sent] of [
      [10, 4],
      [9 * 1024 * 1024, 6 * 1024 * 1024],
    ] as const) {
      const draft = await other.createDraft()
      const content = randomBytes(size)
      const at = await begun(other, draft, { size })
      const url = at.replace(daemons.two.origin, killed.origin)
      const { answer } = await patching(owner, url, content.subarray(0, sent), size)
      await killed.kill()
      expect(await answer).toBe('')

      const offset = Number(await offsetOf(other, at))
      expect((await append(other, at, offset, content.subarray(offset))).status).toBe(204)
      expect((await readBack(other, draft)).equals(content)).toBe(true)
      await killed.start()
    }
  })

  /** A PATCH that has sent a few of its bytes, and what it is answered. */
  async function patching(
    user: User,
    url: string,
    sent: string | Buffer,
    size: number,
  ): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
    const { host, port, pathname } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    const about = { ...bytes, 'upload-offset': '0', 'content-length': String(size) }
    const headers = { host, ...(await user.authorization()), ...about, connection: 'close' }
    const received: Buffer[] = []
    socket.on('data', (data: Buffer) => received.push(data))
    // A killed daemon resets the connection, which is an error before it is the end.
    const { promise: answer, resolve } = Promise.withResolvers<string>()
    socket.on('close', () => resolve(Buffer.concat(received).toString()))
    socket.write(head(`PATCH ${pathname}`, headers))
    socket.write(sent)
    await expect.poll(() => underWay(url)).toBe('1')
    return { socket, answer }
  }

  async function locksHeld(): Promise<number> {
    await using db = openPostgres(daemons.database, { connections: 1 })
    const { rows } = await sql`select from pg_locks where locktype = 'advisory'
      and classid = ${0x64657075}`.execute(db)
    return rows.length
  }
})

/** A daemon's count of requests that bring bytes. */
async function underWay(url: string): Promise<string | undefined> {
  const { bytes: text } = await send('GET', `${new URL(url).origin}/metrics`)
  return /^deposit_uploads_under_way (\d+)$/m.exec(text.toString())?.[1]
}

async function readBack(user: User, draft: DepositBody): Promise<Buffer> {
  const files = await user.get(`/deposits/${draft.id}/files`)
  const [file] = bodyOf<readonly FileBody[]>(files, 200)
  const bucket = draft.links['bucket']?.split('/').at(-1)
  const { status, bytes: stored } = await user.get(`/files/${bucket}/${file?.filename}`)
  expect(status).toBe(200)
  return stored
}

function told(replies: readonly Reply[]): string {
  return JSON.stringify(replies.map(({ status, body }) => ({ status, body })))
}

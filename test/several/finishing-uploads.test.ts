import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { hasPostgres } from '../support/postgres.ts'
import { hasS3 } from '../support/s3.ts'
import type { User } from '../support/user.ts'
import { append, begun, tus } from '../uploads/tus-client.ts'
import { twoDaemons, type TwoDaemons } from './two-daemons.ts'

describe.skipIf(!hasPostgres() || !hasS3())('an upload that is made a file', () => {
  let daemons: TwoDaemons
  beforeAll(async () => void (daemons = await twoDaemons()))
  afterAll(() => daemons[Symbol.asyncDispose]())

  const elsewhere = (user: User): User => daemons.elsewhere(user)
  /** Less than a part of the store, and parts that end with the last byte. */
  const sizes = [1000, 16 * 1024 * 1024] as const

  it.for(sizes)('is waited for by later requests at both daemons, of %i bytes', async (size) => {
    const ada = daemons.one.as('ada')
    const draft = await ada.createDraft()
    const content = randomBytes(size)
    const url = await begun(ada, draft, { size })
    const there = url.replace(daemons.one.origin, daemons.two.origin)
    const held = await hold(draft)
    const sending = append(ada, url, 0, content)
    await expect.poll(waiting).toBe(1)
    const asked = [ask(ada, url), ask(elsewhere(ada), there)].map(async (reply) => ({
      reply: await reply,
      files: await ada.files(draft),
    }))
    const sentAgain = append(elsewhere(ada), there, 0, content)
    await held.release()

    expect((await sending).status).toBe(204)
    for (const { reply, files } of await Promise.all(asked)) {
      expect(reply.status).toBe(200)
      expect(reply.headers.get('upload-offset')).toBe(String(size))
      expect(files).toHaveLength(1)
    }
    expect((await sentAgain).status).toBe(409)
    await expectOnlyFile(ada, draft, content)
  })

  it('is made one by another daemon if its own was killed', async () => {
    await using killed = await lastingDaemon({ env: daemons.env })
    const { owner } = killed
    const other = elsewhere(owner)
    for (const size of sizes) {
      const draft = await other.createDraft()
      const content = randomBytes(size)
      const at = await begun(other, draft, { size })
      const held = await hold(draft)
      const sending = append(owner, at.replace(daemons.two.origin, killed.origin), 0, content)
      const broken = expect(sending).rejects.toThrow()
      await expect.poll(waiting).toBe(1)
      await killed.kill()
      await broken
      await held.release()

      const reply = await ask(other, at)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('upload-offset')).toBe(String(size))
      await expectOnlyFile(other, draft, content)
      await other.publish(draft)
      await killed.start()
    }
  })

  const ask = (user: User, url: string) => user.send('HEAD', url, { headers: tus })

  async function expectOnlyFile(user: User, draft: DepositBody, content: Buffer): Promise<void> {
    const [file, ...others] = await user.files(draft)
    expect(others).toEqual([])
    const bucket = draft.links['bucket']?.split('/').at(-1)
    const { status, bytes } = await user.get(`/files/${bucket}/${file?.filename}`)
    expect(status).toBe(200)
    expect(bytes.equals(content)).toBe(true)
  }

  /** Locks the row of a deposit: a file that is added to it waits. */
  async function hold({ id }: DepositBody) {
    const db = openPostgres(daemons.database, { connections: 1 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const { promise: isHeld, resolve: holds } = Promise.withResolvers<void>()
    const holding = db.transaction().execute(async (unit) => {
      // The test asks nothing while it holds the row, for as long as the bytes take to arrive.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(unit)
      await sql`select from deposits where id = ${id} for update`.execute(unit)
      holds()
      await promise
    })
    await isHeld
    return {
      release: async () => {
        resolve()
        await holding
        await db.destroy()
      },
    }
  }

  /** Units of work that wait for a row. */
  async function waiting(): Promise<number> {
    await using db = openPostgres(daemons.database, { connections: 1 })
    const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock'`.execute(
      db,
    )
    return rows.length
  }
})

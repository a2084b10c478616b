import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

/** Each time, the two meet at other moments. */
const times = 40

describe.skipIf(!hasPostgres())('a draft that one daemon publishes', () => {
  const stack = new AsyncDisposableStack()
  let one: TestDaemon
  let two: TestDaemon
  beforeAll(async () => {
    const server = stack.use(await startPostgres())
    const env = { DEPOSIT_DATABASE_URL: await server.database(randomUUID()) }
    one = stack.use(await testDaemon({ env, files: {} }))
    two = stack.use(await testDaemon({ env, files: {} }))
  })
  afterAll(() => stack.disposeAsync())

  it('has no upload that another has begun meanwhile', async () => {
    const outcomes = await meet((ada, { id }) =>
      ada.post(`/deposits/${id}/uploads`, {
        headers: {
          'tus-resumable': '1.0.0',
          'upload-length': '5',
          'upload-metadata': `filename ${Buffer.from('late.txt').toString('base64')}`,
        },
      }),
    )

    for (const { draft, published, other } of outcomes) {
      const isBegun = other.status === 201
      expect(published.status === 202, JSON.stringify([published.body, other.body])).toBe(!isBegun)
      const uploads = await one.as('ada').get(`/deposits/${draft.id}/uploads`)
      expect(bodyOf<readonly unknown[]>(uploads, 200)).toHaveLength(isBegun ? 1 : 0)
    }
  })

  it('has every empty file that another has uploaded meanwhile, or refused', async () => {
    const outcomes = await meet((ada, { id }) =>
      ada.post(`/deposits/${id}/uploads`, {
        headers: {
          'tus-resumable': '1.0.0',
          'upload-length': '0',
          'upload-metadata': `filename ${Buffer.from('late.txt').toString('base64')}`,
        },
      }),
    )

    for (const { draft, published, other } of outcomes) {
      expect(published.status, JSON.stringify(published.body)).toBe(202)
      expect([201, 403, 409]).toContain(other.status)
      const names = await one.as('ada').keys(draft)
      expect(names).toEqual(other.status === 201 ? ['late.txt'] : [])
      if (other.status !== 201) expect(JSON.stringify(other.body)).toMatch(/publish/)
    }
  })

  it('has every file that another has stored meanwhile, or refused', async () => {
    const outcomes = await meet((ada, { links }) => {
      const bucket = new URL(links['bucket'] ?? '').pathname.replace(/^\/api/, '')
      return ada.send('PUT', `${bucket}/late.txt`, { body: 'late' })
    })

    for (const { draft, published, other } of outcomes) {
      expect(published.status).toBe(202)
      expect([201, 403, 409]).toContain(other.status)
      const files = bodyOf<readonly FileBody[]>(
        await one.as('ada').get(`/deposits/${draft.id}/files`),
        200,
      )
      const names = files.map(({ filename }) => filename)
      expect(names).toEqual(other.status === 201 ? ['late.txt'] : [])
    }
  })

  it('has the metadata that another has acknowledged meanwhile, or refused', async () => {
    const outcomes = await meet((ada, { id }) => ada.put(`/deposits/${id}`, { title: 'Changed' }))

    for (const { published, other } of outcomes) {
      const { links } = bodyOf<DepositBody>(published, 202)
      const record = await one.as('ada').get(links['record'] ?? '')
      const title = other.status === 200 ? 'Changed' : 'Sea level'
      expect(bodyOf<DepositBody>(record, 200).metadata).toMatchObject({ title })
    }
  })

  it('is one record, however often it is asked for with the same key', async () => {
    for (let time = 0; time < times / 4; time += 1) {
      const ada = one.as('ada')
      const { id } = await ada.createDraft()
      const path = `/deposits/${id}/actions/publish`
      const sent = { headers: { 'idempotency-key': randomUUID() } }
      const users = [ada, elsewhere(ada), ada, elsewhere(ada)]
      const replies = await Promise.all(users.map((user) => user.post(path, sent)))

      // Each daemon answers with its own address.
      const records = replies.map(
        (reply) => new URL(bodyOf<DepositBody>(reply, 202).links['record'] ?? '').pathname,
      )
      expect(new Set(records).size).toBe(1)
      const replayed = replies.filter(({ headers }) => headers.has('idempotency-replayed'))
      expect(replayed).toHaveLength(3)
    }
  })

  /** The user of one daemon, as a client of the other. */
  function elsewhere(user: User): User {
    return new User(two.url, async () => (await user.authorization())['authorization']?.slice(7))
  }

  /** Publishes drafts at one daemon while something else is asked of the other. */
  async function meet(ask: (ada: User, draft: DepositBody) => Promise<Reply>) {
    const ada = one.as('ada')
    const outcomes = []
    for (let time = 0; time < times; time += 1) {
      const draft = await ada.createDraft()
      const [published, other] = await Promise.all([
        ada.act(draft, 'publish'),
        ask(elsewhere(ada), draft),
      ])
      outcomes.push({ draft, published, other })
    }
    return outcomes
  }
})

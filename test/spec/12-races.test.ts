import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Content, type Reply } from '../support/http.ts'
import { form, formType } from '../support/form.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { trailOf } from '../support/trail.ts'

/** Records each action that succeeds, as an institution's own receiver would. */
const listening = `
  import { appendFileSync } from 'node:fs'
  const note = ({ action, pid }) =>
    appendFileSync(new URL('actions.txt', import.meta.url), action + ' ' + pid.value + '\\n')
  export default { signals: { postAction: [note] } }
`
const files = { 'deposit.config.js': listening, 'package.json': '{"type":"module"}' }
const daemon = await testDaemon({ files })
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

/** Does the same thing `count` times at once, and splits the replies by success. */
async function race(count: number, attempt: (index: number) => Promise<Reply>) {
  const replies = await Promise.all(Array.from({ length: count }, (_, index) => attempt(index)))
  const winners = replies.filter(({ status }) => status < 400)
  return { winners, losers: replies.filter(({ status }) => status >= 400) }
}

/** The change of a deposit, and its entry in the audit trail. */
async function eventsOf({ id }: Pick<DepositBody, 'id'>) {
  const signals = await readFile(join(daemon.home, 'actions.txt'), 'utf8')
  const about = (text: string): readonly string[] =>
    text.split('\n').filter((line) => line.includes(id))
  const entries = (await trailOf(daemon, { deposit: id })).filter(({ on }) =>
    on?.includes('/actions/'),
  )
  // Refusals of one kind are one entry.
  const statuses = entries.flatMap(({ status, times }) =>
    Array<number>(times ?? 1).fill(status ?? 0),
  )
  return { signals: about(signals), statuses }
}

/** Large enough that the first half is already in a file. */
const late = Buffer.alloc(2_000_000, 'x')

type Meanwhile = () => Promise<void>

/** Uploads during which something happens after half of the bytes have arrived. */
const slowUploads = [
  [
    'a form',
    (draft: DepositBody, meanwhile: Meanwhile) =>
      ada.post(`/deposits/${draft.id}/files`, {
        headers: { 'content-type': formType },
        body: slowly(form({ name: 'file', filename: 'late', content: late }), meanwhile),
      }),
  ],
  [
    'raw bytes',
    (draft: DepositBody, meanwhile: Meanwhile) =>
      ada.putObject(draft, 'late', slowly(late, meanwhile)),
  ],
] as const

function slowly(content: Buffer, meanwhile: Meanwhile): Content {
  const half = Math.floor(content.length / 2)
  return new ReadableStream({
    start: (stream) => stream.enqueue(content.subarray(0, half)),
    pull: async (stream) => {
      await expect.poll(daemon.isReceiving).toBe(true)
      await meanwhile()
      stream.enqueue(content.subarray(half))
      stream.close()
    },
  })
}

describe('Races', () => {
  it('of 20 uploads of one key one wins; its bytes are kept, all others are removed', async () => {
    const draft = await ada.createDraft()
    const stored = await daemon.storedBytes()
    const { winners, losers } = await race(20, (index) =>
      ada.upload(draft, 'a.txt', `content of ${index}`),
    )

    expect(winners.map(({ status }) => status)).toEqual([201])
    expect(losers).toHaveLength(19)
    for (const loser of losers) expectProblem(loser, 'file_already_exists')
    const [won] = winners.map((reply) => bodyOf<FileBody>(reply, 201))
    expect(await ada.files(draft)).toEqual([won])
    const download = await ada.get(won?.links.download ?? '')
    expect(download.headers.get('etag')).toBe(`"${won?.checksum}"`)
    expect(download.bytes.toString()).toMatch(/^content of \d+$/)
    expect(await daemon.storedBytes()).toHaveLength(stored.length + 1)
    expect((await ada.show(draft)).revision).toBe(1)
  })

  it('of 20 publishes of one deposit one wins, with one record, one signal, one entry in the trail', async () => {
    const eve = daemon.as('eve')
    const draft = await eve.createDraft({ title: 'Once' })
    const { winners, losers } = await race(20, () => eve.act(draft, 'publish'))

    expect(winners.map(({ status }) => status)).toEqual([202])
    expect(losers).toHaveLength(19)
    for (const loser of losers) expectProblem(loser, 'invalid_action', 'Invalid action')
    const records = await daemon.visitor.get('/records/?q=title:once')
    expect(records.body).toMatchObject({ hits: { total: 1 } })
    expect(await eve.show(draft)).toEqual(winners[0]?.body)
    await expect.poll(async () => (await eventsOf(draft)).statuses).toHaveLength(20)
    const { signals, statuses } = await eventsOf(draft)
    expect(signals).toEqual([`publish ${draft.id}`])
    expect(statuses.filter((status) => status < 400)).toEqual([202])
  })

  it('a large merge lets others write while it runs, and includes their changes', async () => {
    const grace = daemon.as('grace', { admin: true })
    const namesakes = (field: string, title = 'people'): object => ({
      title,
      list: Array.from({ length: 15_000 }, (_, at) => ({ name: `n${at % 100}`, [field]: at })),
    })
    const draft = await ada.edit(await ada.createPublished(namesakes('a')))
    bodyOf(await ada.put(`/deposits/${draft.id}`, namesakes('b')), 200)
    const record = draft.links['record'] ?? ''
    bodyOf(await grace.put(record, namesakes('c')), 200)
    const order: string[] = []
    const publishing = ada
      .post(`/deposits/${draft.id}/actions/publish`)
      .then((reply) => (order.push('publish'), reply))
    await ada.createDraft({ title: 'another' })
    order.push('create')
    bodyOf(await grace.put(record, { ...namesakes('c'), notes: 'corrected' }), 200)
    order.push('correct')

    expect((await publishing).status).toBe(202)
    expect(order).toEqual(['create', 'correct', 'publish'])
    const { metadata } = bodyOf<DepositBody>(await ada.get(record), 200)
    expect(metadata).toMatchObject({ title: 'people', notes: 'corrected' })
    expect(metadata).toHaveProperty('list.length', 30_000)
  })

  it('of 50 writers with the same If-Match one wins, and the others get the revision', async () => {
    const draft = await ada.createDraft()
    const { winners, losers } = await race(50, (index) =>
      ada.put(`/deposits/${draft.id}`, { title: `writer ${index}` }, { 'if-match': '"0"' }),
    )

    expect(winners.map(({ headers }) => headers.get('etag'))).toEqual(['"1"'])
    expect(losers).toHaveLength(49)
    for (const loser of losers) expectProblem(loser, 'stale_revision', /"1"/)
    expect((await ada.show(draft)).metadata).toEqual(
      bodyOf<DepositBody>(winners[0] ?? losers[0] ?? fail(), 200).metadata,
    )
  })

  it('uploads during a publish are either in the snapshot or refused', async () => {
    const draft = await ada.createDraft()
    const uploads = Array.from({ length: 20 }, (_, index) => ada.upload(draft, `${index}`))
    const [published, ...replies] = await Promise.all([ada.act(draft, 'publish'), ...uploads])

    expect(published.status).toBe(202)
    const kept = replies.filter(({ status }) => status === 201)
    const keys = kept.map((reply) => bodyOf<FileBody>(reply, 201).filename)
    for (const reply of replies) expect([201, 403]).toContain(reply.status)
    expect([...(await ada.keys(draft))].sort()).toEqual(keys.sort())
  })

  it.for(slowUploads)(
    'an upload that ends after its deposit was published is refused: %s',
    async ([, upload]) => {
      const draft = await ada.createDraftWith('a')
      const stored = await daemon.storedBytes()
      const reply = await upload(draft, async () => void (await ada.publish(draft)))

      expectProblem(reply, 'invalid_action', 'Invalid action')
      expect(await ada.keys(draft)).toEqual(['a'])
      expect(await daemon.storedBytes()).toEqual(stored)
    },
  )

  it.for(slowUploads)(
    'an upload that ends after its deposit was deleted is 410, and leaves no bytes: %s',
    async ([, upload]) => {
      const stored = await daemon.storedBytes()
      const draft = await ada.createDraftWith('a')
      const remove = async (): Promise<void> => {
        expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)
      }
      const reply = await upload(draft, remove)

      expectProblem(reply, 'deposit_deleted')
      await expect.poll(() => daemon.storedBytes()).toEqual(stored)
    },
  )

  it('uploads during the deletion of their deposit leave no bytes', async () => {
    const stored = await daemon.storedBytes()
    const draft = await ada.createDraft()
    const uploads = Array.from({ length: 10 }, (_, index) => ada.upload(draft, `${index}`))
    const [deleted, ...replies] = await Promise.all([
      ada.delete(`/deposits/${draft.id}`),
      ...uploads,
    ])

    expect(deleted.status).toBe(204)
    for (const reply of replies) expect([201, 410]).toContain(reply.status)
    expect(await daemon.storedBytes()).toEqual(stored)
  })

  it('concurrent sorts, uploads and deletes keep the list whole, and raise the revision by one each', async () => {
    const draft = await ada.createDraftWith('a', 'b', 'c')
    const path = `/deposits/${draft.id}/files`
    const order = (await ada.files(draft)).map(({ id }) => ({ id }))
    const replies = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => ada.upload(draft, `new-${index}`)),
      ...Array.from({ length: 10 }, () => ada.put(path, order.toReversed())),
      ada.delete(`${path}/a`),
      ada.put(`${path}/b`, { filename: 'd' }),
    ])
    const changes = replies.filter(({ status }) => status < 400)
    const revisions = changes.map(({ headers }) => Number(headers.get('deposit-revision')))

    for (const { status } of replies) expect([200, 201, 204, 400]).toContain(status)
    expect(new Set(revisions).size).toBe(changes.length)
    expect((await ada.show(draft)).revision).toBe(3 + changes.length)
    const added = Array.from({ length: 10 }, (_, index) => `new-${index}`)
    expect([...(await ada.keys(draft))].sort()).toEqual(['c', 'd', ...added])
  })

  it('a new deposit is found by the next search, 50 of 50 times, while others write', async () => {
    const reader = daemon.as('eve-reads')
    for (let round = 0; round < 50; round += 1) {
      const [draft] = await Promise.all([
        reader.createDraft({ title: `word${round}` }),
        ada.createDraft(),
      ])
      const found = await reader.search(`q=word${round}`)
      expect(found.hits.hits.map(({ id }) => id)).toEqual([draft.id])
      expect((await reader.search('size=1')).hits).toMatchObject({
        total: round + 1,
        hits: [{ id: draft.id }],
      })
    }
  })
})

function fail(): never {
  throw new Error('nobody answered')
}

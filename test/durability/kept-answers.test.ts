import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { fileRowBytes } from '../support/row-bytes.ts'
import { runBehind } from '../support/rows-behind.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

interface Me {
  readonly used: number
  readonly quota: number
  readonly usage: Readonly<Record<'files' | 'uploads' | 'metadata' | 'answers', number>>
}

const readMe = async (user: User): Promise<Me> => bodyOf<Me>(await user.get('/me'), 200)

const once = (key: string) => ({ 'idempotency-key': key })

/** Lets the owner have `more` bytes than they have. */
async function leave(daemon: TestDaemon, owner: User, more: number): Promise<void> {
  const size = String((await readMe(owner)).used + more)
  await daemon.operate('user quota', { email: 'owner@example.org', size })
}

function makeOld(home: string, hours: number): Promise<unknown> {
  const created = new Date(Date.now() - hours * 3_600_000).toISOString()
  return runBehind(home, `UPDATE answers SET created = '${created}'`)
}

const messageOf = (reply: Reply): string => {
  expectProblem(reply, 'quota_exceeded', /^The quota of/)
  return (reply.body as { readonly message: string }).message
}

const act = (owner: User, { id }: DepositBody, action: string, key?: string): Promise<Reply> =>
  owner.post(`/deposits/${id}/actions/${action}`, key === undefined ? {} : { headers: once(key) })

/** Edits and discards with a new key each until one is refused; answers that and how often it was not. */
async function discardUntilRefused(owner: User, published: DepositBody) {
  for (let count = 0; count < 300; count += 1) {
    expect((await act(owner, published, 'edit')).status).toBe(201)
    const reply = await act(owner, published, 'discard', `discard-${count}`)
    if (reply.status !== 201) return { reply, count }
  }
  throw new Error('none was refused')
}

describe('answers kept at a full quota', () => {
  it('pass it by a bounded number of bytes, whatever frees room', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const published = await owner.createPublished({ title: 'Tides', notes: 'x'.repeat(3000) })
    await leave(daemon, owner, 10)

    const { reply, count } = await discardUntilRefused(owner, published)

    const { used, quota, usage } = await readMe(owner)
    expect(used - quota).toBeLessThanOrEqual(100_000)
    expect(used - quota).toBeGreaterThan(90_000)
    expect(count).toBeGreaterThan(10)
    expect(messageOf(reply)).toContain(`${usage.answers} by answers kept for an Idempotency-Key`)
    expect(reply.body).toMatchObject({
      errors: [
        { field: 'Idempotency-Key', message: expect.stringContaining('leave it out') as string },
      ],
    })
    // The first advice: without the key, nothing is kept, and it passes.
    expect(messageOf(reply)).toContain('send the request without the key')
    expect((await act(owner, published, 'discard')).status).toBe(201)
    expect((await readMe(owner)).used).toBeLessThanOrEqual(used)
    // The other: the answers are forgotten after their time, if no sweeper has come to them.
    await makeOld(daemon.home, 25)
    expect((await act(owner, published, 'edit')).status).toBe(201)
    expect((await act(owner, published, 'discard', 'later')).status).toBe(201)
  })

  it('are kept for changes that free room though the quota was lowered far below', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const published = await owner.createPublished({ notes: 'x'.repeat(300_000) })
    const small = await owner.createPublished({ title: 'Tides' })
    await owner.edit(published)
    await owner.edit(small)
    await daemon.operate('user quota', { email: 'owner@example.org', size: '1kB' })

    // Its answer alone is more than may be kept beyond the quota.
    const refused = await act(owner, published, 'discard', 'large')
    expect(messageOf(refused)).toContain('send the request without the key')
    expect((await act(owner, published, 'discard')).status).toBe(201)
    const kept = await act(owner, small, 'discard', 'small')
    expect(kept.status).toBe(201)
    const again = await act(owner, small, 'discard', 'small')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })
})

describe('a refusal for the quota', () => {
  it('tells what is used now and what would have been added', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const draft = await owner.createDraft({ title: 'Tides' })
    await leave(daemon, owner, 100)
    const { used, quota } = await readMe(owner)
    const figures = (reply: Reply) =>
      /(\d+) of them are used.* would add (\d+)/.exec(messageOf(reply))

    const document = { title: 'x'.repeat(200) }
    const size = Buffer.byteLength(JSON.stringify(document))
    const created = figures(await owner.post('/deposits/', { json: document }))
    expect(created?.slice(1)).toEqual([String(used), String(size)])
    const file = figures(await owner.putObject(draft, 'a', 'x'.repeat(150)))
    expect(file?.slice(1)).toEqual([String(used), String(150 + fileRowBytes('a'))])
    const published = figures(await act(owner, await owner.show(draft), 'publish', 'p'))
    expect(Number(published?.[1])).toBe(used)
    const added = Number(published?.[2])
    expect(added + used).toBeGreaterThan(quota)
    // The advice: an operator raises it, to what the refusal has told.
    await daemon.operate('user quota', { email: 'owner@example.org', size: String(used + added) })
    expect((await act(owner, draft, 'publish', 'p')).status).toBe(202)
    expect((await readMe(owner)).used).toBe(used + added)
  })

  it('tells what the quota is used by, and gives the advice that helps', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const made: DepositBody[] = []
    for (const key of ['a', 'b', 'c']) {
      const sent = { json: { title: key.repeat(500) }, headers: once(key) }
      made.push(bodyOf<DepositBody>(await owner.post('/deposits/', sent), 201))
    }
    for (const draft of made) expect((await owner.delete(`/deposits/${draft.id}`)).status).toBe(204)
    const { used, usage } = await readMe(owner)
    expect(usage).toEqual({ files: 0, uploads: 0, metadata: 0, answers: used })
    await leave(daemon, owner, 10)

    const document = { json: { title: 'x'.repeat(100) } }
    const before = messageOf(await owner.post('/deposits/', document))

    expect(before).toContain(`(${used} by answers kept for an Idempotency-Key)`)
    expect(before).not.toContain('delete')
    const at = /wait until answers are forgotten.*the oldest at (\S+Z);/.exec(before)?.[1] ?? ''
    const hours = (Date.parse(at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
    const said = await daemon.operate('user quota', {
      email: 'owner@example.org',
      size: String(used),
    })
    expect(said).toBe('')
    // The advice: then they are forgotten, if no sweeper has come to them.
    await makeOld(daemon.home, 25)
    const draft = bodyOf<DepositBody>(await owner.post('/deposits/', document), 201)
    expect((await readMe(owner)).usage.answers).toBe(0)
    const sent = { json: { title: 'x'.repeat(500) }, headers: once('d') }
    expect((await owner.post('/deposits/', sent)).status).toBe(201)
    await leave(daemon, owner, 10)
    expectProblem(
      await owner.putObject(draft, 'c', 'x'.repeat(100)),
      'quota_exceeded',
      /wait until/,
    )
    await makeOld(daemon.home, 25)
    // Rows that were changed behind the daemon are read once it has committed.
    await daemon.as('other').createDraft()
    expect((await owner.putObject(draft, 'c', 'x'.repeat(100))).status).toBe(201)
    await leave(daemon, owner, used + fileRowBytes('a'))
    await owner.addFile(draft, 'a', 'x'.repeat(used))
    await leave(daemon, owner, 10)
    const after = messageOf(await owner.putObject(draft, 'b', 'x'.repeat(100)))
    expect(after).toMatch(
      new RegExp(`\\(${used + 100} by files, \\d+ by metadata and revisions\\)`),
    )
    expect(after).toMatch(/delete files, drafts or metadata that are not needed, \d+ bytes of them/)
    expect(after).not.toContain('wait')
    expect((await owner.delete(`/deposits/${draft.id}/files/a`)).status).toBe(204)
    expect((await owner.putObject(draft, 'b', 'x'.repeat(100))).status).toBe(201)
  })

  it('names uploads that are not finished, which can be deleted', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const draft = await owner.createDraft({})
    const begun = await owner.post(draft.links['uploads'] ?? '', {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '600',
        'upload-metadata': `filename ${Buffer.from('f').toString('base64')}`,
      },
    })
    await leave(daemon, owner, 10)

    const said = messageOf(await owner.putObject(draft, 'b', 'x'.repeat(100)))

    expect(said).toContain(`${600 + fileRowBytes('f')} by unfinished uploads`)
    expect(said).toContain('delete uploads that are not to be finished')
    const url = begun.headers.get('location') ?? ''
    await owner.send('DELETE', url, { headers: { 'tus-resumable': '1.0.0' } })
    expect((await owner.putObject(draft, 'b', 'x'.repeat(100))).status).toBe(201)
  })

  it('tells a colleague nothing of what else the owner has', async () => {
    await using daemon = await testDaemon()
    const [owner, friend] = [daemon.as('owner'), daemon.as('friend')]
    await friend.get('/me')
    const draft = await owner.createDraft({ title: 'Tides' })
    const json = { user: 'friend@example.org', role: 'editor' }
    expect((await owner.post(`/deposits/${draft.id}/people`, { json })).status).toBeLessThan(300)
    await leave(daemon, owner, 10)

    const said = messageOf(await friend.putObject(draft, 'b', 'x'.repeat(100)))

    expect(said).toMatch(/^The quota of the owner is \d+ bytes: \d+ of them are used, and this/)
  })
})

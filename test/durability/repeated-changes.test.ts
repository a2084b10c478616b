import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon()
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

let keys = 0

interface Sent {
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The same request with a key of its own, as often as it is called. */
function repeatable(user: User, method: string, path: string, { json, headers }: Sent = {}) {
  const key = { 'idempotency-key': `change-${(keys += 1)}` }
  return (other: unknown = json): Promise<Reply> =>
    user.send(method, path, {
      ...(other !== undefined && { json: other }),
      headers: { ...headers, ...key },
    })
}

/** Everything of an answer that a client may rely on. */
function essence({ status, headers, bytes }: Reply) {
  const kept = ['location', 'etag', 'last-modified', 'link', 'deposit-revision', 'content-type']
  return { status, body: bytes.toString(), headers: kept.map((name) => headers.get(name)) }
}

/** Sends a request, then `meanwhile`, then the same request again: it is answered as at first. */
async function expectRepeated(
  send: () => Promise<Reply>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Reply> {
  const first = await send()
  expect(first.status, first.bytes.toString()).toBeLessThan(300)
  await meanwhile()
  const again = await send()
  expect(essence(again)).toEqual(essence(first))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  return first
}

const at = ({ id }: DepositBody, more = ''): string => `/deposits/${id}${more}`

describe('a change that is sent again with its Idempotency-Key is made once', () => {
  const patch = [{ op: 'add', path: '/keywords/-', value: 'tide' }]
  const merge = 'application/merge-patch+json'

  it('a JSON Patch that adds to an array, at any revision since', async () => {
    const draft = await owner.createDraft({ title: 'Tides', keywords: ['sea'] })
    const headers = { 'if-match': '"0"' }
    const send = repeatable(owner, 'PATCH', at(draft), { json: patch, headers })
    const first = await expectRepeated(send)
    expect(first.body).toMatchObject({ metadata: { keywords: ['sea', 'tide'] }, revision: 1 })
    await expectRepeated(send, () => owner.put(at(draft), { title: 'Changed since' }))
    expect(await owner.show(draft)).toMatchObject({
      metadata: { title: 'Changed since' },
      revision: 2,
    })
    expectProblem(await send([...patch, ...patch]), 'idempotency_key_reused')
  })

  it('simultaneous ones', async () => {
    const draft = await owner.createDraft({ title: 'Tides', keywords: [] })
    const send = repeatable(owner, 'PATCH', at(draft), { json: patch })
    const replies = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(new Set(replies.map((reply) => JSON.stringify(essence(reply)))).size).toBe(1)
    expect(await owner.show(draft)).toMatchObject({ metadata: { keywords: ['tide'] }, revision: 1 })
  })

  it('a merge patch, which is not the JSON Patch or document of the same text', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const json = { notes: 'x' }
    const send = repeatable(owner, 'PATCH', at(draft), { json, headers: { 'content-type': merge } })
    await expectRepeated(send)
    expect(await owner.show(draft)).toMatchObject({ metadata: { title: 'Tides', notes: 'x' } })
  })

  it('a new document', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const send = repeatable(owner, 'PUT', at(draft), { json: { title: 'Waves', notes: 'x' } })
    await expectRepeated(send, () => owner.put(at(draft), { title: 'Since' }))
    expect(await owner.show(draft)).toMatchObject({ metadata: { title: 'Since' }, revision: 2 })
    // Members in another order are the same document.
    expect((await send({ notes: 'x', title: 'Waves' })).headers.get('idempotency-replayed')).toBe(
      'true',
    )
    expectProblem(await send({ title: 'Other' }), 'idempotency_key_reused')
  })

  it('a deletion of a draft, of which nothing is left to ask about', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const headers = { 'if-match': '"0"' }
    await expectRepeated(repeatable(owner, 'DELETE', at(draft), { headers }))
    expectProblem(await owner.delete(at(draft)), 'deposit_deleted')
    const hidden = await owner.createDraft({ title: 'Tides' })
    await expectRepeated(repeatable(owner, 'DELETE', at(hidden, '?force=false')))
  })

  it('a deletion of a draft, for tokens alone that could have made it', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const other = await owner.createDraft({ title: 'Waves' })
    const [own, ofOther] = [draft, other].map(({ id }) => daemon.as('owner', { deposit: id }))
    if (!own || !ofOther) throw new Error('there are two tokens')
    await own.show(draft)
    const headers = { 'idempotency-key': `change-${(keys += 1)}` }
    const send = (user: User) => user.send('DELETE', at(draft), { headers })
    expect((await send(owner)).status).toBe(204)

    const readOnly = await send(daemon.as('owner', { scopes: [] }))
    expectProblem(readOnly, 'insufficient_scope', /deposit:write/)
    expectProblem(await send(ofOther), 'permission_denied', /single deposit/)
    for (const user of [owner, own])
      expect((await send(user)).headers.get('idempotency-replayed')).toBe('true')
  })

  it('a comment', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const json = { text: 'Please look at it.' }
    const send = repeatable(owner, 'POST', at(draft, '/comments'), { json })
    await expectRepeated(send)
    expectProblem(await send({ text: 'Please do.' }), 'idempotency_key_reused')
    const { body } = await owner.get(at(draft, '/comments'))
    expect(body).toMatchObject([{ ...json, by: { name: 'owner@example.org' } }])
  })

  it('a deletion of a file, also where a new one has its name since', async () => {
    for (const way of ['file', 'object']) {
      const draft = await owner.createDraft({ title: 'Tides' })
      await owner.addFile(draft, 'a', 'old')
      const path = way === 'file' ? at(draft, '/files/a') : `${draft.links['bucket']}/a`
      await expectRepeated(repeatable(owner, 'DELETE', path), () =>
        owner.addFile(draft, 'a', 'new'),
      )
      expect(await owner.keys(draft)).toEqual(['a'])
    }
  })

  it('renaming a file, also where a new one has its name since', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    await owner.addFile(draft, 'a', 'old')
    const send = repeatable(owner, 'PUT', at(draft, '/files/a'), { json: { filename: 'b' } })
    await expectRepeated(send)
    await expectRepeated(send, () => owner.addFile(draft, 'a', 'new'))
    expect((await owner.keys(draft)).toSorted()).toEqual(['a', 'b'])
    expectProblem(await send({ filename: 'c' }), 'idempotency_key_reused')
  })

  it('sorting files, whose list is answered as it is now', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const files: FileBody[] = []
    for (const key of ['a', 'b']) files.push((await owner.upload(draft, key)).body as FileBody)
    const order = files.toReversed().map(({ id }) => ({ id }))
    const send = repeatable(owner, 'PUT', at(draft, '/files'), { json: order })
    const first = await expectRepeated(send)
    expect(first.headers.get('deposit-revision')).toBe('3')
    await owner.put(at(draft, '/files'), order.toReversed())
    await send()
    expect(await owner.keys(draft)).toEqual(['a', 'b'])
  })

  it('bringing back a version, and a deleted file, and removing one for good', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    const old = bodyOf<FileBody>(await owner.putObject(draft, 'a', 'one'), 201)
    await owner.putObject(draft, 'a', 'two')
    await expectRepeated(repeatable(owner, 'POST', at(draft, `/file-versions/${old.version_id}`)))
    const again = await owner.get(`${draft.links['bucket']}?versions`)
    expect(again.body).toHaveLength(3)

    await owner.delete(at(draft, '/files/a'))
    const trash = async () =>
      (await owner.get(at(draft, '/trash'))).body as readonly { readonly id: string }[]
    const restored = at(draft, `/trash/${(await trash())[0]?.id}`)
    await expectRepeated(repeatable(owner, 'POST', restored))
    expect(await owner.keys(draft)).toEqual(['a'])
    await owner.delete(at(draft, '/files/a'))
    const removed = at(draft, `/trash/${(await trash())[0]?.id}`)
    await expectRepeated(repeatable(owner, 'DELETE', removed))
  })

  it('a correction of a record, at any revision since', async () => {
    const curator = daemon.as('curator', { admin: true })
    const published = await owner.createPublished({ title: 'Tides', keywords: ['sea'] })
    const path = published.links['record'] ?? ''
    const headers = { 'if-match': '"0"' }
    const send = repeatable(curator, 'PATCH', path, { json: patch, headers })
    const first = await expectRepeated(send)
    expect(first.body).toMatchObject({ metadata: { keywords: ['sea', 'tide'] }, revision: 1 })
    const replace = repeatable(curator, 'PUT', path, { json: { title: 'Waves' } })
    await expectRepeated(send, replace)
    await expectRepeated(replace)
    expect((await owner.record(published)).revision).toBe(2)
  })

  it('is taken with a key where it changes no more than the first time, and no answer is kept', async () => {
    const [admin, reader] = [daemon.as('admin', { admin: true }), daemon.as('reader')]
    const draft = await owner.createDraft({ title: 'Tides' })
    const { user } = bodyOf<{ readonly user: string }>(await reader.get('/me'), 200)
    const json = { user: 'reader@example.org', role: 'reader' }
    const give = repeatable(owner, 'POST', at(draft, '/people'), { json })
    const allow = repeatable(admin, 'PATCH', `/admin/users/${user}`, { json: { quota: 9000 } })
    for (const send of [give, allow]) {
      const first = await send()
      expect(first.status, first.bytes.toString()).toBeLessThan(300)
      const again = await send()
      expect(essence(again)).toEqual(essence(first))
      expect(again.headers.get('idempotency-replayed')).toBeNull()
    }
  })

  it('is refused where it would be made each time, and then can be sent without a key', async () => {
    const draft = await owner.createDraft({ title: 'Tides' })
    await owner.put(at(draft), { title: 'Tides' })
    const json = { role: 'reader' }
    const refused = await repeatable(owner, 'POST', at(draft, '/links'), { json })()
    expectProblem(refused, 'malformed_request')
    expect(refused.body).toMatchObject({
      errors: [
        {
          field: 'Idempotency-Key',
          message: 'This request makes its change each time it is sent: leave the key out.',
        },
      ],
    })
    expect((await owner.post(at(draft, '/links'), { json })).status).toBe(201)
  })
})

async function tokenAt(daemon: TestDaemon): Promise<string> {
  const email = 'owner@example.org'
  await daemon.operate('user add', { email, admin: 'false' })
  return daemon.operate('token create', { user: email, scope: 'deposit:write deposit:actions' })
}

describe('an answer that is given again after the service has moved', () => {
  it('has the links of the present address, and leaves alone what users wrote', async () => {
    await using home = await temporaryFolder()
    let token: string | undefined
    // Each has another port.
    const run = async (toDocument: (origin: string) => object) => {
      await using moved = await testDaemon({ home: home.path })
      token ??= await tokenAt(moved)
      const user = new User(moved.url, async () => token)
      const json = toDocument(moved.origin)
      const reply = await user.post('/deposits/', { json, headers: { 'idempotency-key': 'k' } })
      return { origin: moved.origin, reply }
    }
    const mentioning = (origin: string) => ({
      title: 'Tides',
      notes: `${origin}/records/x`,
      links: { self: `${origin}/y`, url: `${origin}/z` },
    })
    const { origin: before, reply: first } = await run(mentioning)
    const { origin: after, reply: again } = await run(() => mentioning(before))
    expect(after).not.toBe(before)

    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const [was, is] = [bodyOf<DepositBody>(first, 201), bodyOf<DepositBody>(again, 201)]
    expect(was.links['self']).toBe(`${before}/api/deposits/${was.id}`)
    expect(is.links['self']).toBe(`${after}/api/deposits/${was.id}`)
    expect(Object.values(is.links).filter((link) => link.startsWith(before))).toEqual([])
    expect(again.headers.get('location')).toBe(is.links['self'])
    expect(again.headers.get('link')).toContain(`<${after}/`)
    expect(is.metadata['$schema']).toMatch(new RegExp(`^${after}/`))
    expect(is.metadata).toMatchObject(mentioning(before))
  })
})

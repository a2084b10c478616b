import { afterAll, describe, expect, it } from 'vitest'
import { mostOfOthers, mostSteps, type CommentListBody } from '../../core/contract/review.ts'
import type { DepositBody, FileBody, ProblemBody } from '../../core/contract/schemas.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

/** Publication §7: where review is required, somebody else accepts what one has made. */

const daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
afterAll(() => daemon[Symbol.asyncDispose]())

const bob = daemon.as('bob')
const rev = daemon.as('rev', { roles: ['reviewer'] })
const cora = daemon.as('cora', { roles: ['curator'] })
const root = daemon.as('root', { admin: true })

type Named = Pick<DepositBody, 'id'>

const path = ({ id }: Named, rest = '') => `/deposits/${id}${rest}`
const act = (user: User, deposit: Named, action: string, json?: object) =>
  user.post(path(deposit, `/actions/${action}`), json ? { json } : {})

async function share(owner: User, deposit: Named, email: string, role: string): Promise<string> {
  const json = { user: email, role }
  return bodyOf<Named>(await owner.post(path(deposit, '/people'), { json }), 201).id
}

async function submit(user: User, deposit: Named): Promise<DepositBody> {
  return bodyOf(await act(user, deposit, 'submit'), 201)
}

const accept = (user: User, { id, revision }: DepositBody) =>
  act(user, { id }, 'accept', { revision })

/** Lets the reviewer change a draft of `bob` as an editor, takes the role away, and submits it. */
async function changedBy(
  change: (editor: User, draft: DepositBody) => Promise<unknown>,
  draft?: DepositBody,
): Promise<DepositBody> {
  await rev.get('/me')
  const found = draft ?? (await bob.createDraftWith('a.csv', 'b.csv'))
  const person = await share(bob, found, 'rev@example.org', 'editor')
  await change(rev, await bob.show(found))
  expect((await bob.delete(path(found, `/people/${person}`))).status).toBe(204)
  return submit(bob, found)
}

async function expectOthersJudge(waiting: DepositBody): Promise<void> {
  expectProblem(await accept(rev, waiting), 'permission_denied', /somebody else/)
  expect((await accept(cora, waiting)).status).toBe(202)
}

const good = async (reply: Promise<Reply>): Promise<Reply> => {
  const found = await reply
  expect(found.status).toBeLessThan(300)
  return found
}

const tus = { 'tus-resumable': '1.0.0' }

const begin = (user: User, draft: Named, size: number, rest: Readonly<Record<string, string>>) =>
  good(
    user.post(path(draft, '/uploads'), {
      headers: { ...tus, 'upload-length': String(size), ...rest },
    }),
  )

async function append(user: User, upload: string, offset: number, body: string): Promise<void> {
  const headers = {
    ...tus,
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
  }
  await good(user.send('PATCH', upload, { headers, body }))
}

const named = { 'upload-metadata': `filename ${Buffer.from('c.csv').toString('base64')}` }

const changes: Readonly<Record<string, (editor: User, draft: DepositBody) => Promise<unknown>>> = {
  'its metadata': (editor, draft) => good(editor.put(path(draft), { title: 'Other' })),
  'a file by a form': (editor, draft) => editor.addFile(draft, 'c.csv'),
  'a file by the bucket': (editor, draft) => good(editor.putObject(draft, 'c.csv', 'c')),
  'the bytes of a file': (editor, draft) => good(editor.putObject(draft, 'a.csv', 'other')),
  'which files there are': (editor, draft) => good(editor.delete(path(draft, '/files/a.csv'))),
  'the name of a file': (editor, draft) =>
    good(editor.put(path(draft, '/files/a.csv'), { filename: 'z.csv' })),
  'the order of files': async (editor, draft) => {
    const ids = (await editor.files(draft)).map(({ id }) => ({ id })).reverse()
    await good(editor.put(path(draft, '/files'), ids))
  },
  'files of a bundle': (editor, draft) => {
    const body = new FormData()
    body.set('file', new Blob(['x']), 'c.csv')
    return good(editor.post(path(draft, '/bundles'), { body }))
  },
  'an upload that it ends': async (editor, draft) => {
    const begun = await begin(bob, draft, 3, named)
    const upload = begun.headers.get('location') ?? ''
    await append(bob, upload, 0, 'a')
    await append(editor, upload, 1, 'bc')
  },
  'an upload that the owner ends': async (editor, draft) => {
    const begun = await begin(editor, draft, 3, named)
    await append(bob, begun.headers.get('location') ?? '', 0, 'abc')
  },
  'some bytes of an upload of the owner': async (editor, draft) => {
    const begun = await begin(bob, draft, 3, named)
    const upload = begun.headers.get('location') ?? ''
    await append(editor, upload, 0, 'ab')
    await append(bob, upload, 2, 'c')
  },
  'a part of a file that the owner puts together': async (editor, draft) => {
    const begun = await begin(editor, draft, 2, { 'upload-concat': 'partial' })
    const part = begun.headers.get('location') ?? ''
    await append(editor, part, 0, 'ab')
    const headers = { ...tus, ...named, 'upload-concat': `final;${new URL(part).pathname}` }
    await good(bob.post(path(draft, '/uploads'), { headers }))
  },
}

describe('Where review is required, a reviewer does not accept a draft', () => {
  it.each(Object.entries(changes))('of which they changed %s as an editor', async (_, change) => {
    await expectOthersJudge(await changedBy(change))
  })

  it('into which they brought a deleted file back', async () => {
    const draft = await bob.createDraftWith('a.csv', 'b.csv')
    await good(bob.delete(path(draft, '/files/a.csv')))
    const [trashed] = bodyOf<readonly FileBody[]>(await bob.get(path(draft, '/trash')), 200)
    const restore = (editor: User) => good(editor.post(path(draft, `/trash/${trashed?.id}`)))

    await expectOthersJudge(await changedBy(restore, draft))
  })

  it('into which they took the files of the version before', async () => {
    const first = bodyOf<DepositBody>(await accept(cora, await submit(bob, await filed())), 202)
    const next = bodyOf<DepositBody>(await bob.act(first, 'newversion'), 201)
    for (const { filename } of await bob.files(next))
      await good(bob.delete(path(next, `/files/${filename}`)))
    const { id } = next
    const number = (await numberOf(id)) ?? ''
    const take = (editor: User) =>
      good(editor.post(`${daemon.origin}/rdm/api/records/${number}/draft/actions/files-import`))

    await expectOthersJudge(await changedBy(take, next))
  })

  it('of which they changed so much that its history has forgotten them', async () => {
    const waiting = await changedBy(async (editor, draft) => {
      await good(editor.put(path(draft), { title: 'Theirs' }))
      for (let times = 0; times < 10; times += 1) {
        const notes = String(times).repeat(900_000)
        await good(bob.put(path(draft), { title: 'Theirs', notes }))
      }
    })
    const history = bodyOf<readonly { readonly email?: string }[]>(
      await bob.get(path(waiting, '/history')),
      200,
    )
    expect(JSON.stringify(history.map(({ email }) => email))).not.toContain('rev@')

    await expectOthersJudge(waiting)
  })

  it('which took over a newer version of its record since they changed it', async () => {
    const first = bodyOf<DepositBody>(await accept(cora, await submit(bob, await filed())), 202)
    const edited = await bob.edit(first)
    const waiting = await changedBy(
      (editor) => good(editor.put(path(edited), { title: 'Theirs' })),
      edited,
    )
    bodyOf(await act(bob, waiting, 'take-back'), 201)
    const record = await bob.record(first)
    const corrected = { ...record.metadata, notes: 'corrected' }
    await good(cora.put(first.links['record'] ?? '', corrected))
    bodyOf(await act(bob, waiting, 'merge'), 201)

    await expectOthersJudge(await submit(bob, waiting))
  })

  it('which was changed by a link of theirs', async () => {
    await rev.get('/me')
    const draft = await bob.createDraftWith('a.csv')
    const person = await share(bob, draft, 'rev@example.org', 'owner')
    const link = bodyOf<{ readonly url: string }>(
      await rev.post(path(draft, '/links'), { json: { role: 'editor' } }),
      201,
    )
    const [cookie = ''] = (await send('GET', link.url)).headers.getSetCookie()
    const patched = await send('PATCH', `${daemon.origin}/api${path(draft)}`, {
      json: [{ op: 'add', path: '/notes', value: 'x' }],
      headers: {
        cookie: cookie.split(';', 1)[0] ?? '',
        'content-type': 'application/json-patch+json',
        origin: daemon.origin,
      },
    })
    expect(patched.status).toBe(200)
    expect((await bob.delete(path(draft, `/people/${person}`))).status).toBe(204)
    await expectOthersJudge(await submit(bob, draft))
  })

  it('which they have corrected as a curator', async () => {
    const waiting = await submit(bob, await filed())
    const correct = async (title: string) =>
      bodyOf<DepositBody>(await cora.put(path(waiting), { title }), 200)
    await correct('Corrected')
    const corrected = await correct('Corrected twice')

    expectProblem(await accept(cora, corrected), 'permission_denied', /somebody else/)
    expect((await accept(rev, corrected)).status).toBe(202)
  })

  it('of which they were made an owner unasked, until they give that up as they are told', async () => {
    const waiting = await filed()
    await share(bob, waiting, 'rev@example.org', 'owner')
    const submitted = await submit(bob, waiting)
    expectProblem(await accept(rev, submitted), 'permission_denied', /Give up your role/)
    expect((await rev.delete(path(waiting, '/people/me'))).status).toBe(204)
    const published = bodyOf<DepositBody>(await accept(rev, await bob.show(waiting)), 202)

    await share(bob, published, 'cora@example.org', 'owner')
    const { value } = published.metadata['_deposit'] as { readonly value: string }
    const correct = () => cora.put(`/records/${value}`, { ...published.metadata, title: 'Right' })
    expectProblem(await correct(), 'permission_denied', /Give up your role/)
    expect((await cora.delete(path(published, '/people/me'))).status).toBe(204)
    expect((await correct()).status).toBe(200)
  })

  it('unless it was published since they changed it, or they are administrators', async () => {
    const waiting = await changedBy((editor, draft) => editor.addFile(draft, 'c.csv'))
    const published = bodyOf<DepositBody>(await accept(cora, waiting), 202)
    const edited = await bob.edit(published)
    await good(bob.put(path(edited), { title: 'Second' }))
    expect((await accept(rev, await submit(bob, edited))).status).toBe(202)

    const theirs = await submit(bob, await filed())
    const corrected = bodyOf<DepositBody>(await root.put(path(theirs), { title: 'x' }), 200)
    expect((await accept(root, corrected)).status).toBe(202)
  })

  it('unless their changes were discarded', async () => {
    const first = bodyOf<DepositBody>(await accept(cora, await submit(bob, await filed())), 202)
    const edited = await bob.edit(first)
    const waiting = await changedBy(
      (editor) => good(editor.put(path(edited), { title: 'Theirs' })),
      edited,
    )
    bodyOf(await act(bob, waiting, 'take-back'), 201)
    bodyOf(await act(bob, waiting, 'discard'), 201)
    const again = await bob.edit(first)
    await good(bob.put(path(again), { title: 'Bob’s' }))

    expect((await accept(rev, await submit(bob, again))).status).toBe(202)
  })

  it('shows nobody who has changed it', async () => {
    const draft = await bob.createDraftWith('a.csv')
    await share(bob, draft, 'rev@example.org', 'editor')
    await rev.addFile(draft, 'c.csv')
    const { user } = bodyOf<{ readonly user: string }>(await rev.get('/me'), 200)
    expect((await bob.get(path(draft))).bytes.toString()).not.toContain(user)
  })
})

async function filed(): Promise<DepositBody> {
  const draft = await bob.createDraftWith('a.csv')
  return bodyOf(
    await bob.put(path(draft), {
      title: 'Sea level',
      resource_type: 'dataset',
      publication_date: '2026',
      creators: [{ name: 'Bob' }],
    }),
    200,
  )
}

async function numberOf(id: string): Promise<string | undefined> {
  const found = await bob.get(`${daemon.origin}/rdm/api/user/records?size=100`)
  const { hits } = found.body as { readonly hits: { readonly hits: readonly RdmRecord[] } }
  return hits.hits.find((each) => JSON.stringify(each).includes(id))?.id
}

interface RdmRecord {
  readonly id: string
}

describe('depositd user merge', () => {
  it('lets nobody accept what the merged account has made, submitted or changed', async () => {
    const dan = daemon.as('dan', { roles: ['reviewer'] })
    await dan.get('/me')
    const eve = daemon.as('eve')

    const created = await eve.createDraftWith('a.csv')
    await good(eve.post(path(created, '/transfer'), { json: { user: 'bob@example.org' } }))
    await good(bob.post(path(created, '/transfer/accept')))

    const changed = await bob.createDraftWith('a.csv')
    const editor = await share(bob, changed, 'eve@example.org', 'editor')
    await eve.addFile(changed, 'c.csv')
    await bob.delete(path(changed, `/people/${editor}`))

    const sent = await bob.createDraftWith('a.csv')
    const owner = await share(bob, sent, 'eve@example.org', 'owner')
    await submit(eve, sent)
    await bob.delete(path(sent, `/people/${owner}`))

    await submit(bob, created)
    await submit(bob, changed)
    const merged = await runDepositd(daemon.home, [
      'user',
      'merge',
      'eve@example.org',
      'dan@example.org',
    ])
    expect(merged).toMatchObject({ status: 0 })

    for (const draft of [created, changed, sent])
      expectProblem(await accept(dan, await bob.show(draft)), 'permission_denied', /somebody else/)
    const { user } = bodyOf<{ readonly user: string }>(await dan.get('/me'), 200)
    expect((await bob.show(created)).metadata._deposit?.created_by).toBe(user)
    expect((await bob.show(sent)).review?.submitted_by).toBe(user)
    for (const draft of [created, changed, sent])
      expect((await accept(cora, await bob.show(draft))).status).toBe(202)
  })
})

describe('Steps of a review', () => {
  it('leave the room for comments, and are told up to a number of their own', async () => {
    const draft = await bob.createDraftWith('a.csv')
    await submit(bob, draft)
    bodyOf(await act(rev, draft, 'return', { message: 'Which datum?' }), 201)
    // With words of their own: those of reviewers stay before them.
    for (let times = 0; times < mostSteps; times += 1) {
      bodyOf(await act(bob, draft, 'submit', { message: 'Look again.' }), 201)
      bodyOf(await act(bob, draft, 'take-back'), 201)
    }
    await submit(bob, draft)
    bodyOf(await rev.post(path(draft, '/comments'), { json: { text: 'Better.' } }), 201)
    expect((await accept(rev, await bob.show(draft))).status).toBe(202)

    const told = bodyOf<CommentListBody>(await bob.get(path(draft, '/comments')), 200)
    expect(told).toHaveLength(mostSteps + 1)
    expect(told.map(({ text }) => text)).toContain('Which datum?')
    expect(told.slice(-3).map(({ action, text }) => action ?? text)).toEqual([
      'submit',
      'Better.',
      'accept',
    ])
    // An editor has the least room.
    const { email } = bodyOf<{ email: string }>(await daemon.as('ed6').get('/me'), 200)
    await share(bob, draft, email, 'editor')
    const json = { text: 'Thanks.' }
    bodyOf(await daemon.as('ed6').post(path(draft, '/comments'), { json }), 201)
  })
})

describe('An empty object `access`', () => {
  it('is refused for what it leaves out', async () => {
    const draft = await bob.createDraftWith('a.csv')
    await good(bob.put(path(draft), { title: 'Sea level', access: {} }))

    const refused = await act(bob, draft, 'submit')
    expectProblem(refused, 'invalid_document')
    const { errors = [] } = refused.body as ProblemBody
    expect(errors.map(({ field }) => field)).toEqual(['/access/files'])
    expect(errors[0]?.message).toContain('files is missing')
  })
})

describe('Comments', () => {
  it('of editors leave room for those of owners and reviewers', async () => {
    const draft = await bob.createDraftWith('a.csv')
    const say = (user: User, text = 'x') => user.post(path(draft, '/comments'), { json: { text } })
    const editors = ['ed0', 'ed1', 'ed2', 'ed3', 'ed4', 'ed5'].map((name) => daemon.as(name))
    for (const editor of editors) {
      const { email } = bodyOf<{ email: string }>(await editor.get('/me'), 200)
      await share(bob, draft, email, 'editor')
    }
    const last = editors.pop()
    for (const editor of editors) {
      for (let times = 0; times < mostOfOthers; times += 1) bodyOf(await say(editor), 201)
      expectProblem(await say(editor), 'quota_exceeded', /^You may have 50 comments/)
    }

    expectProblem(await say(last ?? bob), 'quota_exceeded', /submit, return and accept/)
    bodyOf(await say(bob, 'I read them all.'), 201)
    const waiting = await submit(bob, draft)
    bodyOf(await say(rev, 'Which datum?'), 201)
    bodyOf(await say(cora, 'And which unit?'), 201)
    expect((await accept(rev, waiting)).status).toBe(202)
  })
})

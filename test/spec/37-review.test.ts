import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

/** Publication §7, "Review" and "Roles". */

const required = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
afterAll(async () => {
  await required[Symbol.asyncDispose]()
})

const ada = required.as('ada')
const rolf = required.as('rolf', { roles: ['reviewer'] })
const cora = required.as('cora', { roles: ['curator'] })
const root = required.as('root', { admin: true })

const path = ({ id }: Pick<DepositBody, 'id'>, rest = '') => `/deposits/${id}${rest}`
const act = (user: User, deposit: Pick<DepositBody, 'id'>, action: string, json?: object) =>
  user.post(path(deposit, `/actions/${action}`), json ? { json } : {})
const submit = async (user: User, deposit: DepositBody): Promise<DepositBody> =>
  bodyOf(await act(user, deposit, 'submit'), 201)
const submitted = async (user = ada): Promise<DepositBody> =>
  submit(user, await user.createDraftWith('levels.csv'))
const accept = (user: User, { id, revision }: DepositBody) =>
  act(user, { id }, 'accept', { revision })

/** Expects a refusal by the state of the review that names the action which leads on. */
function expectRefusal(reply: Reply, actions: readonly string[]): void {
  expectProblem(reply, 'invalid_action')
  expect((reply.body as ProblemBody).errors).toMatchObject([{ actions }])
}

describe('Where review is required', () => {
  it('an owner submits a draft, and a reviewer publishes it by accepting it', async () => {
    const draft = await ada.createDraftWith('levels.csv')
    expectRefusal(await ada.act(draft, 'publish'), ['submit'])
    expectRefusal(await root.act(draft, 'publish'), ['submit'])

    const waiting = bodyOf<DepositBody>(
      await act(ada, draft, 'submit', { message: 'As in the paper.' }),
      201,
    )
    expect(waiting).toMatchObject({
      metadata: { _deposit: { status: 'draft' } },
      revision: draft.revision + 1,
      review: { state: 'submitted', revision: draft.revision + 1, message: 'As in the paper.' },
    })
    expect(waiting.review?.by).toBe(waiting.metadata._deposit?.created_by)

    const reply = await accept(rolf, waiting)
    const published = bodyOf<DepositBody>(reply, 202)
    expect(published).toMatchObject({
      metadata: { _deposit: { status: 'published' } },
      review: { state: 'accepted', revision: waiting.revision, submitted_by: waiting.review?.by },
    })
    expect(published.review?.by).not.toBe(waiting.review?.by)
    expect((await required.visitor.get(published.links['record'] ?? '')).status).toBe(200)
    expectProblem(await rolf.get(path(draft)), 'permission_denied')
  })

  it('is no draft accepted by those whose it is, unless they are administrators', async () => {
    const own = await submitted(rolf)
    expectProblem(await accept(rolf, own), 'permission_denied', /somebody else/)
    const ofCurator = await submitted(cora)
    expectProblem(await accept(cora, ofCurator), 'permission_denied', /somebody else/)
    expect((await accept(rolf, ofCurator)).status).toBe(202)
    expect((await accept(cora, own)).status).toBe(202)
    expect((await accept(root, await submitted(root))).status).toBe(202)
    expectProblem(await accept(ada, await submitted()), 'permission_denied')
  })

  it('edits and new versions are reviewed as well', async () => {
    const published = bodyOf<DepositBody>(await accept(rolf, await submitted()), 202)
    const edited = await ada.edit(published)
    expect(edited.review).toBeUndefined()
    await ada.put(path(edited), { title: 'Better levels' })
    expectRefusal(await ada.act(edited, 'publish'), ['submit'])
    const waiting = await submit(ada, edited)
    const again = bodyOf<DepositBody>(await accept(cora, waiting), 202)
    expect(again.metadata).toMatchObject({ title: 'Better levels' })
    expect(await ada.record(again)).toMatchObject({ revision: 1 })

    const next = bodyOf<DepositBody>(await ada.act(again, 'newversion'), 201)
    expect(next.review).toBeUndefined()
    expectRefusal(await ada.act(next, 'publish'), ['submit'])
    expect((await accept(rolf, await submit(ada, next))).status).toBe(202)
  })

  it('a curator corrects the records of others alone', async () => {
    const theirs = bodyOf<DepositBody>(await accept(rolf, await submitted()), 202)
    const own = bodyOf<DepositBody>(await accept(rolf, await submitted(cora)), 202)

    expect((await cora.put(theirs.links['record'] ?? '', { title: 'x' })).status).toBe(200)
    expectProblem(
      await cora.put(own.links['record'] ?? '', { title: 'x' }),
      'permission_denied',
      /what others have reviewed/,
    )
  })

  it('the interfaces of other services do not get around it', async () => {
    const draft = await ada.createDraftWith('levels.csv')
    await ada.put(path(draft), {
      title: 'Sea level',
      description: 'Levels.',
      resource_type: 'dataset',
      publication_date: '2026',
      creators: [{ name: 'Ada' }],
    })
    const zenodo = `${required.origin}/zenodo/api/deposit/depositions`
    const [{ id }] = (await ada.get(`${zenodo}?size=1`)).body as readonly [{ readonly id: number }]

    const replies = [
      await ada.post(`${zenodo}/${id}/actions/publish`),
      await ada.post(`${required.origin}/rdm/api/records/${id}/draft/actions/publish`),
    ]

    for (const { bytes } of replies) expect(bytes.toString()).toContain('the action submit sends')
    expect(replies.map(({ status }) => status)).toEqual([403, 400])
    expect((await ada.show(draft)).metadata._deposit?.status).toBe('draft')
  })
})

describe('Acceptance', () => {
  it('is bound to the revision that was looked at, by If-Match or by the body', async () => {
    const seen = await submitted()
    const changed = bodyOf<DepositBody>(await cora.put(path(seen), { title: 'Corrected' }), 200)
    const ifMatch = (revision: number) =>
      rolf.post(path(seen, '/actions/accept'), { headers: { 'if-match': `"${revision}"` } })

    expectProblem(await act(rolf, seen, 'accept'), 'malformed_request')
    expectProblem(await act(rolf, seen, 'accept', {}), 'malformed_request')
    const any = { headers: { 'if-match': '*' } }
    expectProblem(await rolf.post(path(seen, '/actions/accept'), any), 'malformed_request')
    expectProblem(await accept(rolf, seen), 'stale_revision', /has changed since/)
    expectProblem(await ifMatch(seen.revision), 'stale_revision', /has changed since/)
    expect((await ada.show(seen)).metadata._deposit?.status).toBe('draft')
    const published = bodyOf<DepositBody>(await ifMatch(changed.revision), 202)
    expect(published.metadata).toMatchObject({ title: 'Corrected' })
  })

  it('is refused for a draft that was taken back and submitted with other files', async () => {
    const seen = await submitted()
    bodyOf(await act(ada, seen, 'take-back'), 201)
    await ada.addFile(seen, 'more.csv')
    const again = await submit(ada, await ada.show(seen))

    expectProblem(await accept(rolf, seen), 'stale_revision', /has changed since/)
    expect((await accept(rolf, again)).status).toBe(202)
  })

  it('happens once, where two accept at the same time', async () => {
    const seen = await submitted()
    const replies = await Promise.all([accept(rolf, seen), accept(cora, seen), accept(root, seen)])

    expect(replies.map(({ status }) => status).filter((status) => status === 202)).toHaveLength(1)
    expect(await ada.record(await ada.show(seen))).toMatchObject({ revision: 0 })
  })
})

describe('A submitted draft', () => {
  it('does not change until it is taken back', async () => {
    const draft = await ada.createDraftWith('a.csv', 'b.csv')
    const waiting = await submit(ada, draft)
    const ids = (await ada.files(waiting)).map(({ id }) => ({ id })).reverse()
    const upload = {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '1',
        'upload-metadata': 'filename Yw==',
      },
    }
    const form = new FormData()
    form.set('file', new Blob(['x']), 'c')
    const before = await ada.state(waiting)
    for (const change of [
      () => ada.put(path(waiting), { title: 'Changed' }),
      () => ada.patch(path(waiting), [{ op: 'add', path: '/notes', value: 'x' }]),
      () => ada.delete(path(waiting)),
      () => ada.delete(path(waiting, '?force=false')),
      () => ada.upload(waiting, 'c.csv'),
      () => ada.putObject(waiting, 'c.csv', 'x'),
      () => ada.putObject(waiting, 'a.csv', 'x'),
      () => ada.put(path(waiting, '/files'), ids),
      () => ada.put(path(waiting, '/files/a.csv'), { filename: 'z.csv' }),
      () => ada.delete(path(waiting, '/files/a.csv')),
      () => ada.post(path(waiting, '/bundles'), { body: form }),
      () => ada.post(path(waiting, '/uploads'), upload),
      () => ada.act(waiting, 'publish'),
      () => root.act(waiting, 'publish'),
    ]) {
      const reply = await change()
      expectRefusal(reply, ['take-back'])
      expect((reply.body as ProblemBody).errors?.[0]?.message).toContain('take-back')
    }
    expectRefusal(await ada.act(waiting, 'submit'), [])
    expect(await ada.state(waiting)).toEqual(before)

    const back = bodyOf<DepositBody>(await act(ada, waiting, 'take-back'), 201)
    expect(back.review).toBeUndefined()
    expect((await ada.put(path(back), { title: 'Changed' })).status).toBe(200)
    expectRefusal(await ada.act(back, 'take-back'), ['submit'])
  })

  it('is refused with what keeps it from being published', async () => {
    const draft = await ada.createDraft({ title: 'x', access_right: 'embargoed' })
    expectProblem(await ada.act(draft, 'submit'), 'invalid_document')
    const other = await ada.createDraft()
    await ada.post(path(other, '/uploads'), {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '1',
        'upload-metadata': 'filename Yw==',
      },
    })
    expectProblem(await ada.act(other, 'submit'), 'invalid_action')
    expect((await ada.show(other)).review).toBeUndefined()
  })

  it('is read by reviewers with its files; returned or taken back, it is not', async () => {
    const draft = await ada.createDraftWith('levels.csv')
    const { links } = draft
    const reads = [
      '',
      '/files',
      '/files/levels.csv',
      '/export/bibtex',
      '/packages/zip',
      '/comments',
    ]
    const statuses = (user: User) =>
      Promise.all(
        [...reads.map((rest) => path(draft, rest)), `${links['bucket']}/levels.csv`].map(
          async (each) => (await user.get(each)).status,
        ),
      )
    const all = (status: number) => Array.from({ length: reads.length + 1 }, () => status)

    for (const user of [rolf, cora]) {
      expect(await statuses(user)).toEqual(all(403))
      await submit(ada, draft)
      expect(await statuses(user)).toEqual(all(200))
      bodyOf(await act(user, draft, 'return', { message: 'No.' }), 201)
      expect(await statuses(user)).toEqual(all(403))
      await submit(ada, draft)
      bodyOf(await act(ada, draft, 'take-back'), 201)
      expect(await statuses(user)).toEqual(all(403))
    }
    await submit(ada, draft)
    expect(await statuses(required.as('bob'))).toEqual(all(403))
    expect(await statuses(required.visitor)).toEqual(all(401))
  })

  it('is corrected in its metadata by curators, and by reviewers in nothing', async () => {
    const waiting = await submitted()

    expect((await cora.put(path(waiting), { title: 'Corrected' })).status).toBe(200)
    const corrected = await ada.show(waiting)
    expect(corrected).toMatchObject({
      metadata: { title: 'Corrected' },
      review: { state: 'submitted', revision: waiting.revision },
    })
    for (const user of [cora, rolf]) {
      expectProblem(await user.upload(waiting, 'c.csv'), 'permission_denied')
      expectProblem(await user.delete(path(waiting)), 'permission_denied')
      expectProblem(await user.act(waiting, 'take-back'), 'permission_denied')
      expectProblem(await user.act(waiting, 'publish'), 'permission_denied')
    }
    expectProblem(await rolf.put(path(waiting), { title: 'x' }), 'permission_denied')
    const own = await submitted(cora)
    expectRefusal(await cora.put(path(own), { title: 'x' }), ['take-back'])
  })

  it('keeps its files closed where a curator leaves access out, and opens them where they say so', async () => {
    const draft = await ada.createDraftWith('levels.csv')
    await ada.put(path(draft), { title: 'Levels', access: { files: 'restricted' } })
    const waiting = await submit(ada, await ada.show(draft))

    const refused = await cora.put(path(waiting), { title: 'Corrected' })
    expectProblem(refused, 'invalid_document')
    expect(JSON.stringify(refused.body)).toContain('access: {files: public}')
    expect((await ada.show(waiting)).metadata).toMatchObject({ access: { files: 'restricted' } })
    const access = { files: 'public' }
    expect((await cora.put(path(waiting), { title: 'Corrected', access })).status).toBe(200)
  })

  it('is returned with a message, changed and submitted again', async () => {
    const waiting = await submitted()
    expectProblem(await act(rolf, waiting, 'return', {}), 'malformed_request')
    expectProblem(await act(rolf, waiting, 'return', { message: ' ' }), 'malformed_request')
    expectProblem(await act(ada, waiting, 'return', { message: 'x' }), 'permission_denied')

    const returned = bodyOf<DepositBody>(
      await act(rolf, waiting, 'return', { message: 'Which datum?' }),
      201,
    )
    expect(returned.review).toMatchObject({ state: 'returned', message: 'Which datum?' })
    expectProblem(await accept(rolf, returned), 'permission_denied')
    expect((await ada.put(path(returned), { title: 'Above datum' })).status).toBe(200)
    expect((await ada.show(returned)).review).toMatchObject({ state: 'returned' })
    const again = await submit(ada, returned)
    expect(again.review).not.toHaveProperty('message')
    expect((await accept(rolf, again)).status).toBe(202)
  })

  it('gives up its review with the edit that is discarded', async () => {
    const published = bodyOf<DepositBody>(await accept(rolf, await submitted()), 202)
    const edited = await ada.edit(published)
    bodyOf(await act(rolf, await submit(ada, edited), 'return', { message: 'No.' }), 201)

    const discarded = bodyOf<DepositBody>(await ada.act(edited, 'discard'), 201)
    expect(discarded.review).toBeUndefined()
  })

  it('has repeated submissions answered as the first, with the same key', async () => {
    const draft = await ada.createDraft()
    const sent = { headers: { 'idempotency-key': `submit-${draft.id}` } }
    const first = await ada.post(path(draft, '/actions/submit'), sent)
    const second = await ada.post(path(draft, '/actions/submit'), sent)

    expect(second).toMatchObject({ status: 201, body: first.body })
  })
})

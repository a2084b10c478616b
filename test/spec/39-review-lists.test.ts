import { afterAll, describe, expect, it } from 'vitest'
import type { CommentListBody } from '../../core/contract/review.ts'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const optional = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
afterAll(() => optional[Symbol.asyncDispose]())

const path = ({ id }: Pick<DepositBody, 'id'>, rest = '') => `/deposits/${id}${rest}`
const act = (user: User, deposit: Pick<DepositBody, 'id'>, action: string, json?: object) =>
  user.post(path(deposit, `/actions/${action}`), json ? { json } : {})
const submit = async (user: User, deposit: DepositBody): Promise<DepositBody> =>
  bodyOf(await act(user, deposit, 'submit'), 201)
const submitted = async (user: User): Promise<DepositBody> =>
  submit(user, await user.createDraftWith('levels.csv'))
const accept = (user: User, { id, revision }: DepositBody) =>
  act(user, { id }, 'accept', { revision })

/** Expects a refusal by the state of the review that names the action which leads on. */
function expectRefusal(reply: Reply, actions: readonly string[]): void {
  expectProblem(reply, 'invalid_action')
  expect((reply.body as ProblemBody).errors).toMatchObject([{ actions }])
}

describe('The list of what waits', () => {
  it('has all drafts for those who review, oldest first, and their own for others', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
    const [eva, bob] = [daemon.as('eva'), daemon.as('bob')]
    const reviewer = daemon.as('rolf', { roles: ['reviewer'] })
    const first = await submitted(eva)
    const second = await submitted(bob)
    const third = await submitted(eva)
    await eva.createDraft()
    bodyOf(await act(eva, first, 'take-back'), 201)
    await submit(eva, first)
    const ids = async (user: User, more = '') =>
      (await user.search(`review=submitted${more}`)).hits.hits.map(({ id }) => id)

    const all = [second.id, third.id, first.id]
    for (const user of [reviewer, daemon.as('cora', { roles: ['curator'] })])
      expect(await ids(user)).toEqual(all)
    expect(await ids(daemon.as('root', { admin: true }))).toEqual(all)
    expect(await ids(eva)).toEqual([third.id, first.id])
    expect(await ids(daemon.as('eve'))).toEqual([])
    expect(await ids(reviewer, '&size=2&page=2')).toEqual([first.id])
    expect((await reviewer.search('review=submitted&size=1')).hits.total).toBe(3)
    expect((await reviewer.search()).hits.total).toBe(0)
    expectProblem(await reviewer.get('/deposits/?review=returned'), 'invalid_paging')
    expectProblem(await reviewer.get('/deposits/?review=submitted&q=x'), 'invalid_paging')
    const narrow = daemon.as('rolf', { roles: ['reviewer'], deposit: second.id })
    expect(await ids(narrow)).toEqual([second.id])
  })
})

describe('Where review is optional', () => {
  const eva = optional.as('eva')
  const reviewer = optional.as('rolf', { roles: ['reviewer'] })

  it('owners publish a draft, or submit it', async () => {
    expect((await eva.createPublished()).review).toBeUndefined()
    expect((await accept(reviewer, await submitted(eva))).status).toBe(202)
    const own = await submitted(reviewer)
    expect((await accept(reviewer, own)).status).toBe(202)
    const returned = await submitted(eva)
    bodyOf(await act(reviewer, returned, 'return', { message: 'No.' }), 201)
    expect((await eva.publish(returned)).review).toBeUndefined()
  })

  it('a token with deposit:write alone submits and takes back, and publishes nothing', async () => {
    const pipeline = optional.as('rolf', { roles: ['reviewer'], scopes: [writeScope] })
    const own = await pipeline.createDraftWith('levels.csv')
    expectProblem(await pipeline.act(own, 'publish'), 'insufficient_scope', /deposit:actions/)
    const waiting = await submit(pipeline, own)
    expectProblem(await accept(pipeline, waiting), 'insufficient_scope', /deposit:actions/)
    expectProblem(
      await act(pipeline, waiting, 'return', { message: 'x' }),
      'insufficient_scope',
      /deposit:actions/,
    )
    bodyOf(await act(pipeline, waiting, 'take-back'), 201)
    const reading = optional.as('rolf', { scopes: [] })
    expectProblem(await reading.act(own, 'submit'), 'insufficient_scope', /deposit:write/)
    expect((await eva.get(path(own))).status).toBe(403)
  })
})

describe('Without reviews', () => {
  it('a draft is published, and submitting names that', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('ada')
    const draft = await owner.createDraft()

    expectRefusal(await owner.act(draft, 'submit'), ['publish'])
    expect((await owner.publish(draft)).review).toBeUndefined()
  })
})

describe('Comments', () => {
  const [ada, rolf] = [optional.as('ada'), optional.as('rolf', { roles: ['reviewer'] })]

  it('are exchanged by owners and reviewers, with the steps of the review', async () => {
    const draft = await ada.createDraft()
    const comment = (user: User, text: unknown) =>
      user.post(path(draft, '/comments'), { json: { text } })
    expectProblem(await comment(rolf, 'x'), 'permission_denied')
    bodyOf(await act(ada, draft, 'submit', { message: 'Please.' }), 201)

    expect((await comment(rolf, 'Is the time in UTC?')).status).toBe(201)
    expect((await comment(ada, 'Yes.')).status).toBe(201)
    expectProblem(await comment(optional.as('bob'), 'x'), 'permission_denied')
    expectProblem(await comment(ada, ''), 'malformed_request')
    expectProblem(await comment(ada, 'x'.repeat(4001)), 'malformed_request')
    bodyOf(await act(rolf, draft, 'return', { message: 'Say so.' }), 201)

    const told = bodyOf<CommentListBody>(await ada.get(path(draft, '/comments')), 200)
    expect(told.map(({ by, text, action }) => [by.name, action, text])).toEqual([
      ['ada@example.org', 'submit', 'Please.'],
      ['rolf@example.org', undefined, 'Is the time in UTC?'],
      ['ada@example.org', undefined, 'Yes.'],
      ['rolf@example.org', 'return', 'Say so.'],
    ])
    expect((await ada.show(draft)).revision).toBe(2)
  })

  it('and messages of submissions count in the quota of those who write them', async () => {
    const [cem, wu] = [optional.as('cem'), optional.as('wu', { roles: ['reviewer'] })]
    const used = async (user: User) =>
      bodyOf<{ readonly used: number }>(await user.get('/me'), 200).used
    const say = (user: User, draft: DepositBody, text: string) =>
      user.post(path(draft, '/comments'), { json: { text } })
    const draft = await cem.createDraftWith('levels.csv')
    const [before, none] = [await used(cem), await used(wu)]
    bodyOf(await act(cem, draft, 'submit', { message: 'é'.repeat(10) }), 201)
    bodyOf(await say(cem, draft, 'x'.repeat(100)), 201)
    bodyOf(await say(wu, draft, 'x'.repeat(30)), 201)
    expect([await used(cem), await used(wu)]).toEqual([before + 120, none + 30])

    const [one, two] = ['cem@example.org', 'wu@example.org']
    for (const email of [one, two]) await optional.operate('user quota', { email, size: '1' })
    expect((await say(cem, draft, 'x')).status).toBe(507)
    expect((await say(wu, draft, 'x')).status).toBe(507)
    // Who reviews can always answer, and a draft can always be submitted.
    bodyOf(await act(wu, draft, 'return', { message: 'Say so.' }), 201)
    expect((await act(cem, draft, 'submit', { message: 'x' })).status).toBe(507)
    bodyOf(await act(cem, draft, 'submit'), 201)
    bodyOf(await act(cem, draft, 'take-back'), 201)

    // The advice: an operator raises it, or what is not needed is deleted.
    await optional.operate('user quota', { email: one, size: 'default' })
    bodyOf(await say(cem, draft, 'x'), 201)
    bodyOf(await wu.get('/me'), 200)
    await runDepositd(optional.home, ['user', 'delete', two])
    expect(await runDepositd(optional.home, ['check'])).toMatchObject({ status: 0, stdout: '' })
    expect((await cem.delete(path(draft))).status).toBe(204)
    expect(await used(cem)).toBe(0)
    expect(await runDepositd(optional.home, ['check'])).toMatchObject({ status: 0, stdout: '' })
  })

  it('go with their deposit', async () => {
    const draft = await ada.createDraft()
    await ada.post(path(draft, '/comments'), { json: { text: 'x' } })
    await ada.delete(path(draft))
    const { status, stdout } = await runDepositd(optional.home, ['check'])

    expect([status, stdout]).toEqual([0, expect.not.stringContaining('comment')])
  })
})

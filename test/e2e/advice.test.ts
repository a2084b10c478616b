import { afterAll, describe, expect, it } from 'vitest'
import { refusals, type Refusal } from '../../core/contract/refusals.ts'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
const strict = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
const plain = await testDaemon()
afterAll(async () => {
  for (const each of [daemon, strict, plain]) await each[Symbol.asyncDispose]()
})
const ada = daemon.as('ada')

/** A deposit whose status refuses a request, and the effect of each action that is named. */
interface Refused {
  readonly make: () => Promise<DepositBody>
  readonly ask: (deposit: DepositBody) => Promise<Reply>
  /** The owner of it; `ada` by default. */
  readonly owner?: User
  /** Checks the effect of the action; `answered` is the deposit that the action returned. */
  readonly leads: Readonly<
    Record<string, (answered: DepositBody, refused: DepositBody) => Promise<unknown>>
  >
}

const isDone = (reply: Reply): void => expect(reply.status).toBeLessThan(300)
const path = ({ id }: DepositBody): string => `/deposits/${id}`
const change = (deposit: DepositBody) => ada.put(path(deposit), { title: 'Changed' })
const act = (name: string) => (deposit: DepositBody) => ada.act(deposit, name)
const addFile = (deposit: DepositBody) => ada.upload(deposit, 'new.csv')
const remove = (deposit: DepositBody) => ada.delete(path(deposit))

const draft = () => ada.createDraft()
const published = async () => ada.publish(await ada.createDraftWith('a.csv', 'b.csv'))
const edited = async () => ada.edit(await published())
const changed = async () => bodyOf<DepositBody>(await change(await edited()), 200)
const changedBefore = async () => {
  const before = bodyOf<DepositBody>(await change(await draft()), 200)
  return ada.edit(await ada.publish(before))
}
const sealed = async () => bodyOf<DepositBody>(await ada.act(await published(), 'register'), 201)

const submitted = async () => bodyOf<DepositBody>(await ada.act(await draft(), 'submit'), 201)

const withdraw = ({ id }: DepositBody, more: object = {}) =>
  ada.post(`/deposits/${id}/actions/withdraw`, { json: { reason: 'test', ...more } })
const openBefore = async () => {
  const first = await published()
  const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
  bodyOf(await withdraw(first, { reason: 'personal-data', destroy_bytes: true }), 202)
  return next
}
const withdrawn = async (more: object = {}) =>
  bodyOf<DepositBody>(await withdraw(await published(), more), 202)

/** The refused request succeeds with the deposit that the action returned. */
const thenDone =
  (work: (deposit: DepositBody) => Promise<Reply>): Refused['leads'][string] =>
  async (answered) =>
    isDone(await work(answered))
/** The refused request succeeds with the same deposit. */
const thenDoneAgain =
  (work: (deposit: DepositBody) => Promise<Reply>): Refused['leads'][string] =>
  async (_answered, refused) =>
    isDone(await work(refused))

/** One row for each refusal by a status: a refusal without a row does not compile. */
const rows: Readonly<Record<Refusal, Refused>> = {
  published: { make: published, ask: change, leads: { edit: thenDone(change) } },
  sealed: { make: sealed, ask: change, leads: { newversion: thenDone(change) } },
  published_already: {
    make: published,
    ask: act('publish'),
    leads: { edit: thenDone(change) },
  },
  nothing_edited: { make: published, ask: act('discard'), leads: {} },
  published_files: { make: published, ask: addFile, leads: { newversion: thenDone(addFile) } },
  published_kept: {
    make: published,
    ask: remove,
    leads: { edit: thenDone(change), newversion: thenDone(addFile) },
  },
  withdrawn_kept: { make: () => withdrawn(), ask: remove, leads: {} },
  edited_kept: {
    make: changed,
    ask: remove,
    leads: {
      discard: async ({ metadata }) => expect(metadata).toHaveProperty('title', 'Sea level'),
    },
  },
  never_published: {
    make: draft,
    ask: act('newversion'),
    leads: { publish: thenDone(act('newversion')) },
  },
  edited: {
    make: changed,
    ask: act('newversion'),
    leads: {
      publish: thenDoneAgain(act('newversion')),
      discard: thenDoneAgain(act('newversion')),
    },
  },
  files_frozen: { make: edited, ask: addFile, leads: { newversion: thenDone(addFile) } },
  nothing_to_discard: { make: draft, ask: act('discard'), leads: {} },
  nothing_to_merge: { make: draft, ask: act('merge'), leads: {} },
  nothing_to_undo: { make: draft, ask: act('undo'), leads: {} },
  nothing_since_published: { make: changedBefore, ask: act('undo'), leads: {} },
  edit_not_published: { make: draft, ask: act('edit'), leads: {} },
  identified_already: { make: published, ask: act('reserve'), leads: {} },
  nothing_to_reserve: { make: draft, ask: act('reserve'), leads: {} },
  registered_already: { make: sealed, ask: act('register'), leads: {} },
  withdrawn: {
    make: () => withdrawn(),
    ask: act('edit'),
    leads: { 'restore-record': thenDone(act('edit')) },
  },
  withdrawn_for_good: {
    make: () => withdrawn({ destroy_bytes: true }),
    ask: act('restore-record'),
    leads: { newversion: thenDone(addFile) },
  },
  withdrawn_already: { make: () => withdrawn(), ask: withdraw, leads: {} },
  not_withdrawn: { make: published, ask: act('restore-record'), leads: {} },
  destroyed_files: { make: openBefore, ask: act('publish'), leads: {} },
  submitted: { make: submitted, ask: change, leads: { 'take-back': thenDone(change) } },
  submitted_already: { make: submitted, ask: act('submit'), leads: {} },
  not_submitted: {
    make: draft,
    ask: act('take-back'),
    leads: { submit: thenDone(act('take-back')) },
  },
  published_reviewed: {
    make: published,
    ask: act('submit'),
    leads: { edit: thenDone(act('submit')) },
  },
  review_required: {
    owner: strict.as('ada'),
    make: () => strict.as('ada').createDraft(),
    ask: (deposit) => strict.as('ada').act(deposit, 'publish'),
    leads: {
      submit: async (answered) =>
        isDone(
          await strict.as('root', { admin: true }).post(`${path(answered)}/actions/accept`, {
            json: { revision: answered.revision },
          }),
        ),
    },
  },
  no_reviews: {
    owner: plain.as('ada'),
    make: () => plain.as('ada').createDraft(),
    ask: (deposit) => plain.as('ada').act(deposit, 'submit'),
    leads: { publish: async ({ metadata }) => expect(metadata._deposit?.status).toBe('published') },
  },
}

describe('a refusal by the status of a deposit', () => {
  it.for(Object.entries(rows))('%s names the actions that help', async ([name, row]) => {
    const { message, actions } = refusals[name as Refusal]
    expect(Object.keys(row.leads)).toEqual(actions)
    const reply = await row.ask(await row.make())
    const { errors } = bodyOf<ProblemBody>(reply, 403)
    expect(errors).toMatchObject([{ message, actions }])

    for (const action of actions) {
      const refused = await row.make()
      await row.ask(refused)
      const answer = await (row.owner ?? ada).act(refused, action)
      expect([action, answer.status]).toEqual([action, action === 'publish' ? 202 : 201])
      await row.leads[action]?.(answer.body as DepositBody, refused)
    }
  })

  it.for([
    [
      'rename',
      (deposit: DepositBody) => ada.put(`${path(deposit)}/files/a.csv`, { filename: 'c' }),
    ],
    ['delete', (deposit: DepositBody) => ada.delete(`${path(deposit)}/files/a.csv`)],
    ['upload', (deposit: DepositBody) => ada.putObject(deposit, 'new.csv', 'x')],
  ] as const)('to %s a file of a published or edited deposit names newversion', async ([, ask]) => {
    for (const make of [published, edited]) {
      const deposit = await make()
      const { errors } = bodyOf<ProblemBody>(await ask(deposit), 403)
      expect(errors).toMatchObject([{ actions: ['newversion'] }])
      const next = bodyOf<DepositBody>(await ada.act(deposit, 'newversion'), 201)
      isDone(await ask(next))
    }
  })

  it('to sort the files of a published deposit names edit', async () => {
    const deposit = await published()
    const sorted = (await ada.files(deposit)).map(({ id }) => ({ id })).reverse()
    const { errors } = bodyOf<ProblemBody>(await ada.put(`${path(deposit)}/files`, sorted), 403)
    expect(errors).toMatchObject([{ actions: ['edit'] }])
    isDone(await ada.put(`${path(await ada.edit(deposit))}/files`, sorted))
  })
})

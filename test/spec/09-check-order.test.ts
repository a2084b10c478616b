import { afterAll, describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { ProblemCode } from '../../core/contract/problems.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { form, formType } from '../support/form.ts'
import type { Sent } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const bob = daemon.as('bob')

const unread = { 'content-type': 'text/plain' }
const json = { 'content-type': 'application/json' }
const stale = { 'if-match': '"99"' }

interface Route {
  readonly method: string
  readonly path: (deposit: Pick<DepositBody, 'id'>) => string
  /** Type and body of a request that is well-formed but faulty. */
  readonly faulty: Sent
  readonly fault: ProblemCode
  /** Type and body of a request that is refused only because the deposit is published. */
  readonly sound: Sent
  readonly refusal: ProblemCode
}

const sound = { headers: json, body: '{}' }

/** Every route that takes a body, with a fault of each kind. */
const routes: Readonly<Record<string, Route>> = {
  'PUT item': {
    method: 'PUT',
    path: ({ id }) => `/deposits/${id}`,
    faulty: { headers: json, body: '[]' },
    fault: 'invalid_document',
    sound,
    refusal: 'invalid_action',
  },
  'PATCH item': {
    method: 'PATCH',
    path: ({ id }) => `/deposits/${id}`,
    faulty: { headers: json, body: '{}' },
    fault: 'invalid_patch',
    sound: { headers: json, body: '[]' },
    refusal: 'invalid_action',
  },
  'PUT files': {
    method: 'PUT',
    path: ({ id }) => `/deposits/${id}/files`,
    faulty: { headers: json, body: '[{}]' },
    fault: 'wrong_file',
    sound: { headers: json, body: '[]' },
    // A body that does not name every file is refused before the state is checked.
    refusal: 'wrong_file',
  },
  'PUT file': {
    method: 'PUT',
    path: ({ id }) => `/deposits/${id}/files/a`,
    faulty: { headers: json, body: '{"filename":"../b"}' },
    fault: 'wrong_file',
    sound: { headers: json, body: '{"filename":"b"}' },
    refusal: 'invalid_action',
  },
  'POST files': {
    method: 'POST',
    path: ({ id }) => `/deposits/${id}/files`,
    faulty: { headers: { 'content-type': formType }, body: form() },
    fault: 'wrong_file',
    sound: {
      headers: { 'content-type': formType },
      body: form({ name: 'file', filename: 'b', content: 'b' }),
    },
    refusal: 'invalid_action',
  },
}

const cases = Object.entries(routes)

function attempt(user: User, { method, path }: Route, id: string, sent: Sent, headers = {}) {
  return user.send(method, path({ id }), { ...sent, headers: { ...sent.headers, ...headers } })
}

describe('The order of checks', () => {
  it.for(cases)('%s: the token (401) before the media type', async ([, route]) => {
    const reply = await attempt(daemon.visitor, route, 'nope', { headers: unread, body: 'x' })

    expectProblem(reply, 'unauthenticated')
  })

  it.for(cases)('%s: the media type (415) before the identifier', async ([, route]) => {
    const reply = await attempt(bob, route, 'nope', { headers: unread, body: 'x' })

    expectProblem(reply, 'unsupported_media_type', /./)
  })

  it.for(cases)('%s: the identifier (404, 410) before scope and ownership', async ([, route]) => {
    const gone = await ada.createDraft()
    await ada.delete(`/deposits/${gone.id}`)
    const reader = daemon.as('bob', { scopes: [] })

    expectProblem(await attempt(reader, route, 'nope', route.faulty), 'deposit_not_found')
    expectProblem(await attempt(reader, route, gone.id, route.faulty), 'deposit_deleted')
  })

  it.for(cases)('%s: scope and ownership (403) before If-Match', async ([, route]) => {
    const { id } = await ada.createDraftWith('a')
    const actor = daemon.as('ada', { scopes: [actionsScope] })

    const scope = await attempt(actor, route, id, route.faulty, stale)
    expectProblem(scope, 'insufficient_scope', /deposit:write/)
    expectProblem(await attempt(bob, route, id, route.faulty, stale), 'permission_denied')
  })

  it.for(cases)('%s: If-Match (412) before the body', async ([, route]) => {
    const { id } = await ada.createDraftWith('a')

    expectProblem(await attempt(ada, route, id, route.faulty, stale), 'stale_revision', /"1"/)
  })

  it.for(cases)('%s: the body (400) before the state of the deposit', async ([, route]) => {
    const { id } = await ada.publish(await ada.createDraftWith('a'))

    expectProblem(await attempt(ada, route, id, route.faulty), route.fault)
    expectProblem(await attempt(ada, route, id, route.sound), route.refusal)
  })

  it('POST action: token, identifier, scope and ownership, If-Match, state', async () => {
    const published = await ada.createPublished()
    const publish = (user: User, id: string) =>
      user.post(`/deposits/${id}/actions/publish`, { headers: stale })

    expectProblem(await publish(daemon.visitor, 'nope'), 'unauthenticated')
    const writer = daemon.as('ada', { scopes: [writeScope] })
    expectProblem(await publish(writer, 'nope'), 'deposit_not_found')
    expectProblem(await publish(writer, published.id), 'insufficient_scope', /deposit:actions/)
    expectProblem(await publish(bob, published.id), 'permission_denied')
    expectProblem(await publish(ada, published.id), 'stale_revision', /"1"/)
    expectProblem(await ada.act(published, 'publish'), 'invalid_action')
  })

  it('POST list: token, media type, scope, body', async () => {
    const body = '[]'
    const reader = daemon.as('ada', { scopes: [] })
    const post = (user: User, headers: Record<string, string>) =>
      user.post('/deposits/', { headers, body })

    expectProblem(await post(daemon.visitor, unread), 'unauthenticated')
    expectProblem(await post(reader, unread), 'unsupported_media_type', /./)
    expectProblem(await post(reader, json), 'insufficient_scope', /deposit:write/)
    expectProblem(await post(ada, json), 'invalid_document')
  })

  it('PUT object: token, bucket, ownership, If-Match, key, state', async () => {
    const draft = await ada.createDraft()
    const published = await ada.createPublished()
    const tooLong = 'x'.repeat(256)
    const put = (user: User, { links }: DepositBody, key: string, headers = {}) =>
      user.send('PUT', `${links['bucket']}/${key}`, { body: 'x', headers })

    expectProblem(await put(daemon.visitor, draft, tooLong, stale), 'unauthenticated')
    expectProblem(await bob.send('PUT', '/files/nope/CON', { body: 'x' }), 'deposit_not_found', /./)
    expectProblem(await put(bob, draft, tooLong, stale), 'permission_denied')
    expectProblem(await put(ada, draft, tooLong, stale), 'stale_revision', /"0"/)
    expectProblem(await put(ada, published, tooLong), 'wrong_file')
    expectProblem(await put(ada, published, 'a'), 'invalid_action')
  })
})

describe('A body is not read before permission is checked', () => {
  it('malformed JSON from a stranger is 403, not 400', async () => {
    const { id } = await ada.createDraft()
    const reply = await bob.send('PUT', `/deposits/${id}`, { headers: json, body: '{' })

    expectProblem(reply, 'permission_denied')
    expect((await ada.show({ id })).revision).toBe(0)
  })
})

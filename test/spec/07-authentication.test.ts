import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { createDeposits } from '../../core/index.ts'
import { coreParts, owner } from '../support/core-parts.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

const ada = daemon.as('ada')
const callers = {
  'no token': daemon.visitor,
  'owner without scopes': daemon.as('ada', { scopes: [] }),
  'owner with write': daemon.as('ada', { scopes: [writeScope] }),
  'owner with actions': daemon.as('ada', { scopes: [actionsScope] }),
  'owner with both': ada,
  'other user with both': daemon.as('bob'),
  'administrator with both': daemon.as('curator', { admin: true }),
} as const

/** A request on a draft with the files `a` and `b`, and the scopes that it needs. */
interface Attempt {
  readonly needs: 'nothing' | 'write' | 'actions'
  readonly send: (user: User, draft: DepositBody) => Promise<Reply>
  readonly status: number
}

const item = ({ id }: DepositBody) => `/deposits/${id}`
const reversed = async (draft: DepositBody) =>
  (await ada.files(draft)).toReversed().map(({ id }) => ({ id }))
const patch = [{ op: 'add', path: '/notes', value: 'x' }]

const attempts: Readonly<Record<string, Attempt>> = {
  'GET item': { needs: 'nothing', status: 200, send: (user, draft) => user.get(item(draft)) },
  'HEAD item': {
    needs: 'nothing',
    status: 200,
    send: (user, draft) => user.send('HEAD', item(draft)),
  },
  'GET files': {
    needs: 'nothing',
    status: 200,
    send: (user, draft) => user.get(`${item(draft)}/files`),
  },
  'GET file': {
    needs: 'nothing',
    status: 200,
    send: (user, draft) => user.get(`${item(draft)}/files/a`),
  },
  'GET bucket': {
    needs: 'nothing',
    status: 200,
    send: (user, draft) => user.get(draft.links['bucket'] ?? ''),
  },
  'GET object': {
    needs: 'nothing',
    status: 200,
    send: (user, draft) => user.get(`${draft.links['bucket']}/a`),
  },
  'PUT item': {
    needs: 'write',
    status: 200,
    send: (user, draft) => user.put(item(draft), { title: 'x' }),
  },
  'PATCH item': {
    needs: 'write',
    status: 200,
    send: (user, draft) => user.patch(item(draft), patch),
  },
  'DELETE item': { needs: 'write', status: 204, send: (user, draft) => user.delete(item(draft)) },
  'POST files': { needs: 'write', status: 201, send: (user, draft) => user.upload(draft, 'c') },
  'PUT files': {
    needs: 'write',
    status: 200,
    send: async (user, draft) => user.put(`${item(draft)}/files`, await reversed(draft)),
  },
  'PUT file': {
    needs: 'write',
    status: 200,
    send: (user, draft) => user.put(`${item(draft)}/files/a`, { filename: 'c' }),
  },
  'DELETE file': {
    needs: 'write',
    status: 204,
    send: (user, draft) => user.delete(`${item(draft)}/files/a`),
  },
  'PUT object': {
    needs: 'write',
    status: 200,
    send: (user, draft) => user.putObject(draft, 'a', 'bytes'),
  },
  'DELETE object': {
    needs: 'write',
    status: 204,
    send: (user, draft) => user.delete(`${draft.links['bucket']}/a`),
  },
  'POST publish': {
    needs: 'actions',
    status: 202,
    send: (user, draft) => user.act(draft, 'publish'),
  },
}

/** The expected status of a caller's request. */
function expected(caller: string, { needs, status }: Attempt): number {
  if (caller === 'no token') return 401
  if (caller === 'other user with both') return 403
  if (needs === 'write' && /without scopes|with actions/.test(caller)) return 403
  if (needs === 'actions' && /without scopes|with write/.test(caller)) return 403
  return status
}

describe('Authentication: who may do what to a draft of ada', () => {
  const cells = Object.entries(attempts).flatMap(([route, attempt]) =>
    Object.entries(callers).map(([caller, user]) => {
      const status = expected(caller, attempt)
      return { route, attempt, caller, user, status }
    }),
  )

  it.for(cells)('$route by $caller is $status', async ({ attempt, caller, user, status }) => {
    const draft = await ada.createDraftWith('a', 'b')
    const before = await ada.state(draft)
    const reply = await attempt.send(user, draft)

    expect(reply.status).toBe(status)
    if (status === 401) expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    if (status >= 400) expect(await ada.state(draft)).toEqual(before)
    if (status === 403 && caller.startsWith('owner')) {
      const challenge = reply.headers.get('www-authenticate')
      expect(challenge).toContain(`error="insufficient_scope", scope="deposit:${attempt.needs}"`)
    }
  })

  it.for([
    ['no token', 401],
    ['owner without scopes', 403],
    ['owner with write', 201],
    ['owner with actions', 403],
    ['owner with both', 201],
    ['other user with both', 201],
    ['administrator with both', 201],
  ] as const)('POST list by %s is %i', async ([caller, status]) => {
    expect((await callers[caller].post('/deposits/', { json: {} })).status).toBe(status)
  })

  it.for([
    ['edit', 403],
    ['discard', 403],
    ['register', 403],
    ['newversion', 403],
  ] as const)('POST %s with the write scope alone is %i insufficient_scope', async ([action]) => {
    const published = await ada.createPublished()
    const reply = await callers['owner with write'].act(published, action)

    expectProblem(reply, 'insufficient_scope', /deposit:actions/)
  })
})

describe('Authentication: tokens', () => {
  const paths = ['/deposits/', '/deposits/_options', '/deposits/nope', '/records/', '/me']

  it.for([
    'Bearer dep_pt_unknown',
    'Bearer ',
    'Bearer a b',
    'Basic YWRhOmFkYQ==',
    'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.',
  ])('%j is refused on every route, also where no token is needed', async (authorization) => {
    for (const path of paths) {
      const reply = await daemon.visitor.get(path, { authorization })
      expectProblem(reply, 'unauthenticated', /./)
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    }
  })

  it('a token in the URL is refused', async () => {
    const { authorization = '' } = await ada.authorization()
    const token = authorization.slice('Bearer '.length)

    expect((await daemon.visitor.get(`/deposits/?access_token=${token}`)).status).toBe(401)
    expect((await daemon.visitor.get(`/records/?access_token=${token}`)).status).toBe(401)
  })

  it('answers without a token do not show which deposits exist', async () => {
    const draft = await ada.createDraft()
    const replies = await Promise.all(
      [draft.id, 'nope'].map((id) => daemon.visitor.get(`/deposits/${id}`)),
    )

    for (const reply of replies) expectProblem(reply, 'unauthenticated')
  })

  it('a token for one deposit opens no other deposit', async () => {
    const [mine, other] = [await ada.createDraft(), await ada.createDraft()]
    const narrow = daemon.as('ada', { scopes: [writeScope], deposit: mine.id })

    expect((await narrow.get(`/deposits/${mine.id}`)).status).toBe(200)
    expect((await narrow.upload(mine, 'a')).status).toBe(201)
    expectProblem(await narrow.get(`/deposits/${other.id}`), 'permission_denied', /./)
    expectProblem(await narrow.post('/deposits/', { json: {} }), 'permission_denied', /./)
    expect((await narrow.search('size=100')).hits.hits.map(({ id }) => id)).toEqual([mine.id])
  })

  it('a revoked token, or one of a disabled user, is refused at once', async () => {
    const eve = daemon.as('eve-gone')
    const draft = await eve.createDraft()
    await daemon.operate('user disable', { email: 'eve-gone@example.org' })

    expectProblem(await eve.get(`/deposits/${draft.id}`), 'unauthenticated', /./)
    expectProblem(await eve.put(`/deposits/${draft.id}`, {}), 'unauthenticated', /./)
  })

  it('neither a token nor a client is made for a disabled user', async () => {
    const email = 'eve-disabled@example.org'
    await daemon.operate('user add', { email })
    await daemon.operate('user disable', { email })

    const token = daemon.operate('token create', { user: email, scope: '' })
    await expect(token).rejects.toThrow(/is disabled/)
    const client = daemon.operate('client create', { name: 'x', owner: email, scope: '' })
    await expect(client).rejects.toThrow(/is disabled/)
  })
})

describe('Authentication: administrators', () => {
  it('a former administrator is refused in the next request', async () => {
    const published = await ada.createPublished()
    const url = published.links['record'] ?? ''
    const dora = daemon.as('dora', { admin: true })
    expect((await dora.put(url, { title: 'Corrected' })).status).toBe(200)
    expect((await dora.get(item(published))).status).toBe(200)

    await daemon.operate('user admin', { email: 'dora@example.org', revoke: 'true' })

    expectProblem(await dora.put(url, { title: 'Again' }), 'permission_denied', /./)
    expectProblem(await dora.get(item(published)), 'permission_denied', /./)
    expect((await dora.search()).hits.total).toBe(0)
  })
})

describe('Authentication: read permission and the index', () => {
  it('a deposit that could not be indexed cannot be read until a change indexes it', async () => {
    await using stack = new AsyncDisposableStack()
    const real = await coreParts(stack)
    const search = { ...real.search, put: () => Promise.reject(new Error('no index')) }
    const { id } = await createDeposits({ ...real, search }).create(owner, { title: 'Lost' })
    const deposits = createDeposits(real)

    for (const caller of [owner, { ...owner, admin: true }])
      await expect(deposits.get(caller, id)).rejects.toMatchObject({ code: 'permission_denied' })
    await deposits.replace(owner, id, { title: 'Found' })
    expect(await deposits.get(owner, id)).toMatchObject({ metadata: { title: 'Found' } })
  })
})

describe('Authentication: visibility in search', () => {
  const eve = daemon.as('eve-search')
  const mallory = daemon.as('mallory')
  const curator = callers['administrator with both']
  beforeAll(async () => {
    await eve.createDraft({ title: 'Xylophone' })
    await eve.createPublished({ title: 'Xylophone' })
    await mallory.createDraft({ title: 'Xylophone' })
  })

  it('every user sees only the deposits that the user owns, in hits, total and facets', async () => {
    const seen = await mallory.search('q=xylophone')

    expect(seen.hits.total).toBe(1)
    expect(seen.hits.hits).toMatchObject([{ metadata: { _deposit: { status: 'draft' } } }])
    expect(seen.aggregations['status']?.buckets).toEqual([{ key: 'draft', doc_count: 1 }])
    expect((await mallory.search()).aggregations['status']?.buckets).toEqual([
      { key: 'draft', doc_count: 1 },
    ])
  })

  it('an administrator sees all deposits', async () => {
    expect((await curator.search('q=xylophone')).hits.total).toBe(3)
  })

  it('a token for one deposit finds no other, and does not learn of it', async () => {
    const wide = daemon.as('narrow-ada')
    const { id } = await wide.createDraft({ title: 'Mine alone' })
    await wide.createPublished({ title: 'Mine alone, too' })
    const narrow = daemon.as('narrow-ada', { deposit: id })

    for (const query of ['', 'q=alone', 'q=mine&sort=mostrecent', 'status=draft']) {
      expect(await narrow.search(query)).toMatchObject({
        hits: { total: 1, hits: [{ id }] },
        aggregations: { status: { buckets: [{ key: 'draft', doc_count: 1 }] } },
      })
    }
  })

  it('search without a token is 401', async () => {
    expectProblem(await daemon.visitor.get('/deposits/'), 'unauthenticated')
  })
})

describe('Authentication: records', () => {
  it('records are public', async () => {
    const published = await ada.publish(await ada.createDraftWith('a'))
    const record = await daemon.visitor.record(published)

    expect((await daemon.visitor.get('/records/')).status).toBe(200)
    for (const name of ['self', 'html', 'revisions', 'bucket']) {
      expect((await daemon.visitor.get(record.links[name] ?? '')).status).toBe(200)
    }
    expect((await daemon.visitor.get(`${record.links['bucket']}/a`)).bytes.toString()).toBe('a')
    expectProblem(await daemon.visitor.get(record.links['deposit'] ?? ''), 'unauthenticated')
  })

  it('changing a record needs the permission deposit-admin-access and the write scope', async () => {
    const published = await ada.createPublished()
    const url = published.links['record'] ?? ''
    const narrow = daemon.as('curator', { scopes: [actionsScope], admin: true })

    expectProblem(await daemon.visitor.put(url, { title: 'x' }), 'unauthenticated')
    expectProblem(await ada.put(url, { title: 'x' }), 'permission_denied', /./)
    expectProblem(await narrow.put(url, { title: 'x' }), 'insufficient_scope', /deposit:write/)
    expect((await daemon.visitor.record(published)).revision).toBe(0)
    const corrected = await callers['administrator with both'].put(url, { title: 'x' })
    expect(bodyOf<DepositBody>(corrected, 200)).toMatchObject({ revision: 1 })
  })
})

import { afterAll, describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { Need } from '../../daemon/api/route.ts'
import { send } from '../support/http.ts'
import { doiDaemon } from '../support/doi-daemon.ts'
import type { User } from '../support/user.ts'
import { trailOf } from '../support/trail.ts'
import { elsewhere, ofOwner, open, rows, type Row, type Target } from './routes.matrix.ts'

// With DOIs, so that there is something to reserve, and with reviews.
const served = await doiDaemon({ DEPOSIT_REVIEW: 'optional' })
const { daemon } = served
afterAll(() => served[Symbol.asyncDispose]())

const callers = [
  'no token',
  'a token of nobody',
  'an owner without scopes',
  'an owner who may write',
  'an owner who may act',
  'an owner with both scopes',
  'another user with both scopes',
  'an administrator with both scopes',
  'a curator with both scopes',
  'a reviewer with both scopes',
  'an owner whose token is good for another deposit alone',
  'an administrator whose token is good for another deposit alone',
  'a cookie alone',
] as const

type Caller = (typeof callers)[number]

/** Each route with the permission it needs. */
const routes = daemon.routes.map(
  ({ method, url, needs }) => [`${method} ${url}`, needs as Need | undefined] as const,
)
const names: readonly string[] = routes.map(([route]) => route)

const cells = routes.flatMap(([route, needs]) => {
  const isOpen = needs === undefined || needs === 'nothing'
  if (isOpen || elsewhere.includes(route)) return []
  return callers.map((caller) => [route, caller, rows[route]?.needs ?? needs] as const)
})

describe('the rights of a route', () => {
  it('are listed for every route of the service', () => {
    const asking: readonly string[] = cells.map(([route]) => route)
    const known = new Set<string>([...open, ...ofOwner, ...elsewhere, ...asking])

    expect(names.filter((route) => !known.has(route))).toEqual([])
    expect(open.filter((route) => asking.includes(route))).toEqual([])
  })

  it('are listed only for existing routes', () => {
    const listed = [...Object.keys(rows), ...open, ...ofOwner, ...elsewhere]

    expect(listed.filter((route) => !names.includes(route))).toEqual([])
  })

  it('of the machine’s owner are refused to callers without the key', async () => {
    for (const route of ofOwner) {
      const [method = '', path = ''] = route.split(' ')
      const reply = await daemon.as('admin', { admin: true }).send(method, daemon.origin + path)
      expect([route, reply.status]).toEqual([route, expect.toBeOneOf([401, 404])])
    }
  })

  const waiting = cells.filter(
    ([route, , needs]) =>
      / \/api\/(?:deposits\/:pid_value|files)/.test(route) &&
      rows[route]?.on === undefined &&
      (needs === 'read' || needs === 'revise' || needs === 'comment' || needs === 'update'),
  )

  it.each(waiting)('of a submitted draft: %s by %s', async (route, caller, needs) => {
    const row: Row = { ...rows[route], on: 'submitted' }
    const target = await makeTarget(row)

    const reply = await request(route, caller, row, target)

    // Nobody changes the files of a draft that waits for reviewers.
    const isFrozen = needs === 'update' && outcome(reply.status) !== 'unknown caller'
    expect(outcome(reply.status)).toBe(isFrozen ? 'refused' : expected(needs, caller, row.on))
  })

  it.each(cells)('%s by %s', async (route, caller, needs) => {
    const row = rows[route] ?? {}
    const target = await makeTarget(row)

    const reply = await request(route, caller, row, target)

    expect(outcome(reply.status)).toBe(expected(needs, caller, row.on))
  })
})

it('Every request that changed something is in the audit trail', async () => {
  const entries = await trailOf(daemon, { limit: '100000' })
  const told = new Set(entries.filter(({ failed }) => failed === undefined).map(({ what }) => what))
  const changing = cells.filter(([route, caller, needs]) => {
    const isRead = /^(GET|HEAD|OPTIONS) /.test(route)
    return !isRead && expected(needs, caller, rows[route]?.on) === 'done'
  })

  expect(changing.map(([route]) => route).filter((route) => !told.has(route))).toEqual([])
})

async function makeTarget({ on }: Row): Promise<Target> {
  const owner = daemon.as('ada')
  const draft = await owner.createDraftWith('a', 'b')
  if (on === 'described') await owner.put(`/deposits/${draft.id}`, described)
  if (on === 'published' || on === 'edited' || on === 'withdrawn') await owner.publish(draft)
  if (on === 'withdrawn')
    await owner.post(`/deposits/${draft.id}/actions/withdraw`, { json: { reason: 'test' } })
  if (on === 'edited') await owner.edit(draft)
  if (on === 'submitted') await owner.post(`/deposits/${draft.id}/actions/submit`)
  if (on === 'emptied') {
    await owner.publish(draft)
    await owner.post(`${daemon.origin}/rdm/api/records/${await numberOf(owner)}/versions`)
  }
  const upload = on === 'uploading' ? await beginUpload(owner, draft) : ''
  const fileIds = (await owner.files(draft)).map(({ id }) => id).toReversed()
  const { links } = await owner.show(draft)
  const bucket = links['bucket']?.split('/').at(-1) ?? ''
  const record = links['record']?.split('/').at(-1) ?? ''
  const number = await numberOf(owner)
  return { id: draft.id, number, fileIds, bucket, record, upload }
}

/** That of the deposit that was changed last, in the interfaces of other services. */
async function numberOf(owner: User): Promise<number> {
  const newest = await owner.get(`${daemon.origin}/zenodo/api/deposit/depositions?size=1`)
  const [{ id: number }] = newest.body as readonly [{ readonly id: number }]
  return number
}

/** As much as a client of Zenodo must say before it publishes. */
const described = {
  title: 'Sea level',
  description: 'Levels.',
  resource_type: 'dataset',
  publication_date: '2026',
  creators: [{ name: 'Ada' }],
}

async function beginUpload(owner: User, { id }: { readonly id: string }): Promise<string> {
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': '2',
    'upload-metadata': 'filename Yw==',
  }
  const { headers: answered } = await owner.post(`/deposits/${id}/uploads`, { headers })
  return answered.get('location')?.split('/').at(-1) ?? ''
}

async function request(route: string, caller: Caller, row: Row, target: Target) {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern
    .replace('/records/:pid_value', `/records/${target.record}`)
    .replace(':pid_value', target.id)
    .replace('/rdm/api/records/:id', `/rdm/api/records/${target.number}`)
    .replace('/depositions/:id', `/depositions/${target.number}`)
    .replace(':file', target.fileIds[0] ?? '')
    .replace(':bucket', target.bucket)
    .replace(':id', target.upload)
    .replace('packages/:name', 'packages/zip')
    .replace(':name', 'bibtex')
    .replace('*', row.rest ?? 'a')
  const url = daemon.origin + path
  const sent = row.sent?.(target) ?? {}
  if (caller === 'a token of nobody') {
    const authorization = 'Bearer dep_at_0000000000000000000000000000000000000000000'
    return send(method, url, { ...sent, headers: { ...sent.headers, authorization } })
  }
  if (caller === 'a cookie alone') {
    const cookie = '_session=abc; deposit=abc'
    return send(method, url, { ...sent, headers: { ...sent.headers, cookie } })
  }
  return (await userOf(caller)).send(method, url, sent)
}

const users = new Map<Caller, User | Promise<User>>()

function userOf(caller: Caller): User | Promise<User> {
  const known = users.get(caller) ?? makeUser(caller)
  users.set(caller, known)
  return known
}

function makeUser(caller: Caller): User | Promise<User> {
  if (caller.endsWith('another deposit alone')) return makeNarrowUser(caller)
  if (caller === 'an owner without scopes') return daemon.as('ada', { scopes: [] })
  if (caller === 'an owner who may write') return daemon.as('ada', { scopes: [writeScope] })
  if (caller === 'an owner who may act') return daemon.as('ada', { scopes: [actionsScope] })
  if (caller === 'an owner with both scopes') return daemon.as('ada')
  if (caller === 'another user with both scopes') return daemon.as('bob')
  if (caller === 'a curator with both scopes') return daemon.as('cora', { roles: ['curator'] })
  if (caller === 'a reviewer with both scopes') return daemon.as('rolf', { roles: ['reviewer'] })
  if (caller === 'an administrator with both scopes') return daemon.as('root', { admin: true })
  return daemon.visitor
}

async function makeNarrowUser(caller: Caller): Promise<User> {
  const admin = caller.startsWith('an administrator')
  const name = admin ? 'root' : 'ada'
  const { id } = await daemon.as(name, { admin }).createDraft()
  return daemon.as(name, { admin, deposit: id })
}

type Outcome = 'done' | 'unknown caller' | 'refused'

function expected(needs: Need, caller: Caller, on: Row['on']): Outcome {
  if (/^no token|nobody|cookie/.test(caller)) return 'unknown caller'
  return isAllowed(needs, caller, on) ? 'done' : 'refused'
}

function isAllowed(needs: Need, caller: Caller, on: Row['on']): boolean {
  // Such a token may read its account and its deposit, but not the tokens of its user.
  if (caller.endsWith('another deposit alone')) return needs === 'token'
  const canWrite = /both|write/.test(caller)
  const canAct = /both|act$/.test(caller)
  const isAdmin = caller.startsWith('an administrator')
  const isTheirs = isAdmin || caller.startsWith('an owner')
  const isPublished = on === 'published' || on === 'edited' || on === 'withdrawn'
  const isCurated = caller.startsWith('a curator') && isPublished
  const isReviewed =
    on === 'submitted' && (caller.startsWith('a curator') || caller.startsWith('a reviewer'))
  switch (needs) {
    // These are tested on a draft.
    case 'published':
    case 'read':
      return isTheirs || isCurated || isReviewed
    case 'update':
    case 'delete':
      return isTheirs && canWrite
    case 'act':
      return isTheirs && canAct
    case 'submit':
      return isTheirs && (canWrite || canAct)
    case 'judge':
      return (isAdmin || isReviewed) && canAct
    case 'comment':
      return (isTheirs || isReviewed) && canWrite
    case 'revise':
      return on === 'submitted'
        ? canWrite && (isAdmin || caller.startsWith('a curator'))
        : isTheirs && canWrite
    case 'curate':
      return (isTheirs || isCurated) && canAct
    case 'create':
      return canWrite
    case 'correct':
      return isAdmin || caller.startsWith('a curator')
    case 'oversee':
      return isAdmin
    case 'administer':
      return isAdmin && canWrite
    case 'nothing':
    case 'token':
    case 'account':
      return true
  }
}

function outcome(status: number): Outcome | number {
  if (status >= 200 && status < 300) return 'done'
  if (status === 401) return 'unknown caller'
  return status === 403 ? 'refused' : status
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { Need } from '../../daemon/api/route.ts'
import { setTimeout } from 'node:timers/promises'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { doiDaemon } from '../support/doi-daemon.ts'
import type { User } from '../support/user.ts'
import { trailOf } from '../support/trail.ts'
import { elsewhere, ofOwner, open, rows, type Row, type Target } from './routes.matrix.ts'

// With DOIs, so that there is something to reserve, and with reviews.
const served = await doiDaemon({ DEPOSIT_REVIEW: 'optional' })
const { daemon } = served
afterAll(() => served[Symbol.asyncDispose]())
beforeAll(async () => {
  await daemon.as('zoe').get('/me')
})

const callers = [
  'no token',
  'a token of nobody',
  'an owner without scopes',
  'an owner who may write',
  'an owner who may act',
  'an owner with both scopes',
  'another user with both scopes',
  'an administrator without scopes',
  'an administrator who may act',
  'an administrator with both scopes',
  'a curator with both scopes',
  'a reviewer with both scopes',
  'an owner whose token is good for another deposit alone',
  'an administrator whose token is good for another deposit alone',
  'a cookie alone',
  'an editor with both scopes',
  'a reader with both scopes',
  'a link of an editor',
  'a link of a reader',
  'a link of an anonymous reader',
  'an expired link',
  'a revoked link',
  'a link to another deposit',
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
      ofDraft.test(route) &&
      rows[route]?.on === undefined &&
      (needs === 'read' || needs === 'revise' || needs === 'comment' || needs === 'update'),
  )

  it.each(waiting)('of a submitted draft: %s by %s', async (route, caller, needs) => {
    const row: Row = { ...rows[route], on: 'submitted' }
    // The files of a draft that waits for reviewers are changed by nobody.
    const asked = expected(needs, caller, route, row.on)
    const isCorrection = ofDocument.test(route) && caller.startsWith('an administrator')
    const isClosed = needs === 'update' && !isCorrection && asked !== 'unknown caller'
    const wanted = isClosed ? 'refused' : asked
    const target = await targetOf(route, row, wanted)

    const reply = await request(route, caller, row, target)

    // InvenioRDM has 400 for what its state does not allow.
    const isState = route.includes(' /rdm/') && reply.bytes.includes('waits for review')
    expect(isState && reply.status === 400 ? 'refused' : outcome(reply.status)).toBe(wanted)
  })

  it.each(cells)('%s by %s', async (route, caller, needs) => {
    const row = rows[route] ?? {}
    const wanted = expected(needs, caller, route, row.on)
    const target = await targetOf(route, row, wanted)

    const reply = await request(route, caller, row, target)

    expect(outcome(reply.status)).toBe(wanted)
  })
})

it('Every request that changed something is in the audit trail', async () => {
  const entries = await trailOf(daemon, { limit: '100000' })
  const told = new Set(entries.filter(({ failed }) => failed === undefined).map(({ what }) => what))
  const changing = cells.filter(([route, caller, needs]) =>
    isChange(route, expected(needs, caller, route, rows[route]?.on)),
  )

  expect(changing.map(([route]) => route).filter((route) => !told.has(route))).toEqual([])
})

/** Routes of one draft, in each of the interfaces. */
const ofDraft =
  / (?:\/api\/(?:deposits\/:pid_value|files)|\/rdm\/api\/records\/:id\/draft|\/zenodo\/api\/(?:deposit\/depositions\/:id|files))/

/** Those that replace its document, in other interfaces: administrators correct by them. */
const ofDocument =
  /^PUT \/(?:rdm\/api\/records\/:id\/draft|zenodo\/api\/deposit\/depositions\/:id)$/

const unchanged = new Map<Row['on'], Promise<Target>>()

/** Requests that change nothing share their target; each of the others has one of its own. */
function targetOf(route: string, row: Row, wanted: Outcome): Promise<Target> {
  if (isChange(route, wanted)) return makeTarget(row)
  const target = unchanged.get(row.on) ?? makeTarget(row)
  unchanged.set(row.on, target)
  return target
}

function isChange(route: string, wanted: Outcome): boolean {
  return wanted === 'done' && !/^(?:GET|HEAD|OPTIONS) /.test(route)
}

async function makeTarget({ on }: Row): Promise<Target> {
  const owner = daemon.as('ada')
  const draft = await owner.createDraftWith('a', 'b')
  for (const role of ['editor', 'reader']) {
    const json = { user: `${role}@example.org`, role }
    bodyOf(await owner.post(`/deposits/${draft.id}/people`, { json }), 201)
  }
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
  const part = await makePart(on, owner, draft)
  if (on === 'changed') await owner.put(`/deposits/${draft.id}`, { title: 'Changed' })
  const fileIds = (await owner.files(draft)).map(({ id }) => id).toReversed()
  const { links, revision } = await owner.show(draft)
  const bucket = links['bucket']?.split('/').at(-1) ?? ''
  const record = links['record']?.split('/').at(-1) ?? ''
  const number = await numberOf(owner)
  return { id: draft.id, revision, number, fileIds, bucket, record, part }
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

/** The part of a deposit that a path names: its id. */
async function makePart(on: Row['on'], owner: User, draft: Named): Promise<string> {
  const path = `/deposits/${draft.id}`
  if (on === 'uploading') return beginUpload(owner, draft)
  if (on === 'trashed') return deleteFile(owner, draft)
  if (on === 'replaced') return replaceFile(owner, draft)
  // The administrator hands it over at once, to somebody with an account.
  if (on === 'offered') return idOf(await owner.post(`${path}/transfer`, { json: zoe }), 'user')
  if (on === 'linked') return idOf(await owner.post(`${path}/links`, { json: { role: 'reader' } }))
  if (on !== 'shared') return ''
  return idOf(await owner.post(`${path}/people`, { json: { ...zoe, role: 'editor' } }))
}

const zoe = { user: 'zoe@example.org' }

function idOf(reply: Reply, of?: 'user'): string {
  const body = bodyOf<{ readonly id: string; readonly user: { readonly id: string } }>(reply, 201)
  return of === undefined ? body.id : body[of].id
}

type Named = { readonly id: string }

async function beginUpload(owner: User, { id }: { readonly id: string }): Promise<string> {
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': '2',
    'upload-metadata': 'filename Yw==',
  }
  const { headers: answered } = await owner.post(`/deposits/${id}/uploads`, { headers })
  return answered.get('location')?.split('/').at(-1) ?? ''
}

async function deleteFile(owner: User, draft: { readonly id: string }): Promise<string> {
  const [file] = await owner.files(draft)
  await owner.delete(file?.links.self ?? '')
  return file?.id ?? ''
}

/** The version of its first file that was replaced. */
async function replaceFile(owner: User, draft: Named): Promise<string> {
  const [file] = await owner.files(draft)
  await owner.putObject(await owner.show(draft), file?.filename ?? '', 'replaced')
  return file?.version_id ?? ''
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
    .replace(':id', target.part)
    .replace('packages/:name', 'packages/zip')
    .replace(':name', 'bibtex')
    .replace('*', row.rest ?? 'a')
  const url = daemon.origin + path + (row.query ?? '')
  const sent = row.sent?.(target) ?? {}
  if (caller === 'a token of nobody') {
    const authorization = 'Bearer dep_at_0000000000000000000000000000000000000000000'
    return send(method, url, { ...sent, headers: { ...sent.headers, authorization } })
  }
  if (caller === 'a cookie alone') {
    const cookie = '_session=abc; deposit=abc'
    return send(method, url, { ...sent, headers: { ...sent.headers, cookie } })
  }
  if (caller.includes('link')) {
    const cookie = `deposit_link=${await linkTo(caller, ofDeposit.test(route) ? target : undefined)}`
    return send(method, url, { ...sent, headers: { ...sent.headers, cookie } })
  }
  return (await userOf(caller)).send(method, url, sent)
}

const links = new Map<string, Promise<string>>()

/** The secret of a link to the deposit; elsewhere, where none counts, one will do. */
function linkTo(caller: Caller, target: Target | undefined): Promise<string> {
  const name = `${caller} ${target?.id}`
  const known = links.get(name) ?? makeLink(caller, target)
  links.set(name, known)
  return known
}

async function makeLink(caller: Caller, target?: Target): Promise<string> {
  const owner = daemon.as('ada')
  const isElsewhere = caller === 'a link to another deposit'
  const id = target && !isElsewhere ? target.id : (await owner.createDraft()).id
  const isShort = caller === 'an expired link'
  const reply = await owner.post(`/deposits/${id}/links`, {
    json: {
      role: /link of an editor|another/.test(caller) ? 'editor' : 'reader',
      anonymous: caller.includes('anonymous'),
      ...(isShort && { expires: new Date(Date.now() + 500).toISOString() }),
    },
  })
  const link = bodyOf<{ readonly id: string; readonly url: string }>(reply, 201)
  if (isShort) await setTimeout(550)
  if (caller === 'a revoked link') await owner.delete(`/deposits/${id}/links/${link.id}`)
  return new URL(link.url).searchParams.get('key') ?? ''
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
  if (caller === 'an administrator without scopes')
    return daemon.as('root', { admin: true, scopes: [] })
  if (caller === 'an administrator who may act')
    return daemon.as('root', { admin: true, scopes: [actionsScope] })
  if (caller === 'an administrator with both scopes') return daemon.as('root', { admin: true })
  if (caller === 'an editor with both scopes') return daemon.as('editor')
  if (caller === 'a reader with both scopes') return daemon.as('reader')
  return daemon.visitor
}

async function makeNarrowUser(caller: Caller): Promise<User> {
  const admin = caller.startsWith('an administrator')
  const name = admin ? 'root' : 'ada'
  const { id } = await daemon.as(name, { admin }).createDraft()
  return daemon.as(name, { admin, deposit: id })
}

type Outcome = 'done' | 'unknown caller' | 'refused'

/** The routes in which the cookie of a link counts. */
const ofDeposit = /^\w+ \/api\/(?:deposits\/:pid_value|files\/:bucket)(?:\/|$)/

/** Those of them that need more than the permission says. */
const notByLinks: readonly string[] = [
  'GET /api/deposits/:pid_value/people',
  'GET /api/deposits/:pid_value/history',
  'GET /api/deposits/:pid_value/trash',
  'DELETE /api/deposits/:pid_value/trash',
  'POST /api/deposits/:pid_value/trash/:id',
  'DELETE /api/deposits/:pid_value/trash/:id',
  'GET /api/deposits/:pid_value/comments',
  'GET /api/deposits/:pid_value/actions/undo',
  'POST /api/deposits/:pid_value/actions/undo',
  'POST /api/files/:bucket/*',
]
const notByEditors = /\/actions\/(?:withdraw|restore-record)$/

function expected(needs: Need, caller: Caller, route: string, on: Row['on']): Outcome {
  if (caller.includes('link')) {
    if (/expired|revoked/.test(caller) || !ofDeposit.test(route)) return 'unknown caller'
    if (caller.includes('another') || notByLinks.includes(route)) return 'refused'
    const mayUpdate = caller === 'a link of an editor'
    const isRead = needs === 'read' || needs === 'published'
    const isChange = needs === 'update' || (needs === 'revise' && on !== 'submitted')
    return isRead || (isChange && mayUpdate) ? 'done' : 'refused'
  }
  if (caller.startsWith('an editor') && notByEditors.test(route)) return 'refused'
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
  const mayEdit = isTheirs || caller.startsWith('an editor')
  const mayRead = mayEdit || caller.startsWith('a reader')
  const isPublished = on === 'published' || on === 'edited' || on === 'withdrawn'
  const isCurated = caller.startsWith('a curator') && isPublished
  const isReviewed =
    on === 'submitted' && (caller.startsWith('a curator') || caller.startsWith('a reviewer'))
  switch (needs) {
    // These are tested on a draft.
    case 'published':
    case 'read':
      return mayRead || isCurated || isReviewed
    case 'update':
      return mayEdit && canWrite
    case 'delete':
    case 'manage':
      return isTheirs && canWrite
    case 'share':
      return isTheirs && canWrite && canAct
    case 'act':
      return mayEdit && canAct
    case 'submit':
      return mayEdit && (canWrite || canAct)
    case 'judge':
      return (isAdmin || isReviewed) && canAct
    case 'comment':
      return (mayEdit || isReviewed) && canWrite
    case 'revise':
      return on === 'submitted'
        ? canWrite && (isAdmin || caller.startsWith('a curator'))
        : mayEdit && canWrite
    case 'curate':
      return (mayEdit || isCurated) && canAct
    case 'create':
      return canWrite
    case 'correct':
      return (isAdmin || caller.startsWith('a curator')) && canWrite
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

import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes as contractRoutes } from '../../core/contract/routes.ts'
import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply, type Sent } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

interface Described {
  readonly operationId: string
  readonly security?: readonly object[]
  readonly tags: readonly string[]
  readonly description?: string
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, object>> }>
  >
}
interface ApiDocument {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly tags: readonly { readonly name: string }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly securitySchemes: object
  }
}

let daemon: TestDaemon
let owner: User
let document: ApiDocument
/** Validates against the schema that a reference into the document names. */
let ajv: Ajv2020

beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_PID_MINTER: 'ark', DEPOSIT_REVIEW: 'optional' } })
  owner = daemon.as('owner')
  document = bodyOf(await daemon.visitor.get(`${daemon.origin}/openapi.json`), 200)
  ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'openapi')
})
afterAll(() => daemon[Symbol.asyncDispose]())

const token = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')

/** The operations of the document that have been tried. */
const tried = new Set<string>()

/** Expects that the document has the operation and an answer like this one. */
function expectDescribed(method: string, path: string, reply: Reply): void {
  const operation = document.paths[path]?.[method.toLowerCase()]
  expect(operation, `${method} ${path}`).toBeDefined()
  tried.add(`${method} ${path}`)
  const status = String(reply.status)
  const answer = operation?.responses[status]
  expect(
    answer,
    `${method} ${path} answered ${reply.status}: ${reply.bytes.toString()}`,
  ).toBeDefined()
  const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
  if (!/json/.test(type) || reply.bytes.length === 0) return
  const verb = method.toLowerCase()
  const pointer = ['paths', path, verb, 'responses', status, 'content', type, 'schema']
  const validate = ajv.getSchema(
    `openapi#/${pointer.map((part) => encodeURI(token(part))).join('/')}`,
  )
  expect(validate, `${method} ${path} ${status} as ${type}`).toBeDefined()
  const isValid = validate?.(reply.body)
  expect(isValid, `${method} ${path}: ${JSON.stringify(validate?.errors)}`).toBe(true)
}

function idOf({ body }: Reply): string {
  return (body as { readonly id: string }).id
}

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1, names the server, and has unique ids of operations', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: daemon.origin }])
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => /^[a-zA-Z]+$/.test(id))).toBe(true)
  })

  it('has every route of the contract with the methods that the route allows', async () => {
    const { action, ...values } = {
      action: 'publish',
      pid_value: 'x',
      key: 'x',
      bucket: 'x',
      id: 'x',
    }
    for (const [name, route] of Object.entries(contractRoutes)) {
      const whole = (name === 'health' ? route : `/api${route}`).replace(/(?<=.)\/$/, '')
      const path = whole.replace('{action}', action)
      const url = path.replaceAll(
        /\{(\w+)\}/g,
        (_all, part: string) => ({ ...values, revision: '0' })[part] ?? '',
      )
      const methods = ['OPTIONS', 'PUT'] // tus answers OPTIONS by itself
      const replies = await Promise.all(
        methods.map((method) => daemon.visitor.send(method, daemon.origin + url)),
      )
      const allow = replies.map(({ headers }) => headers.get('allow')).find((each) => each !== null)
      const allowed = (allow ?? '').split(', ')
      const described = Object.keys(document.paths[path] ?? {}).map((each) => each.toUpperCase())
      const wanted = allowed.filter((each) => each !== 'HEAD')
      expect([path, described.filter((each) => each !== 'HEAD').toSorted()]).toEqual([path, wanted])
    }
  })

  it('describes the answers of every route', async () => {
    const item = '/api/deposits/{pid_value}'
    const ask = async (
      method: string,
      template: string,
      url: string,
      sent: Parameters<User['send']>[2] = {},
      user = owner,
    ): Promise<Reply> => {
      const reply = await user.send(method, url.startsWith('/') ? daemon.origin + url : url, sent)
      expectDescribed(method, template, reply)
      return reply
    }
    const created = await ask('POST', '/api/deposits', '/api/deposits', { json: { title: 'One' } })
    const draft = bodyOf<DepositBody>(created, 201)
    const self = draft.links['self'] ?? ''
    await ask('POST', '/api/deposits', '/api/deposits', { json: [] })
    await ask('GET', '/api/deposits', '/api/deposits?q=one&facets=status')
    await ask('GET', '/api/deposits', '/api/deposits?page=0')
    await ask('GET', '/api/deposits/_options', '/api/deposits/_options')
    await ask('GET', item, self)
    await ask('GET', item, self, { headers: { 'if-none-match': '"0"' } })
    await ask('GET', item, `${self}x`)
    await ask('PUT', item, self, { json: { title: 'Two' } })
    await ask('PUT', item, self, { json: {}, headers: { 'if-match': '"77"' } })
    await ask('PATCH', item, self, { json: [{ op: 'add', path: '/notes', value: 'n' }] })
    await ask('PATCH', item, self, { json: {} })

    const files = `${item}/files`
    const form = (name: string): FormData => {
      const body = new FormData()
      body.set('file', new Blob(['bytes']), name)
      return body
    }
    const filesUrl = `${self}/files`
    const added = await ask('POST', files, filesUrl, { body: form('a.txt') })
    await ask('POST', files, filesUrl, { body: form('a.txt') })
    await ask('GET', files, filesUrl)
    await ask('PUT', files, filesUrl, { json: [{ id: (added.body as { id: string }).id }] })
    await ask('PUT', files, filesUrl, { json: [{}] })
    const { version_id } = added.body as { version_id: string }
    await ask('POST', `${item}/file-versions/{id}`, `${self}/file-versions/${version_id}`)
    await ask('POST', `${item}/file-versions/{id}`, `${self}/file-versions/none`)
    await ask('GET', `${files}/{key}`, `${filesUrl}/a.txt`)
    await ask('GET', `${files}/{key}`, `${filesUrl}/a.txt?download`)
    await ask('GET', `${files}/{key}`, `${filesUrl}/none`)
    await ask('PUT', `${files}/{key}`, `${filesUrl}/a.txt`, { json: { filename: 'b.txt' } })
    await ask('PUT', `${files}/{key}`, `${filesUrl}/b.txt`, { json: { filename: '../b' } })
    await ask('DELETE', `${files}/{key}`, `${filesUrl}/b.txt`)

    const trash = `${item}/trash`
    const trashUrl = `${self}/trash`
    const { id: deleted } = added.body as { readonly id: string }
    await ask('GET', trash, trashUrl)
    await ask('POST', `${trash}/{id}`, `${trashUrl}/${deleted}`, { json: { filename: 'c.txt' } })
    await ask('POST', `${trash}/{id}`, `${trashUrl}/${deleted}`)
    await ask('DELETE', `${trash}/{id}`, `${trashUrl}/${deleted}`)
    await ask('DELETE', `${files}/{key}`, `${filesUrl}/c.txt`)
    await ask('DELETE', `${trash}/{id}`, `${trashUrl}/${deleted}`)
    await ask('DELETE', trash, trashUrl)
    await ask('GET', `${item}/history`, `${self}/history`)

    const bucket = draft.links['bucket'] ?? ''
    const object = '/api/files/{bucket}/{key}'
    await ask('PUT', object, `${bucket}/o.bin`, { body: 'one' })
    await ask('PUT', object, `${bucket}/o.bin`, { body: 'two' })
    await ask('GET', object, `${bucket}/o.bin`)
    await ask('GET', object, `${bucket}/o.bin`, { headers: { range: 'bytes=0-0' } })
    await ask('POST', object, `${bucket}/o.bin`)
    await ask('POST', object, `${bucket}/none`)
    await ask('GET', '/api/files/{bucket}', `${bucket}?versions`)
    await ask('DELETE', object, `${bucket}/o.bin`)

    const bundle = { body: form('b.txt') }
    await ask('POST', `${item}/bundles`, `${self}/bundles`, bundle)
    const uploads = `${item}/uploads`
    const tus = { 'tus-resumable': '1.0.0' }
    const metadata = `name ${Buffer.from('t.bin').toString('base64')}`
    const begun = await ask('POST', uploads, `${self}/uploads`, {
      headers: { ...tus, 'upload-length': '4', 'upload-metadata': metadata },
    })
    const upload = begun.headers.get('location') ?? ''
    await ask('GET', uploads, `${self}/uploads`)
    await ask('HEAD', `${uploads}/{id}`, upload, { headers: tus })
    await ask('GET', `${item}/actions/publish`, `${self}/actions/publish`)
    await ask('GET', `${item}/actions/withdraw`, `${self}/actions/withdraw`)
    await ask('PATCH', `${uploads}/{id}`, upload, {
      headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: 'four',
    })
    const again = await ask('POST', uploads, `${self}/uploads`, {
      headers: { ...tus, 'upload-length': '4', 'upload-metadata': `${metadata}2` },
    })
    await ask('DELETE', `${uploads}/{id}`, again.headers.get('location') ?? upload, {
      headers: tus,
    })

    const act = (name: string, sent: Sent = {}): Promise<Reply> =>
      ask('POST', `${item}/actions/${name}`, `${self}/actions/${name}`, sent)
    await ask('GET', `${item}/actions/undo`, `${self}/actions/undo?to=0`)
    await ask('GET', `${item}/actions/undo`, `${self}/actions/undo?to=x`)
    await act('undo')
    await act('undo', { json: { to: 99 } })
    await act('reserve')
    await act('edit')
    const reviewer = daemon.as('reviewer', { admin: true })
    const judge = (name: string, json: object): Promise<Reply> =>
      ask('POST', `${item}/actions/${name}`, `${self}/actions/${name}`, { json }, reviewer)
    await ask('POST', `${item}/comments`, `${self}/comments`, { json: { text: 'x' } })
    await ask('POST', `${item}/comments`, `${self}/comments`, { json: {} })
    await ask('GET', `${item}/comments`, `${self}/comments`)
    await act('submit')
    await act('take-back')
    await act('submit', { json: { message: 'x' } })
    await judge('return', { message: 'No.' })
    await judge('accept', {})
    const waiting = bodyOf<DepositBody>(await act('submit'), 201)
    const list = `/api/deposits`
    await ask('GET', list, `${list}?review=submitted`)
    const { revision } = waiting
    const accepted = bodyOf<DepositBody>(await judge('accept', { revision }), 202)
    expect(accepted.review?.state).toBe('accepted')
    await act('edit')
    const published = bodyOf<DepositBody>(await act('publish'), 202)
    for (const name of ['edit', 'merge', 'discard', 'newversion']) await act(name)
    await act('withdraw', { json: { reason: 'test' } })
    await act('restore-record')
    await ask('DELETE', item, self)
    await ask('DELETE', item, (await owner.createDraft()).links['self'] ?? '')

    const records = '/api/records'
    const record = published.links['record'] ?? ''
    const curator = daemon.as('curator', { admin: true })
    await ask('GET', records, `${records}?q=two`, {}, daemon.visitor)
    await ask('GET', `${records}/{pid_value}`, record, {}, daemon.visitor)
    await ask('PUT', `${records}/{pid_value}`, record, { json: { title: 'C' } }, curator)
    await ask('PUT', `${records}/{pid_value}`, record, { json: { title: 'C' } })
    const patch = { json: [{ op: 'replace', path: '/title', value: 'D' }] }
    const corrected = await ask('PATCH', `${records}/{pid_value}`, record, patch, curator)
    expect(bodyOf<RecordBody>(corrected, 200).revision).toBe(3)
    for (const list of ['versions', 'revisions', 'revisions/{revision}'])
      await ask('GET', `${records}/{pid_value}/${list}`, `${record}/${list.replace(/{.*/, '0')}`)
    await act('register')

    const made = await ask('POST', '/api/tokens', '/api/tokens', { json: { scope: '' } })
    await ask('POST', '/api/tokens', '/api/tokens', { json: {} })
    await ask('GET', '/api/tokens', '/api/tokens')
    const { id } = made.body as { readonly id: string }
    await ask('DELETE', '/api/tokens/{id}', `/api/tokens/${id}`)
    await ask('GET', '/api/sign-ins', '/api/sign-ins')
    await ask('DELETE', '/api/sign-ins/{id}', '/api/sign-ins/0')
    await ask('DELETE', '/api/sign-ins', '/api/sign-ins')
    const person = { user: 'eve@example.org', role: 'editor' }
    const shared = await ask('POST', `${item}/people`, `${self}/people`, { json: person })
    await ask('GET', `${item}/people`, `${self}/people`)
    await ask('DELETE', `${item}/people/{id}`, `${self}/people/${idOf(shared)}`)
    await ask('DELETE', `${item}/people/me`, `${self}/people/me`)
    const linked = await ask('POST', `${item}/links`, `${self}/links`, { json: { role: 'reader' } })
    await ask('GET', `${item}/links`, `${self}/links`)
    await ask('DELETE', `${item}/links/{id}`, `${self}/links/${idOf(linked)}`)
    const transfer = { json: { user: 'root@example.org' } }
    await ask('POST', `${item}/transfer`, `${self}/transfer`, transfer)
    await ask('GET', `${item}/transfer`, `${self}/transfer`)
    await ask('DELETE', `${item}/transfer`, `${self}/transfer`)
    await ask('POST', `${item}/transfer/accept`, `${self}/transfer/accept`)
    await ask('GET', '/api', '/api')
    await ask('GET', '/api/me', '/api/me')
    const admin = '/api/admin'
    const users = await ask('GET', `${admin}/users`, `${admin}/users`, {}, curator)
    const user = `${admin}/users/${/"id":"([^"]+)/.exec(users.bytes.toString())?.[1]}`
    for (const [method, sent] of [['GET'], ['PATCH', { json: { quota: null } }]] as const)
      await ask(method, `${admin}/users/{id}`, user, sent, curator)
    for (const list of ['withdrawals', 'refused-identifiers', 'invitations', 'work', 'audit'])
      await ask('GET', `${admin}/${list}`, `${admin}/${list}`, {}, curator)
    const { record_html: page = '' } = published.links
    await ask('GET', '/records/{pid_value}', page, { headers: { accept: 'application/json' } })
    await ask('GET', '/records/{pid_value}/export/{name}', `${page}/export/linkset`)
    for (const [at, url] of [[`${records}/{pid_value}`, record] as const, [item, self] as const]) {
      await ask('GET', `${at}/export/{name}`, `${url}/export/linkset`)
      for (const list of ['export', 'packages']) await ask('GET', `${at}/${list}`, `${url}/${list}`)
      await ask('GET', `${at}/packages/{name}`, `${url}/packages/zip`)
    }
    await ask('GET', '/api/vocabularies', '/api/vocabularies')
    await ask('GET', '/api/vocabularies/{name}', '/api/vocabularies/licenses?q=cc%20by&size=2')
    await ask('GET', '/api/vocabularies/{name}/{key}', '/api/vocabularies/licenses/CC-BY-4.0')
    for (const path of ['/schemas/', '/health', '/ready', '/metrics', '/openapi.json'])
      await ask('GET', path, path, {}, daemon.visitor)
    await ask('GET', '/schemas/{key}', '/schemas/deposits/deposit-v1.0.0.json')

    const fields = (given: Record<string, string>) => ({ body: new URLSearchParams(given) })
    const cli = { client_id: 'deposit-cli' }
    const { visitor } = daemon
    for (const path of [
      '/oauth/auth',
      '/oauth/jwks',
      '/oauth/userinfo',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/api',
    ])
      await ask('GET', path, path, {}, visitor)
    const device = { ...cli, scope: 'openid deposit:write' }
    await ask('POST', '/oauth/device', '/oauth/device', fields(device), visitor)
    const code = { ...cli, grant_type: 'refresh_token', refresh_token: 'none' }
    await ask('POST', '/oauth/token', '/oauth/token', fields(code), visitor)
    const revoked = fields({ ...cli, token: 'none' })
    await ask('POST', '/oauth/revocation', '/oauth/revocation', revoked, visitor)
    await ask('POST', '/oauth/introspection', '/oauth/introspection', revoked, visitor)

    for (const [path, methods] of Object.entries(document.paths)) {
      if (!methods['options']) continue
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      const { headers } = await ask('OPTIONS', path, url, {}, visitor)
      expect(headers.get('allow')).toContain('OPTIONS')
    }

    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(all.filter((operation) => !tried.has(operation))).toEqual([])
  })

  it('names its schemas, its problems with their codes, and how to sign in', () => {
    const { schemas, securitySchemes } = document.components
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Deposit', 'Record', 'File', 'Problem', 'Upload', 'Metadata']),
    )
    expect(schemas['Problem']).toMatchObject({
      properties: { code: { enum: expect.arrayContaining(['invalid_action']) as string[] } },
    })
    expect(securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      signIn: { openIdConnectUrl: `${daemon.origin}/.well-known/openid-configuration` },
    })
  })

  it('describes every operation, parameter and tag, and only real bodies', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const used = new Set(operations.flatMap(({ tags }) => tags))
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(used)
    for (const { operationId, description, parameters = [], responses } of operations) {
      expect([operationId, description]).toEqual([operationId, expect.stringMatching(/\.$/)])
      for (const { name, description: said } of parameters) {
        expect([operationId, name, said]).toEqual([operationId, name, expect.stringMatching(/\S/)])
      }
      const empty = ['204', '302', '304'].filter((status) => responses[status]?.content)
      expect([operationId, empty]).toEqual([operationId, []])
      expect(Object.keys(responses).some((status) => status.startsWith('4'))).toBe(true)
    }
    const begin = document.paths['/api/deposits/{pid_value}/uploads']?.['post']
    expect(begin?.parameters?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['tus-resumable', 'upload-length', 'upload-metadata']),
    )
  })

  it('says which operations need a token', async () => {
    const isPublic = (path: string): boolean =>
      document.paths[path]?.['get']?.security?.length === 0
    expect([isPublic('/api/records'), isPublic('/api/deposits')]).toEqual([true, false])
    const bytes = document.paths['/api/files/{bucket}/{key}']?.['get']?.security
    expect(bytes).toEqual([{ signIn: [] }, { bearer: [] }, {}])
    const write = document.paths['/api/files/{bucket}/{key}']?.['put']?.security
    expect(write).toEqual([{ signIn: ['deposit:write'] }, { bearer: [] }])
    expect((await daemon.visitor.get('/records/')).status).toBe(200)
    expect((await daemon.visitor.get('/deposits/')).status).toBe(401)
  })
})

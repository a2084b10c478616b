import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody, RecordBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { User } from '../support/user.ts'

const json = (value: unknown): string => JSON.stringify(value)
const dataset = 'deposits/dataset-v1.0.0.json'

/** Deposits of measurements, which staff may read, beside those of everybody. */
const program = `
  export default {
    DEPOSIT_REST_ENDPOINTS: {
      lab: {
        read_permission_factory_imp: { check: (user, deposit) => deposit?.metadata.title !== 'Sealed', scopes: [], needsIndex: true },
        default_jsonschema: '${dataset}',
        jsonschemas: ['${dataset}', 'deposits/note-v1.json'],
        search_index: 'lab',
        max_result_window: 50,
      },
      'soft-ware': {
        item_route: '/code/<pid_value>',
        pid_type: 'swid',
        record_class: {
          actions: { calibrate: { summary: 'Calibrate', run: (deposit) => deposit } },
        },
      },
    },
    DEPOSIT_REST_SORT_OPTIONS: {
      deposits: { mostrecent: { title: 'Most recent', fields: ['-_updated'], order: 1 } },
      lab: { title: { title: 'By title', fields: ['title'], order: 1 } },
    },
    DEPOSIT_REST_DEFAULT_SORT: {
      deposits: { query: 'mostrecent', noquery: 'mostrecent' },
      lab: { query: 'title', noquery: 'title' },
    },
  }
`

const files = {
  'deposit.config.js': program,
  'schemas/deposits/note-v1.json': json({ type: 'object' }),
  'schemas/note-v1.json': json({ type: 'object' }),
}

const citable = {
  title: 'Tide gauge',
  creators: [{ name: 'Ada' }],
  description: 'Levels',
  publication_date: '2026',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
}

let stack: AsyncDisposableStack
let daemon: TestDaemon
let ada: User

beforeAll(async () => {
  stack = new AsyncDisposableStack()
  daemon = stack.use(await testDaemon({ files }))
  ada = daemon.as('ada')
})
afterAll(() => stack.disposeAsync())

const create = async (list: string, metadata: object, user = ada): Promise<DepositBody> =>
  bodyOf(await user.post(list, { json: metadata }), 201)

const found = async (user: User, path: string): Promise<readonly string[]> => {
  const { hits } = bodyOf<SearchBody>(await user.get(path), 200)
  const ids = hits.hits.map(({ id }) => id)
  expect(ids).toHaveLength(hits.total)
  return ids
}

describe('a further endpoint', () => {
  it('has its own addresses and links', async () => {
    const { id, links } = await create('/lab', citable)
    const at = `${daemon.url}/lab/${id}`
    expect(links).toMatchObject({
      self: at,
      html: `${daemon.origin}/deposit/lab/${id}`,
      files: `${at}/files`,
      bundles: `${at}/bundles`,
      uploads: `${at}/uploads`,
      publish: `${at}/actions/publish`,
    })
    expect(links).not.toHaveProperty('calibrate')
    const body = new FormData()
    body.set('file', new Blob(['1.2']), 'levels.csv')
    const sent = await ada.post(links['files'] ?? '', { body })
    expect(bodyOf<FileBody>(sent, 201).links.self).toBe(`${at}/files/levels.csv`)
    expect(sent.headers.get('location')).toBe(`${at}/files/levels.csv`)
    const begun = await ada.post(links['uploads'] ?? '', {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '3',
        'upload-metadata': 'filename Yg==',
      },
    })
    expect(begun.headers.get('location')).toMatch(`${at}/uploads/`)
    expect(
      (await ada.delete(begun.headers.get('location') ?? '', { 'tus-resumable': '1.0.0' })).status,
    ).toBe(204)
    const code = await create('/code', {})
    const { self = '', calibrate = '' } = code.links
    expect(self).toBe(`${daemon.url}/code/${code.id}`)
    expect(code.links).not.toHaveProperty('publish')
    const calibrated = await ada.post(calibrate)
    expect([calibrated.status, calibrated.headers.get('location')]).toEqual([201, self])
  })

  it('knows no deposit of another endpoint, on any route', async () => {
    const lab = await create('/lab', citable)
    const other = await create('/deposits/', { title: 'Tide' })
    for (const [id, list] of [
      [lab.id, '/deposits'],
      [other.id, '/lab'],
    ] as const) {
      const item = `${list}/${id}`
      for (const [method, path, sent] of [
        ['GET', item, {}],
        ['PUT', item, { json: {} }],
        ['DELETE', item, {}],
        ['POST', `${item}/actions/publish`, {}],
        ['GET', `${item}/actions/publish`, {}],
        ['GET', `${item}/files`, {}],
        ['GET', `${item}/files/a`, {}],
        ['GET', `${item}/uploads`, {}],
      ] as const) {
        expectProblem(await ada.send(method, path, sent), 'deposit_not_found')
      }
      expect((await ada.get(`${daemon.origin}/deposit/code/${id}`)).status).toBe(404)
    }
    expectProblem(await ada.post(`/deposits/${other.id}/actions/calibrate`), 'not_found')
    expect((await ada.get(`/lab/${lab.id}`)).status).toBe(200)
    expect((await ada.get(`${daemon.origin}/deposit/lab/${lab.id}`)).status).toBe(200)
  })

  it('finds and counts only its own deposits', async () => {
    const user = daemon.as('searcher')
    const plain = await create('/deposits/', { title: 'Wave one' }, user)
    const lab = [
      await create('/lab', { ...citable, title: 'Wave b' }, user),
      await create('/lab', { ...citable, title: 'Wave a' }, user),
    ].map(({ id }) => id)
    const [b = '', a = ''] = lab
    bodyOf(await user.post(`/lab/${a}/actions/publish`), 202)
    expect(await found(user, '/lab?q=wave')).toEqual([a, b])
    expect(await found(user, '/lab')).toEqual([a, b])
    expect(await found(user, '/lab?status=published')).toEqual([a])
    expect(await found(user, '/deposits/?q=wave')).toEqual([plain.id])
    expect(await found(user, '/deposits/')).toEqual([plain.id])
    expect(await found(user, '/deposits/?status=published')).toEqual([])
    expect(await found(user, '/code?q=wave')).toEqual([])
    expect(await found(user, '/code')).toEqual([])
    const { aggregations } = bodyOf<SearchBody>(await user.get('/lab'), 200)
    expect(aggregations['status']?.buckets).toHaveLength(2)
    const admin = daemon.as('root', { admin: true })
    expect(await found(admin, `/deposits/?q=wave`)).toEqual([plain.id])
    expect(await found(admin, '/lab?q=wave')).toEqual([a, b])
    const all = await found(admin, '/deposits/?size=50')
    expect(all).toContain(plain.id)
    expect(all.filter((id) => lab.includes(id))).toEqual([])
    // No word of a deposit says which endpoint it belongs to.
    expect(await found(user, '/lab?q=lab')).toEqual([])
    const options = await user.get('/lab/_options')
    expect(options.body).toMatchObject({
      max_result_window: 50,
      sort_fields: [{ title: { title: 'By title' } }],
    })
    expectProblem(await user.get('/lab?sort=mostrecent'), 'invalid_paging')
  })

  it('counts no deposit that its owner may not read', async () => {
    const user = daemon.as('warden')
    const open = await create('/lab', { ...citable, title: 'Swell open' }, user)
    await create('/lab', { ...citable, title: 'Sealed', description: 'swell' }, user)
    for (const path of ['/lab', '/lab?q=swell', '/lab?q=swell&size=1', '/lab?status=draft']) {
      expect(await found(user, path)).toEqual([open.id])
      const { aggregations } = bodyOf<SearchBody>(await user.get(path), 200)
      expect(aggregations['status']?.buckets).toEqual([])
    }
    expect(await found(daemon.as('root', { admin: true }), '/lab?q=swell')).toHaveLength(2)
  })

  it('has permissions of its own, in the bucket as well', async () => {
    const body = new FormData()
    body.set('file', new Blob(['1.2']), 'levels.csv')
    const bob = daemon.as('bob')
    const lab = await create('/lab', citable)
    const plain = await create('/deposits/', {})
    for (const { links } of [lab, plain]) await ada.post(links['files'] ?? '', { body })
    expect((await bob.get(`/lab/${lab.id}`)).status).toBe(200)
    expect((await bob.get(`${lab.links['bucket']}/levels.csv`)).bytes.toString()).toBe('1.2')
    expect((await bob.get(lab.links['bucket'] ?? '')).body).toHaveLength(1)
    expectProblem(await bob.put(`/lab/${lab.id}`, {}), 'permission_denied')
    expectProblem(await bob.putObject(lab, 'x', 'x'), 'permission_denied')
    expect((await ada.putObject(lab, 'x', 'x')).status).toBe(201)
    expectProblem(await bob.get(`/deposits/${plain.id}`), 'permission_denied')
    expectProblem(await bob.get(`${plain.links['bucket']}/levels.csv`), 'permission_denied')
    expectProblem(await daemon.visitor.get('/lab'), 'unauthenticated')
  })

  it('accepts a token for one of its deposits', async () => {
    const { id } = await create('/code', {})
    const other = await create('/code', {})
    const json = { name: 'n', scope: 'deposit:write', deposit: id }
    const made = await ada.post('/tokens/', { json })
    const { token, ...rest } = bodyOf<{ readonly token: string }>(made, 201)
    expect(rest).toMatchObject({ deposit: id })
    const headers = { authorization: `Bearer ${token}` }
    const put = (at: string) => daemon.visitor.send('PUT', `/code/${at}`, { headers, json: {} })
    expect((await put(id)).status).toBe(200)
    expectProblem(await put(other.id), 'permission_denied', /valid for a single deposit only/)
    expectProblem(await daemon.as('bob').post('/tokens/', { json }), 'malformed_request')
    const unknown = { ...json, deposit: 'x' }
    expectProblem(await ada.post('/tokens/', { json: unknown }), 'malformed_request')
  })

  it('has schemas of its own', async () => {
    const draft = await create('/lab', {})
    expect(draft.metadata.$schema).toBe(`${daemon.origin}/schemas/${dataset}`)
    const note = await create('/lab', { $schema: 'deposits/note-v1.json' })
    expect(note.metadata.$schema).toMatch('note-v1.json')
    const refused = await ada.post('/lab', { json: { $schema: 'deposits/deposit-v1.0.0.json' } })
    expectProblem(refused, 'unknown_schema')
    expect(refused.bytes.toString()).toMatch(/they may have .*note-v1\.json/)
    const plain = await create('/deposits/', {})
    expect(plain.metadata.$schema).toMatch('deposit-v1.0.0.json')
    expectProblem(await ada.post(`/lab/${draft.id}/actions/publish`), 'invalid_document')
  })

  it('keeps a deposit through publish, edit, discard and a new version', async () => {
    const draft = await create('/lab', citable)
    const at = `/lab/${draft.id}`
    const published = bodyOf<DepositBody>(await ada.post(`${at}/actions/publish`), 202)
    const record = bodyOf<RecordBody>(await ada.get(published.links['record'] ?? ''), 200)
    expect(record.links['deposit']).toBe(`${daemon.url}${at}`)
    const page = await daemon.visitor.get(published.links['record_html'] ?? '', {
      accept: 'text/html',
    })
    expect(page.bytes.toString()).toContain(`${daemon.url}${at}`)
    bodyOf(await ada.post(`${at}/actions/edit`), 201)
    bodyOf(await ada.post(`${at}/actions/discard`), 201)
    const next = bodyOf<DepositBody>(await ada.post(`${at}/actions/newversion`), 201)
    expect(next.links['self']).toBe(`${daemon.url}/lab/${next.id}`)
    expect((await ada.delete(`/lab/${next.id}`)).status).toBe(204)
    expectProblem(await ada.get(`/lab/${next.id}`), 'deposit_deleted')
    expect(await daemon.operateAll('pid show', { type: 'lab', value: next.id })).toContain(
      'status: D',
    )
    const kept = await create('/code', {})
    expect((await ada.delete(`/code/${kept.id}?force=false`)).status).toBe(204)
    expect(await daemon.operate('undelete', { id: kept.id })).toBe(kept.id)
    expect((await ada.get(`/code/${kept.id}`)).status).toBe(200)
  })

  it('is listed by /api and described by the API document', async () => {
    const { body } = await daemon.visitor.get(daemon.url)
    expect(body).toMatchObject({
      endpoints: {
        depid: { pid_type: 'depid', links: { list: `${daemon.url}/deposits` } },
        lab: { pid_type: 'lab', links: { item: `${daemon.url}/lab/{pid_value}` } },
        'soft-ware': { pid_type: 'swid', links: { list: `${daemon.url}/code` } },
      },
    })
    const { body: described } = await daemon.visitor.get(`${daemon.origin}/openapi.json`)
    const { paths } = described as {
      readonly paths: Readonly<
        Record<string, Readonly<Record<string, { readonly operationId: string }>>>
      >
    }
    expect(paths['/api/code/{pid_value}/actions/calibrate']?.['post']).toMatchObject({
      operationId: 'calibrateDeposit_soft-ware',
    })
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('keeps its deposits after a restart; a start without it is refused', async () => {
    await using folder = await temporaryFolder()
    const start = (endpoints: object) =>
      testDaemon({ home: folder.path, env: { DEPOSIT_REST_ENDPOINTS: json(endpoints) } })
    let id = ''
    {
      await using first = await start({ lab: {} })
      id = (await create('/lab', citable, first.as('ada'))).id
    }
    await expect(start({ labs: {} })).rejects.toThrow(
      /identifiers of the type lab, but no endpoint .* has depid, labs/,
    )
    await using again = await start({ labs: { pid_type: 'lab' } })
    const root = again.as('root', { admin: true })
    expect(await found(root, '/labs')).toEqual([id])
    expectProblem(await root.get(`/deposits/${id}`), 'deposit_not_found')
  })

  it('finds only its own deposits in an index on disk', async () => {
    await using large = await testDaemon({ files, env: { DEPOSIT_SEARCH_MEMORY: '1000' } })
    const user = large.as('ada')
    const plain = await create('/deposits/', { title: 'Wave one' }, user)
    const lab = await create('/lab', { ...citable, title: 'Wave a' }, user)
    const code = await create('/code', { title: 'Wave two' }, user)
    for (const [list, { id }] of [
      ['/deposits/', plain],
      ['/lab', lab],
      ['/code', code],
    ] as const) {
      expect(await found(user, `${list}?q=wave`)).toEqual([id])
      expect(await found(large.as('root', { admin: true }), `${list}?q=wave`)).toEqual([id])
    }
  })
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeScope } from '../../core/contract/scopes.ts'
import { bodyOf, type Sent } from '../support/http.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
let ada: User
beforeAll(async () => {
  daemon = await testDaemon()
  ada = daemon.as('ada')
})
afterAll(() => daemon[Symbol.asyncDispose]())

interface Body {
  readonly id: string
  readonly status: string
  readonly is_published: boolean
  readonly parent: { readonly id: string }
  readonly pids: { readonly doi?: { readonly identifier: string; readonly provider: string } }
  readonly metadata: Readonly<Record<string, unknown>>
  readonly custom_fields: Readonly<Record<string, unknown>>
  readonly access: Readonly<Record<string, unknown>>
  readonly versions: Readonly<Record<string, unknown>>
  readonly files: { readonly enabled: boolean; readonly count: number }
  readonly errors?: readonly { readonly field: string; readonly messages: readonly string[] }[]
  readonly links: Readonly<Record<string, string>>
  readonly message?: string
}

interface Files {
  readonly entries: readonly {
    readonly key: string
    readonly status: string
    readonly checksum?: string
    readonly links: Readonly<Record<string, string>>
  }[]
}

const metadata = {
  resource_type: { id: 'dataset' },
  title: 'Water levels',
  publication_date: '2026-02',
  creators: [
    {
      person_or_org: {
        type: 'personal',
        given_name: 'Ada',
        family_name: 'Lovelace',
        name: 'Lovelace, Ada',
        identifiers: [{ scheme: 'orcid', identifier: '0000-0002-1825-0097' }],
      },
      affiliations: [{ name: 'Analytical Engines' }],
    },
  ],
  description: '<p>Levels of the <b>Elbe</b>.</p>',
  rights: [{ id: 'cc-by-4.0' }],
  languages: [{ id: 'deu' }],
  sizes: ['3 pages'],
} as const

const md5 = (text: string): string => `md5:${createHash('md5').update(text).digest('hex')}`
const base = (): string => `${daemon.origin}/rdm/api`

async function ask<Answer = Body>(
  method: string,
  path: string,
  status: number,
  sent: Sent = {},
  user = ada,
): Promise<Answer> {
  const url = path.startsWith('http') ? path : `${base()}${path}`
  return bodyOf<Answer>(await user.send(method, url, sent), status)
}

async function sendFile(id: string, key: string, body: string): Promise<void> {
  const name = encodeURIComponent(key)
  await ask('POST', `/records/${id}/draft/files`, 201, { json: [{ key }] })
  const headers = { 'content-type': 'application/octet-stream' }
  await ask('PUT', `/records/${id}/draft/files/${name}/content`, 200, { body, headers })
  const entry = await ask<Files['entries'][number]>(
    'POST',
    `/records/${id}/draft/files/${name}/commit`,
    200,
  )
  expect(entry).toMatchObject({ key, status: 'completed', checksum: md5(body) })
}

async function publish(): Promise<Body> {
  const { id } = await ask('POST', '/records', 201, { json: { metadata } })
  await sendFile(id, 'a b.csv', '1,2\n')
  return ask('POST', `/records/${id}/draft/actions/publish`, 202, { json: {} })
}

describe('InvenioRDM’s interface', () => {
  it('makes, fills and publishes a draft, which keeps its identifier', async () => {
    const made = await ask('POST', '/records', 201, { json: { metadata, pids: [] } })
    expect(made).toMatchObject({ status: 'draft', is_published: false, metadata })
    expect(Number(made.parent.id)).toBe(Number(made.id) - 1)
    await sendFile(made.id, 'a b.csv', '1,2\n')
    const published = await ask('POST', `/records/${made.id}/draft/actions/publish`, 202)
    expect(published).toMatchObject({
      id: made.id,
      status: 'published',
      is_published: true,
      metadata,
      pids: { doi: { identifier: `10.5072/zenodo.${made.id}` } },
      versions: { index: 1, is_latest: true },
      access: { record: 'public', files: 'public', status: 'open' },
    })
    const visitor = daemon.visitor
    expect(await ask('GET', `/records/${made.id}`, 200, {}, visitor)).toMatchObject({ metadata })
    const { entries } = await ask<Files>('GET', `/records/${made.id}/files`, 200, {}, visitor)
    expect(entries).toMatchObject([{ key: 'a b.csv', status: 'completed', checksum: md5('1,2\n') }])
    const bytes = await visitor.get(entries[0]?.links['content'] ?? '')
    expect(bytes.bytes.toString()).toBe('1,2\n')
    const concept = await visitor.send('GET', `${base()}/records/${made.parent.id}`)
    expect(concept.headers.get('location') ?? '').toBe(`${base()}/records/${made.id}`)
    await ask('GET', `/records/${made.id}/draft`, 404)
  })

  it('saves what is not complete with the fields that are missing, and does not publish it', async () => {
    const made = await ask('POST', '/records', 201, { json: {} })
    expect(made.errors).toContainEqual({
      field: 'metadata.title',
      messages: ['Missing data for required field.'],
    })
    const refused = await ask('POST', `/records/${made.id}/draft/actions/publish`, 400)
    expect(refused.message).toBe('A validation error occurred.')
    expect(refused.errors?.map(({ field }) => field)).toEqual([
      'metadata.resource_type',
      'metadata.title',
      'metadata.creators',
      'metadata.publication_date',
      'files.enabled',
    ])
    await ask('PUT', `/records/${made.id}/draft`, 200, {
      json: { metadata, files: { enabled: false }, custom_fields: { 'x:y': 1 } },
    })
    const published = await ask('POST', `/records/${made.id}/draft/actions/publish`, 202)
    expect(published).toMatchObject({ files: { enabled: false }, custom_fields: { 'x:y': 1 } })
  })

  it('is the same deposit as that of our own interface, with what only one of them knows', async () => {
    const { id, links } = await ask('POST', '/records', 201, { json: { metadata } })
    const own = { id: links['self_html']?.split('/').at(-1) ?? '' }
    await ada.send('PATCH', `/deposits/${own.id}`, {
      json: [{ op: 'add', path: '/methods', value: 'Read' }],
      headers: { 'content-type': 'application/json-patch+json' },
    })
    const changed = { ...metadata, title: 'Levels', additional_descriptions: undefined }
    const shown = await ask('GET', `/records/${id}/draft`, 200)
    expect(shown.metadata['additional_descriptions']).toEqual([
      { description: 'Read', type: { id: 'methods' } },
    ])
    await ask('PUT', `/records/${id}/draft`, 200, {
      json: { metadata: { ...shown.metadata, title: 'Levels' } },
    })
    const now = await ada.show(own)
    expect(now.metadata).toMatchObject({ title: 'Levels', methods: 'Read', license: 'CC-BY-4.0' })
    await ask('PUT', `/records/${id}/draft`, 200, { json: { metadata: changed } })
    expect((await ada.show(own)).metadata).not.toHaveProperty('methods')
  })

  it('edits a record, discards an edit, and begins a version without files, which an import brings', async () => {
    const { id } = await publish()
    await ask('POST', `/records/${id}/draft`, 201)
    await ask('PUT', `/records/${id}/draft`, 200, {
      json: { metadata: { ...metadata, title: 'X' } },
    })
    await ask('DELETE', `/records/${id}/draft`, 204)
    expect(await ask('GET', `/records/${id}`, 200)).toMatchObject({ metadata })
    const next = await ask('POST', `/records/${id}/versions`, 201)
    expect(next).toMatchObject({ status: 'new_version_draft', files: { count: 0 } })
    expect((await ask('POST', `/records/${id}/versions`, 201)).id).toBe(next.id)
    const imported = await ask<Files>('POST', `/records/${next.id}/draft/actions/files-import`, 201)
    expect(imported.entries).toMatchObject([{ key: 'a b.csv' }])
    await ask('POST', `/records/${next.id}/draft/actions/files-import`, 400)
    await ask('DELETE', `/records/${next.id}/draft/files/a%20b.csv`, 204)
    await sendFile(next.id, 'c.csv', '3')
    expect(next.metadata).not.toHaveProperty('publication_date')
    await ask('POST', `/records/${next.id}/draft/actions/publish`, 400)
    await ask('PUT', `/records/${next.id}/draft`, 200, { json: { metadata } })
    await ask('POST', `/records/${next.id}/draft/actions/publish`, 202)
    const { hits } = await ask<{ hits: { total: number; hits: readonly Body[] } }>(
      'GET',
      `/records/${id}/versions`,
      200,
    )
    expect(hits.hits.map((each) => each.id)).toEqual([next.id, id])
    expect((await ask('GET', `/records/${id}/versions/latest`, 200)).id).toBe(next.id)
  })

  it('refuses files twice under one name, and a commit without bytes', async () => {
    const { id } = await ask('POST', '/records', 201, { json: { metadata } })
    await ask('POST', `/records/${id}/draft/files`, 201, { json: [{ key: 'a' }] })
    const early = await ask('POST', `/records/${id}/draft/files/a/commit`, 400)
    expect(early.message).toBe('The file upload transfer failed, please try again.')
    const headers = { 'content-type': 'application/octet-stream' }
    await ask('PUT', `/records/${id}/draft/files/a/content`, 200, { body: '1', headers })
    await ask('POST', `/records/${id}/draft/files/a/commit`, 200)
    const twice = await ask('POST', `/records/${id}/draft/files`, 400, { json: [{ key: 'a' }] })
    expect(twice.message).toBe('File with key a already exists.')
    for (const json of [[{ key: 'b' }, { key: 'b' }], [{ key: 'x/y' }]])
      await ask('POST', `/records/${id}/draft/files`, 400, { json })
  })

  it('keeps which files were announced, and does not publish without them', async () => {
    const { id } = await ask('POST', '/records', 201, { json: { metadata } })
    const of = (path: string) => `/records/${id}/draft${path}`
    const headers = { 'content-type': 'application/octet-stream' }
    await sendFile(id, 'whole', '1')
    const json = [{ key: 'never' }, { key: 'sent' }]
    await ask('POST', of('/files'), 201, { json })
    await ask('POST', of('/files'), 400, { json: [{ key: 'never' }] })
    await ask('PUT', of('/files/sent/content'), 200, { body: '22', headers })

    const states = async () => {
      const { entries } = await ask<Files>('GET', of('/files'), 200)
      return Object.fromEntries(entries.map(({ key, status }) => [key, status]))
    }
    expect(await states()).toEqual({ never: 'pending', sent: 'pending', whole: 'completed' })
    expect(await ask('GET', of('/files/never'), 200)).toMatchObject({ status: 'pending' })
    expect(await ask('GET', of(''), 200)).toMatchObject({
      files: { entries: { never: { status: 'pending' }, whole: { status: 'completed' } } },
    })
    await ask('GET', of('/files/never/content'), 404)
    const errors = [
      {
        field: 'files',
        messages: ['One or more files have not completed their transfer, please wait.'],
      },
    ]
    const publish = (status: number) => ask('POST', of('/actions/publish'), status)
    expect(await publish(400)).toMatchObject({ message: 'A validation error occurred.', errors })
    await ask('DELETE', of('/files/never'), 204)
    await ask('DELETE', of('/files/never'), 404)
    expect(await publish(400)).toMatchObject({ errors })
    await ask('POST', of('/files/sent/commit'), 200)
    expect(await states()).toEqual({ sent: 'completed', whole: 'completed' })
    await publish(202)
  })

  it('has no other way by which a file that was not confirmed is published', async () => {
    await using other = await testDaemon({
      env: { DEPOSIT_REVIEW: 'optional', DEPOSIT_FOREIGN_APIS: 'rdm' },
    })
    const bob = other.as('bob')
    const records = `${other.origin}/rdm/api/records`
    const made = bodyOf<Body>(await bob.post(records, { json: { metadata } }), 201)
    const files = `${records}/${made.id}/draft/files`
    const [{ id } = { id: '' }] = (await bob.search()).hits.hits
    bodyOf(await bob.post(files, { json: [{ key: 'late.txt' }, { key: 'never.txt' }] }), 201)
    const headers = { 'content-type': 'application/octet-stream' }
    bodyOf(await bob.send('PUT', `${files}/late.txt/content`, { body: '22', headers }), 200)

    bodyOf(await bob.put(`/deposits/${id}/files/late.txt`, { filename: 'named.txt' }), 200)
    const renamed = await bob.post(`/deposits/${id}/actions/submit`)
    expect([renamed.status, renamed.body]).toMatchObject([
      403,
      { errors: [{ field: 'named.txt' }] },
    ])
    bodyOf(await bob.put(`/deposits/${id}/files/named.txt`, { filename: 'late.txt' }), 200)

    const rehearsed = await bob.get(`/deposits/${id}/actions/publish`)
    for (const action of ['publish', 'submit']) {
      const refused = await bob.post(`/deposits/${id}/actions/${action}`)
      expect([refused.status, refused.body]).toMatchObject([
        403,
        { code: 'invalid_action', errors: [{ field: 'late.txt' }] },
      ])
    }
    expect(rehearsed.bytes.toString()).toContain('has not confirmed')
    // The advice: it is deleted, or confirmed by the program. What was never sent is in no record.
    expect((await bob.delete(`/deposits/${id}/files/late.txt`)).status).toBe(204)
    bodyOf(await bob.post(`/deposits/${id}/actions/submit`), 201)
    // A submitted draft is not opened for changes, nor given a DOI.
    const draft = files.replace(/\/files$/, '')
    for (const path of ['', '/pids/doi']) {
      const refused = await bob.post(`${draft}${path}`)
      expect([refused.status, refused.bytes.toString()]).toEqual([
        400,
        expect.stringContaining('waits for review'),
      ])
    }
  })

  it('takes a file that another interface sends whole as confirmed', async () => {
    const made = await ask('POST', '/records', 201, { json: { metadata } })
    const files = `/records/${made.id}/draft/files`
    await ask('POST', files, 201, { json: [{ key: 'half.txt' }, { key: 'never.txt' }] })
    const headers = { 'content-type': 'application/octet-stream' }
    await ask('PUT', `${files}/half.txt/content`, 200, { body: 'ha', headers })
    const [own] = (await ada.search()).hits.hits
    if (!own) throw new Error('there is no draft')

    for (const key of ['half.txt', 'never.txt'])
      expect((await ada.putObject(own, key, 'whole')).status).toBeLessThan(300)

    await ask('POST', `/records/${made.id}/draft/actions/publish`, 202)
  })

  it('lets a file be announced again after it was deleted, and no more than a deposit may have', async () => {
    const { id } = await ask('POST', '/records', 201, { json: { metadata } })
    const files = `/records/${id}/draft/files`
    await sendFile(id, 'a', '1')
    await ask('DELETE', `${files}/a`, 204)
    await sendFile(id, 'a', '2')
    const eve = await daemon.as('eve').send('POST', `${base()}${files}`, { json: [{ key: 'b' }] })
    expect(eve.status).toBe(403)
    for (let from = 0; from < 10_000; from += 1000) {
      const json = Array.from({ length: 1000 }, (_, at) => ({ key: `k${from + at}` }))
      await ask('POST', files, from === 9000 ? 400 : 201, { json })
    }
    expect((await ask<Files>('GET', files, 200)).entries).toHaveLength(9001)
  })

  it('saves fields of a wrong type with errors, and does not publish them', async () => {
    const wrong = { json: { metadata: { ...metadata, title: 5 } } }
    const made = await ask('POST', '/records', 201, wrong)
    const errors = [{ field: 'metadata.title', messages: ['Not a valid string.'] }]
    expect(made).toMatchObject({ errors, metadata: { title: 5 } })
    await sendFile(made.id, 'a', '1')
    const refused = await ask('POST', `/records/${made.id}/draft/actions/publish`, 400)
    expect(refused).toMatchObject({ errors })
  })

  it.each([
    ['a list', []],
    ['metadata that are a text', { metadata: 'x' }],
    ['access that is a list', { access: [] }],
    ['a hidden record', { metadata, access: { record: 'restricted', files: 'restricted' } }],
  ])('refuses %s in the words of InvenioRDM', async (_, sent) => {
    const refused = await ask('POST', '/records', 400, { json: sent })
    expect(refused.message).toBe('A validation error occurred.')
    expect(refused.errors?.[0]?.messages[0]).toBeTypeOf('string')
  })

  it('with deposit:write alone stops at a draft, and nobody else sees it', async () => {
    const { id } = await ask('POST', '/records', 201, { json: { metadata } })
    const writer = daemon.as('ada', { scopes: [writeScope] })
    const refused = await writer.send('POST', `${base()}/records/${id}/draft/actions/publish`)
    expect(refused.status).toBe(403)
    const eve = await daemon.as('eve').send('GET', `${base()}/records/${id}/draft`)
    expect([eve.status, eve.body]).toMatchObject([403, { message: 'Permission denied.' }])
  })

  it('answers the lists that clients begin with', async () => {
    const headers = { accept: 'application/vnd.inveniordm.v1+json' }
    const own = await ask<{ hits: { total: number } }>(
      'GET',
      '/user/records?q=&size=1&page=1',
      200,
      { headers },
    )
    expect(own.hits.total).toBeGreaterThan(3)
    const { id } = await ask('GET', '/vocabularies/licenses/cc-by-4.0', 200)
    expect(id).toBe('cc-by-4.0')
    await ask('GET', '/vocabularies/nothing', 404)
    expect(await ask('GET', '/vocabularies/languages/deu', 200)).toMatchObject({
      title: { en: 'German' },
    })
  })

  it('begins a version without wiping one that Zenodo’s interface begins at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body } = await ada.send('POST', `${daemon.origin}/rdm/api/records`, {
        json: { metadata },
      })
      const { id } = body as Body
      const of = (path: string) => `${daemon.origin}/rdm/api/records/${id}${path}`
      await ada.send('PUT', of('/draft/files/a.txt/content'), { body: 'level' })
      await ada.send('POST', of('/draft/actions/publish'))
      const zenodo = `${daemon.origin}/zenodo/api/deposit/depositions/${id}/actions/newversion`
      const [, begun] = await Promise.all([
        ada.send('POST', of('/versions')),
        ada.send('POST', zenodo),
      ])
      const { files: told, links } = begun.body as {
        readonly files: readonly unknown[]
        readonly links: Readonly<Record<string, string>>
      }
      const now = (await ada.send('GET', links['self'] ?? '')).body
      expect((now as { readonly files: readonly unknown[] }).files).toHaveLength(told.length)
    }
  })

  it('takes a push, which is level when it is run again', async () => {
    const yaml =
      'title: Levels\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\n'
    await using folder = await temporaryFolder({ 'a b.csv': '1,2\n', 'metadata.yaml': yaml })
    const { authorization = '' } = await ada.authorization()
    const run = (...args: readonly string[]) =>
      runCli(args, { folder: folder.path, stdin: authorization.replace('Bearer ', '') })
    await run('remote', 'add', 'own', '--kind=rdm', `--url=${daemon.origin}/rdm`)
    const first = await run('push', '--to', 'own', '--publish', '--yes', '--json')
    const again = await run('push', '--to', 'own', '--publish', '--yes')
    expect([first.status, again.status, again.stderr]).toEqual([
      0,
      0,
      expect.stringContaining('is level'),
    ])
    const { remote } = JSON.parse(first.stdout) as { readonly remote: { readonly id: string } }
    const { entries } = await ask<Files>('GET', `/records/${remote.id}/files`, 200)
    expect(entries).toMatchObject([{ key: 'a b.csv', checksum: md5('1,2\n') }])
  })
})

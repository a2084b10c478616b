import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeScope } from '../../core/contract/scopes.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, send, type Reply, type Sent } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

interface Deposition {
  readonly id: number
  readonly conceptrecid: string
  readonly state: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly files: readonly { readonly id: string; readonly filename: string }[]
  readonly links: Readonly<Record<string, string>>
}

let daemon: TestDaemon
let base: string
let token: string
beforeAll(async () => {
  daemon = await testDaemon()
  base = `${daemon.origin}/zenodo/api`
  const { authorization = '' } = await daemon.as('ada').authorization()
  token = authorization.replace('Bearer ', '')
})
afterAll(() => daemon[Symbol.asyncDispose]())

/** @param path below the interface, or a whole address */
const ask = (method: string, path: string, sent: Sent = {}): Promise<Reply> =>
  daemon.as('ada').send(method, path.startsWith('/') ? base + path : path, sent)

const metadata = {
  upload_type: 'publication',
  publication_type: 'deliverable',
  title: 'Water levels',
  description: '<p>Levels of the Elbe.</p>',
  creators: [{ name: 'Lovelace, Ada', affiliation: 'Analytical Engines', gnd: '118640224' }],
}

async function create(more: object = {}): Promise<Deposition> {
  const json = { metadata: { ...metadata, ...more } }
  return bodyOf(await ask('POST', '/deposit/depositions', { json }), 201)
}

async function createWithFile(more: object = {}): Promise<Deposition> {
  const made = await create(more)
  bodyOf(await ask('PUT', `${made.links['bucket']}/a.csv`, { body: '1,2\n' }), 201)
  return made
}

const act = (made: Deposition, name: string): Promise<Reply> =>
  ask('POST', made.links[name] ?? name)

async function publish(made: Deposition): Promise<Deposition> {
  return bodyOf(await act(made, 'publish'), 202)
}

/** The same deposit in our own interface. */
async function ownOf({ links }: Deposition): Promise<DepositBody> {
  const id = links['html']?.split('/').at(-1) ?? ''
  return bodyOf(await daemon.as('ada').get(`/deposits/${id}`), 200)
}

describe('metadata', () => {
  const sent = {
    ...metadata,
    access_right: 'open',
    communities: [{ identifier: 'tides' }],
    grants: [{ id: '10.13039/501100000780::283595' }, { id: '777541' }],
    custom: { 'dwc:family': ['Felidae'] },
    journal_title: 'Tides',
    keywords: ['tide', 'elbe'],
    related_identifiers: [
      { identifier: '10.1234/other', relation: 'isAlternateIdentifier' },
      { identifier: '10.1234/abc', relation: 'isSupplementTo' },
    ],
    thesis_supervisors: [{ name: 'Babbage, Charles' }],
    license: 'cc-by-4.0',
    version: '1.0',
    language: 'deu',
    notes: 'none',
  }

  it('are shown again as they were sent, also after publishing', async () => {
    const made = await createWithFile(sent)
    expect(made.metadata).toMatchObject(sent)

    const published = await publish(made)
    expect(published.metadata).toMatchObject(sent)
  })

  it('are those of our own interface, where it knows them', async () => {
    const { metadata: own } = await ownOf(await create(sent))

    expect(own).toMatchObject({
      title: 'Water levels',
      resource_type: 'text',
      creators: [{ family_name: 'Lovelace', affiliation: ['Analytical Engines'] }],
      related_identifiers: [{ identifier: '10.1234/abc', relation: 'isSupplementTo' }],
      funding: [{ award: '283595' }, { award: '777541' }],
      license: 'CC-BY-4.0',
    })
  })

  it('follow a change by our own interface, and keep what it does not concern', async () => {
    const made = await create(sent)
    const { id } = await ownOf(made)
    const change = [{ op: 'replace', path: '/creators/0', value: { name: 'Byron, Ada' } }]
    bodyOf(await daemon.as('ada').patch(`/deposits/${id}`, change), 200)

    const { metadata: shown } = bodyOf<Deposition>(await read(made), 200)
    expect(shown['creators']).toMatchObject([{ name: 'Byron, Ada' }])
    expect(shown['creators']).not.toMatchObject([{ gnd: '118640224' }])
    expect(shown).toMatchObject({ communities: sent.communities, custom: sent.custom })
  })

  const read = (made: Deposition): Promise<Reply> => ask('GET', made.links['self'] ?? '')

  it('leave fields that Zenodo does not know when they are sent back', async () => {
    const { id } = await daemon.as('ada').createDraft({
      title: 'Ours',
      publisher: 'The Elbe Survey',
      funding: [{ funder: 'Elbe Trust', award: '7' }],
      locations: [{ box: { west: 9, east: 10, south: 53, north: 54 } }],
    })
    const [made] = bodyOf<readonly Deposition[]>(
      await ask('GET', '/deposit/depositions?size=1'),
      200,
    )
    const json = { metadata: { ...made?.metadata, title: 'Theirs' } }
    bodyOf(await ask('PUT', made?.links['self'] ?? '', { json }), 200)

    const { metadata: own } = bodyOf<DepositBody>(
      await daemon.as('ada').get(`/deposits/${id}`),
      200,
    )
    expect(own).toMatchObject({
      title: 'Theirs',
      publisher: 'The Elbe Survey',
      funding: [{ funder: 'Elbe Trust', award: '7' }],
      locations: [{ box: { west: 9 } }],
    })
  })

  it('are replaced as a whole by an update', async () => {
    const made = await create(sent)

    const json = { metadata: { title: 'Alone' } }
    const { metadata: shown } = bodyOf<Deposition>(
      await ask('PUT', made.links['self'] ?? '', { json }),
      200,
    )
    expect(shown).not.toHaveProperty('keywords')
    expect(shown).not.toHaveProperty('communities')
    expect(shown['title']).toBe('Alone')
  })

  it.each(['embargoed', 'restricted', 'closed'])(
    'that say the files are %s keep it from being published by any interface',
    async (access_right) => {
      const terms = { embargo_date: '2999-01-01', access_conditions: 'Ask us.' }
      const made = await createWithFile({ access_right, ...terms })
      expect(made.metadata).toMatchObject({ access_right, ...terms })

      const refused = await act(made, 'publish')
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { errors: [{ field: 'metadata.access_right' }] },
      ])
      const { id } = await ownOf(made)
      expect((await daemon.as('ada').post(`/deposits/${id}/actions/publish`)).status).toBe(400)
      expect((await send('GET', `${base}/records/${made.id}`)).status).toBe(404)
    },
  )

  it.each([
    [{ creators: 'Ada' }, 'metadata.creators'],
    [{ creators: [{ affiliation: 'x' }] }, 'metadata.creators.0.name'],
    [{ creators: [null] }, 'metadata.creators.0'],
    [{ related_identifiers: [{ identifier: 5 }] }, 'metadata.related_identifiers.0.relation'],
    [{ related_identifiers: { a: 1 } }, 'metadata.related_identifiers'],
    [{ license: ['cc-by'] }, 'metadata.license'],
    [{ license: { title: 'x' } }, 'metadata.license.id'],
    [{ communities: ['tides'] }, 'metadata.communities.0'],
    [{ upload_type: 'book' }, 'metadata.upload_type'],
    [{ access_right: 'secret' }, 'metadata.access_right'],
    [{ publication_date: 'yesterday' }, 'metadata.publication_date'],
    [{ title: 5 }, 'metadata.title'],
  ])('%j are refused with the field', async (wrong, field) => {
    const reply = await ask('POST', '/deposit/depositions', { json: { metadata: wrong } })

    expect([reply.status, reply.body]).toMatchObject([
      400,
      {
        status: 400,
        message: 'Validation error.',
        errors: expect.arrayContaining([expect.objectContaining({ field })]) as unknown,
      },
    ])
  })

  it('that are no object, or beside unknown fields, are refused', async () => {
    for (const json of [
      { metadata: [] },
      { metadata: 'x' },
      { title: 'x' },
      { metadata, x: 1 },
      [],
      'x',
    ]) {
      const reply = await ask('POST', '/deposit/depositions', { json })
      expect([json, reply.status]).toEqual([json, 400])
    }
  })
})

describe('a token', () => {
  it.each([
    ['Bearer TOKEN', () => ({ authorization: `Bearer ${token}` }), ''],
    ['Bearer:TOKEN', () => ({ authorization: `Bearer:${token}` }), ''],
    ['a parameter', () => ({}), 'access_token'],
  ])('comes as %s', async (_, headers, parameter) => {
    const query = parameter === '' ? '' : `?${parameter}=${token}`
    const reply = await send('GET', `${base}/deposit/depositions${query}`, { headers: headers() })

    expect(reply.status).toBe(200)
    expect(JSON.stringify([reply.body, [...reply.headers]])).not.toContain(token)
  })

  it('that is wrong is told in the words of Zenodo', async () => {
    for (const url of [
      `${base}/deposit/depositions`,
      `${base}/deposit/depositions?access_token=x`,
    ]) {
      const reply = await send('GET', url)
      expect([reply.status, reply.body]).toMatchObject([
        401,
        { status: 401, message: expect.stringContaining('could not verify') as string },
      ])
    }
  })

  it('is no parameter of any other route', async () => {
    for (const path of ['/api/deposits/', '/api/me', '/health']) {
      const reply = await send('GET', `${daemon.origin}${path}?access_token=${token}`)
      expect([path, reply.status]).toEqual([path, 401])
    }
  })

  it('with deposit:write alone stops at a draft', async () => {
    const writer = daemon.as('ada', { scopes: [writeScope] })
    const made = await createWithFile()

    expect((await writer.send('POST', made.links['publish'] ?? '')).status).toBe(403)
  })
})

describe('files', () => {
  const md5 = createHash('md5').update('1,2\n').digest('hex')

  it('are added, read, renamed, sorted and deleted by the form API', async () => {
    const made = await create()
    const { files: url = '' } = made.links
    const form = (name: string): Sent => {
      const body = new FormData()
      body.set('name', name)
      body.set('file', new Blob(['1,2\n']), 'other.csv')
      return { body }
    }
    const added = bodyOf<{ readonly id: string }>(await ask('POST', url, form('a b.csv')), 201)
    expect(added).toMatchObject({ filename: 'a b.csv', filesize: 4, checksum: md5 })
    expect((await ask('POST', url, form('a b.csv'))).status).toBe(400)
    expect(bodyOf(await ask('GET', `${url}/${added.id}`), 200)).toEqual(added)

    expect((await ask('PUT', `${url}/${added.id}`, { json: { name: 'c.csv' } })).status).toBe(400)
    const renamed = await ask('PUT', `${url}/${added.id}`, { json: { filename: 'c.csv' } })
    expect(bodyOf(renamed, 200)).toMatchObject({ id: added.id, filename: 'c.csv' })
    expect((await ask('PUT', url, { json: [{ filename: 'c.csv' }] })).status).toBe(400)

    expect((await ask('DELETE', `${url}/${added.id}`)).status).toBe(204)
    expect((await ask('GET', `${url}/${added.id}`)).status).toBe(404)
    expect(bodyOf(await ask('GET', url), 200)).toEqual([])
  })

  it('of a bucket have sums, and are read back', async () => {
    const made = await create()
    const address = `${made.links['bucket']}/f%C3%BCr%20dich/a.csv`
    const stored = await ask('PUT', address, { body: '1,2\n' })
    expect(bodyOf(stored, 201)).toMatchObject({
      key: 'für dich/a.csv',
      checksum: `md5:${md5}`,
      links: { self: address },
    })

    expect((await ask('GET', address)).bytes.toString()).toBe('1,2\n')
    expect(bodyOf(await ask('GET', made.links['bucket'] ?? ''), 200)).toMatchObject({
      contents: [{ key: 'für dich/a.csv', size: 4 }],
    })
  })

  it('sent by our own interface get their MD5 where it is asked for', async () => {
    const made = await create()
    const own = await ownOf(made)
    bodyOf(await ask('PUT', `${own.links['bucket']}/a.csv`, { body: '1,2\n' }), 201)

    const shown = bodyOf<Deposition>(await ask('GET', made.links['self'] ?? ''), 200)
    expect(shown.files).toMatchObject([{ filename: 'a.csv', checksum: md5 }])
    const [listed] = bodyOf<readonly Deposition[]>(
      await ask('GET', '/deposit/depositions?size=1'),
      200,
    )
    expect(listed?.files).toMatchObject([{ checksum: md5 }])
  })

  it('of a published deposition are frozen, and public', async () => {
    const made = await createWithFile()
    await publish(made)
    const { bucket } = made.links

    expect((await ask('PUT', `${bucket}/a.csv`, { body: 'x' })).status).toBe(403)
    expect((await send('GET', `${bucket}/a.csv`)).bytes.toString()).toBe('1,2\n')
    const record = bodyOf<{
      readonly files: readonly { readonly links: { readonly self: string } }[]
    }>(await send('GET', `${base}/records/${made.id}`), 200)
    expect((await send('GET', record.files[0]?.links.self ?? '')).bytes.toString()).toBe('1,2\n')
    expect(bodyOf(await send('GET', `${base}/records/${made.id}/files`), 200)).toMatchObject({
      entries: [{ key: 'a.csv', checksum: `md5:${md5}` }],
    })
  })
})

describe('states', () => {
  it('refuse what Zenodo refuses', async () => {
    const made = await createWithFile()
    for (const name of ['edit', 'discard', 'newversion', 'registerconceptdoi']) {
      expect([name, (await act(made, name)).status]).toEqual([name, 403])
    }
    await publish(made)
    expect((await act(made, 'publish')).status).toBe(403)
    expect((await ask('PUT', made.links['self'] ?? '', { json: { metadata } })).status).toBe(403)
    expect((await ask('DELETE', made.links['self'] ?? '')).status).toBe(403)
  })

  it('hide drafts from others, and tell of what is gone', async () => {
    const made = await create()
    const { self = '' } = made.links
    expect((await daemon.as('bob').get(self)).status).toBe(403)
    expect((await daemon.visitor.get(self)).status).toBe(401)
    expect((await ask('DELETE', self)).status).toBe(204)
    expect((await ask('GET', self)).status).toBe(410)
    for (const id of ['0', '1', 'x', String(made.id + 999), made.conceptrecid]) {
      expect([id, (await ask('GET', `/deposit/depositions/${id}`)).status]).toEqual([id, 404])
    }
  })

  it('lead from the concept to the newest record', async () => {
    const made = await createWithFile()
    await publish(made)
    const next = bodyOf<Deposition>(await act(made, 'newversion'), 201)
    const newest = await publish(next)

    const { headers, status } = await send('GET', `${base}/records/${made.conceptrecid}`)
    expect([status, headers.get('location')]).toEqual([302, `${base}/records/${newest.id}`])
    expect(bodyOf(await send('GET', `${base}/records/${made.id}`), 200)).toMatchObject({
      links: { latest: `${base}/records/${newest.id}` },
      metadata: { relations: { version: [{ index: 0, is_last: false }] } },
    })
  })
})

describe('a list', () => {
  it('has pages, whose links have no token, and takes what Zenodo takes', async () => {
    const owner = daemon.as('lister')
    const { authorization = '' } = await owner.authorization()
    const secret = authorization.replace('Bearer ', '')
    for (let made = 0; made < 3; made += 1) await owner.createDraft({ title: `No. ${made}` })
    const list = `${base}/deposit/depositions/?access_token=${secret}`

    const first = await send('GET', `${list}&size=2`)
    expect(bodyOf<readonly Deposition[]>(first, 200)).toHaveLength(2)
    const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(next).not.toContain(secret)
    expect(bodyOf<readonly Deposition[]>(await owner.get(next), 200)).toHaveLength(1)

    expect(bodyOf<readonly Deposition[]>(await send('GET', `${list}&size=9999`), 200)).toHaveLength(
      3,
    )
    const titled = await send('GET', `${list}&q=title:1&status=draft&sort=-mostrecent`)
    expect(bodyOf<readonly Deposition[]>(titled, 200)).toMatchObject([
      { metadata: { title: 'No. 1' } },
    ])
    expect(bodyOf(await send('GET', `${list}&status=published`), 200)).toEqual([])
  })
})

describe('the interface', () => {
  it('is off where DEPOSIT_FOREIGN_APIS is empty, and on a public service', async () => {
    const public_ = { DEPOSIT_PUBLIC_URL: 'https://deposit.example.org' }
    for (const env of [{ DEPOSIT_FOREIGN_APIS: '[]' }, public_]) {
      await using closed = await testDaemon({ env })
      const headers = { host: 'deposit.example.org' }
      const reply = await send('GET', `${closed.origin}/zenodo/api/deposit/depositions`, {
        headers,
      })
      expect(reply.status).not.toBe(401)
      expect(reply.status).toBeGreaterThanOrEqual(404)
    }
  })
})

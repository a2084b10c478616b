import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { ZenodoClient, zenodoMetadata, type Deposition } from '../support/zenodo-client.ts'

let daemon: TestDaemon
let client: ZenodoClient
beforeAll(async () => {
  daemon = await testDaemon()
  client = new ZenodoClient(daemon)
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe('metadata', () => {
  const sent = {
    ...zenodoMetadata,
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
    const made = await client.createWithFile(sent)
    expect(made.metadata).toMatchObject(sent)

    const published = await client.publish(made)
    expect(published.metadata).toMatchObject(sent)
  })

  it.for([
    '<p>10<sup>-3</sup> mol, <i>see</i> <a href="https://example.org/p" target="_blank">it</a></p>',
    '<ol><li>a<ul><li>b</li></ul></li></ol><dl><dt>c</dt><dd>d</dd></dl><img src="x.png" alt="e">',
    '<div><p>*text* &amp; _marks_</p><h1>f</h1><table><tr><td>g</td></tr></table></div>',
    '* a\n* b __c__',
  ])('come back as the HTML that was sent: %s', async (description) => {
    const made = await client.create({ ...zenodoMetadata, description, notes: description })
    const shown = bodyOf<Deposition>(await read(made), 200)
    expect(shown.metadata).toMatchObject({ description, notes: description })

    const rdm = { metadata: { title: 'x', description } }
    const records = `${daemon.origin}/rdm/api/records`
    const draft = await daemon.as('ada').send('POST', records, { json: rdm })
    expect(draft.body).toMatchObject({ metadata: { description } })
  })

  it('are HTML where ours are Markdown, and stay as they are when they are sent back', async () => {
    const description = 'Of **all**\n\n* a\n* b'
    const { id } = await daemon.as('ada').createDraft({ title: 'Ours', description })
    const listed = await client.ask('GET', '/deposit/depositions?q=Ours')
    const [made] = bodyOf<readonly Deposition[]>(listed, 200)
    if (!made) throw new Error('nothing was found')
    expect(made.metadata).toMatchObject({
      description: '<p>Of <strong>all</strong></p><ul><li>a</li><li>b</li></ul>',
    })
    await client.ask('PUT', made.links['self'] ?? '', { json: { metadata: made.metadata } })
    const own = await daemon.as('ada').get(`/deposits/${id}`)
    expect(own.body).toMatchObject({ metadata: { description } })
  })

  it('are those of our own interface, where it knows them', async () => {
    const { id, metadata: own } = await client.ownOf(await client.create(sent))
    const rehearsal = await daemon.as('ada').get(`/deposits/${id}/actions/publish`)
    expect(rehearsal.body).toMatchObject({ publishable: true, errors: [] })
    expect(rehearsal.bytes.toString()).not.toContain('/zenodo')

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
    const made = await client.create(sent)
    const { id } = await client.ownOf(made)
    const change = [{ op: 'replace', path: '/creators/0', value: { name: 'Byron, Ada' } }]
    bodyOf(await daemon.as('ada').patch(`/deposits/${id}`, change), 200)

    const { metadata: shown } = bodyOf<Deposition>(await read(made), 200)
    expect(shown['creators']).toMatchObject([{ name: 'Byron, Ada' }])
    expect(shown['creators']).not.toMatchObject([{ gnd: '118640224' }])
    expect(shown).toMatchObject({ communities: sent.communities, custom: sent.custom })
  })

  const read = (made: Deposition): Promise<Reply> => client.ask('GET', made.links['self'] ?? '')

  it('leave fields that Zenodo does not know when they are sent back', async () => {
    const { id } = await daemon.as('ada').createDraft({
      title: 'Ours',
      publisher: 'The Elbe Survey',
      funding: [{ funder: 'Elbe Trust', award: '7' }],
      locations: [{ box: { west: 9, east: 10, south: 53, north: 54 } }],
    })
    const [made] = bodyOf<readonly Deposition[]>(
      await client.ask('GET', '/deposit/depositions?size=1'),
      200,
    )
    const json = { metadata: { ...made?.metadata, title: 'Theirs' } }
    bodyOf(await client.ask('PUT', made?.links['self'] ?? '', { json }), 200)

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
    const made = await client.create(sent)

    const json = { metadata: { title: 'Alone' } }
    const { metadata: shown } = bodyOf<Deposition>(
      await client.ask('PUT', made.links['self'] ?? '', { json }),
      200,
    )
    expect(shown).not.toHaveProperty('keywords')
    expect(shown).not.toHaveProperty('communities')
    expect(shown['title']).toBe('Alone')
  })

  it.each(['embargoed', 'restricted', 'closed'])(
    'that say the files are %s keep them closed, and are shown as sent',
    async (access_right) => {
      const terms = { embargo_date: '2999-01-01', access_conditions: 'Ask us.' }
      const made = await client.createWithFile({ access_right, ...terms })
      expect(made.metadata).toMatchObject({ access_right, ...terms })

      expect((await client.act(made, 'publish')).status).toBe(202)
      const { id } = await client.ownOf(made)
      const { metadata, links } = await daemon.as('ada').show({ id })
      expect(metadata).toHaveProperty(
        'access',
        access_right === 'embargoed'
          ? { files: 'restricted', until: '2999-01-01' }
          : { files: 'restricted', reason: 'Ask us.' },
      )
      const record = await send('GET', `${client.base}/records/${made.id}`)
      expect(record.body).toMatchObject({ metadata: { access_right } })
      expect(record.body).not.toHaveProperty('files')
      expect((await daemon.visitor.get(links['bucket'] ?? '')).status).toBe(403)
      expect((await send('GET', `${client.base}/records/${made.id}/files`)).status).toBe(403)
    },
  )

  it('that name no day of an embargo keep it from being published by any interface', async () => {
    const made = await client.createWithFile({ access_right: 'embargoed', embargo_date: '2999' })
    expect(made.metadata).toMatchObject({ access_right: 'embargoed', embargo_date: '2999' })
    const refused = await client.act(made, 'publish')
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { errors: [{ field: 'metadata.embargo_date' }] },
    ])
    const { id } = await client.ownOf(made)
    expect((await daemon.as('ada').post(`/deposits/${id}/actions/publish`)).status).toBe(400)
    expect((await send('GET', `${client.base}/records/${made.id}`)).status).toBe(404)
  })

  it('open the files by access_right alone, not by leaving it out', async () => {
    const made = await client.createWithFile({ access_right: 'restricted' })
    const update = async (metadata: object): Promise<unknown> => {
      const json = { metadata }
      await client.ask('PUT', made.links['self'] ?? '', { json })
      const { id } = await client.ownOf(made)
      return new Map(Object.entries((await daemon.as('ada').show({ id })).metadata)).get('access')
    }
    expect(await update({ title: 'Alone' })).toEqual({ files: 'restricted' })
    expect(await update({ title: 'Alone', access_right: 'open' })).toBeUndefined()
  })

  it.each([
    [{ creators: 'Ada' }, 'metadata.creators'],
    [{ creators: [{ affiliation: 'x' }] }, 'metadata.creators.0.name'],
    [{ creators: [null] }, 'metadata.creators.0'],
    [{ related_identifiers: [{ identifier: 5 }] }, 'metadata.related_identifiers.0.relation'],
    [{ related_identifiers: { a: 1 } }, 'metadata.related_identifiers'],
    [{ license: ['nolicense'] }, 'metadata.license.0'],
    [{ license: 'nolicense' }, 'metadata.license'],
    [{ language: 'english' }, 'metadata.language'],
    [{ doi: 'abc' }, 'metadata.doi'],
    [{ contributors: [{ name: 'A', type: 'Boss' }] }, 'metadata.contributors.0.type'],
    [{ creators: [{ name: 'A', orcid: '1234' }] }, 'metadata.creators.0.orcid'],
    [{ license: { title: 'x' } }, 'metadata.license.id'],
    [{ communities: ['tides'] }, 'metadata.communities.0'],
    [{ upload_type: 'book' }, 'metadata.upload_type'],
    [{ access_right: 'secret' }, 'metadata.access_right'],
    [{ publication_date: 'yesterday' }, 'metadata.publication_date'],
    [{ title: 5 }, 'metadata.title'],
  ])('%j are refused with the field', async (wrong, field) => {
    const reply = await client.ask('POST', '/deposit/depositions', { json: { metadata: wrong } })

    expect([reply.status, reply.body]).toMatchObject([
      400,
      {
        status: 400,
        message: 'Validation error.',
        errors: expect.arrayContaining([expect.objectContaining({ field })]) as unknown,
      },
    ])
  })

  it.each(['cc-by', 'other-open', 'cc-zero', 'mit-license', 'cc-by-4.0'])(
    'name a license as Zenodo does: %s',
    async (license) => {
      const made = await client.createWithFile({ license })
      expect(made.metadata).toMatchObject({ license })
      const { metadata: shown, id } = await client.publish(made)
      expect(shown).toMatchObject({ license })
      const record = bodyOf(await send('GET', `${client.base}/records/${id}`), 200)
      expect(record).toMatchObject({ metadata: { license: { id: license } } })
    },
  )

  it('take a list of licenses, and a language of two letters', async () => {
    const made = await client.create({ license: ['cc-by'], language: 'en' })
    expect(made.metadata).toMatchObject({ license: ['cc-by'], language: 'en' })
    expect((await client.ownOf(made)).metadata).toMatchObject({ license: 'cc-by', language: 'en' })
  })

  it.each(['publication', 'image'])('of a %s without a kind get none', async (upload_type) => {
    const { publication_type: _, ...others } = zenodoMetadata
    const json = { metadata: { ...others, upload_type } }
    const reply = await client.ask('POST', '/deposit/depositions', { json })
    const made = bodyOf<Deposition>(reply, 201)
    expect(made.metadata).not.toHaveProperty(`${upload_type}_type`)
    await client.ask('PUT', `${made.links['bucket']}/a.csv`, { body: '1' })
    const refused = await client.act(made, 'publish')
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { errors: [{ field: `metadata.${upload_type}_type` }] },
    ])
  })

  it('of a published deposition keep their DOI', async () => {
    const made = await client.createWithFile({ doi: '10.1234/own' })
    await client.publish(made)
    bodyOf(await client.act(made, 'edit'), 201)
    const put = (doi?: string) => {
      const metadata = { ...zenodoMetadata, title: 'New', ...(doi && { doi }) }
      return client.follow('PUT', made, 'self', { json: { metadata } })
    }
    expect((await put('10.1234/other')).status).toBe(400)
    bodyOf(await put('10.1234/own'), 200)
    bodyOf(await put(), 200)
    expect(await client.publish(made)).toMatchObject({
      title: 'New',
      metadata: { doi: '10.1234/own' },
    })
  })

  it('with a reserved name are refused by their path', async () => {
    const body = '{"metadata":{"__proto__":{"x":1}}}'
    const headers = { 'content-type': 'application/json' }
    const reply = await client.ask('POST', '/deposit/depositions', { body, headers })
    expect([reply.status, reply.body]).toMatchObject([
      400,
      { errors: [{ field: 'metadata.__proto__' }] },
    ])
  })

  it('that are no object, or beside unknown fields, are refused', async () => {
    for (const json of [
      { metadata: [] },
      { metadata: 'x' },
      { title: 'x' },
      { metadata: {}, x: 1 },
      [],
      'x',
    ]) {
      const reply = await client.ask('POST', '/deposit/depositions', { json })
      expect([json, reply.status]).toEqual([json, 400])
    }
  })

  it('and files can be sent at the same time', async () => {
    const made = await client.create()
    const { links } = made
    const uploads = Array.from({ length: 10 }, (_, n) =>
      client.ask('PUT', `${links['bucket']}/${n}.csv`, { body: String(n) }),
    )
    const json = { metadata: { title: 'At once' } }
    const updates = uploads.map(() => client.follow('PUT', made, 'self', { json }))

    const replies = await Promise.all([...uploads, ...updates])
    expect(replies.map(({ status }) => status)).toEqual([
      ...uploads.map(() => 201),
      ...updates.map(() => 200),
    ])
  })

  it('with a fault in each of many items are refused in a short answer', async () => {
    const keywords = Array.from({ length: 100_000 }, () => 1)
    const headers = {
      authorization: (await daemon.as('ada').authorization())['authorization'] ?? '',
    }
    const url = `${daemon.origin}/zenodo/api/deposit/depositions`
    const refused = await send('POST', url, { headers, json: { metadata: { keywords } } })

    expect(refused.status).toBe(400)
    expect(refused.bytes.length).toBeLessThan(20_000)
  })

  it('of any shape are taken or refused, and shown again', async () => {
    const names =
      `title creators contributors license related_identifiers communities grants subjects dates
      locations keywords references access_right embargo_date upload_type publication_type
      publication_date doi custom zenodo access prereserve_doi notes language`.split(/\s+/)
    const ofObjects = 'name identifier relation id type scheme term place lat start'.split(' ')
    const objects = fc.dictionary(fc.constantFrom(...ofObjects), fc.jsonValue({ maxDepth: 1 }))
    const shapes = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.array(objects), fc.string())
    const any = fc.dictionary(fc.constantFrom(...names), shapes, { maxKeys: 5 })

    await fc.assert(
      fc.asyncProperty(any, async (metadata) => {
        const made = await client.ask('POST', '/deposit/depositions', { json: { metadata } })
        expect(made.status).toBeOneOf([201, 400])
        if (made.status === 400) return
        const { metadata: shown } = made.body as Deposition
        const json = { metadata: shown }
        const again = await client.follow('PUT', made.body as Deposition, 'self', { json })
        expect([again.status, again.body]).toMatchObject([200, { metadata: shown }])
      }),
      { numRuns: Number(process.env['DEPOSIT_TEST_RUNS'] ?? 200) },
    )
  })
})

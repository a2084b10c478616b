import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeScope } from '../../core/contract/scopes.ts'
import { bodyOf, send, type Sent } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { ZenodoClient, zenodoMetadata, type Deposition } from '../support/zenodo-client.ts'

let daemon: TestDaemon
let client: ZenodoClient
let token: string
beforeAll(async () => {
  daemon = await testDaemon()
  client = new ZenodoClient(daemon)
  const { authorization = '' } = await daemon.as('ada').authorization()
  token = authorization.replace('Bearer ', '')
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe('a token', () => {
  it.each([
    ['Bearer TOKEN', () => ({ authorization: `Bearer ${token}` }), ''],
    ['Bearer:TOKEN', () => ({ authorization: `Bearer:${token}` }), ''],
    ['a parameter', () => ({}), 'access_token'],
  ])('comes as %s', async (_, headers, parameter) => {
    const query = parameter === '' ? '' : `?${parameter}=${token}`
    const reply = await send('GET', `${client.base}/deposit/depositions${query}`, {
      headers: headers(),
    })

    expect(reply.status).toBe(200)
    expect(JSON.stringify([reply.body, [...reply.headers]])).not.toContain(token)
  })

  it('that is wrong is told in the words of Zenodo', async () => {
    for (const url of [
      `${client.base}/deposit/depositions`,
      `${client.base}/deposit/depositions?access_token=x`,
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
    const made = await client.createWithFile()

    expect((await writer.send('POST', made.links['publish'] ?? '')).status).toBe(403)
  })
})

describe('files', () => {
  const md5 = createHash('md5').update('1,2\n').digest('hex')

  it('are added, read, renamed, sorted and deleted by the form API', async () => {
    const made = await client.create()
    const { files: url = '' } = made.links
    const form = (name: string): Sent => {
      const body = new FormData()
      body.set('name', name)
      body.set('file', new Blob(['1,2\n']), 'other.csv')
      return { body }
    }
    const added = bodyOf<{ readonly id: string }>(
      await client.ask('POST', url, form('a b.csv')),
      201,
    )
    expect(added).toMatchObject({ filename: 'a b.csv', filesize: 4, checksum: md5 })
    expect((await client.ask('POST', url, form('a b.csv'))).status).toBe(400)
    expect(bodyOf(await client.ask('GET', `${url}/${added.id}`), 200)).toEqual(added)

    expect(
      (await client.ask('PUT', `${url}/${added.id}`, { json: { name: 'c.csv' } })).status,
    ).toBe(400)
    const renamed = await client.ask('PUT', `${url}/${added.id}`, { json: { filename: 'c.csv' } })
    expect(bodyOf(renamed, 200)).toMatchObject({ id: added.id, filename: 'c.csv' })
    expect((await client.ask('PUT', url, { json: [{ filename: 'c.csv' }] })).status).toBe(400)

    expect((await client.ask('DELETE', `${url}/${added.id}`)).status).toBe(204)
    expect((await client.ask('GET', `${url}/${added.id}`)).status).toBe(404)
    expect(bodyOf(await client.ask('GET', url), 200)).toEqual([])
  })

  it('of a bucket have sums, and are read back', async () => {
    const made = await client.create()
    const address = `${made.links['bucket']}/f%C3%BCr%20dich.csv`
    const stored = await client.ask('PUT', address, { body: '1,2\n' })
    expect(bodyOf(stored, 201)).toMatchObject({
      key: 'für dich.csv',
      checksum: `md5:${md5}`,
      links: { self: address },
    })

    expect((await client.ask('GET', address)).bytes.toString()).toBe('1,2\n')
    expect(bodyOf(await client.ask('GET', made.links['bucket'] ?? ''), 200)).toMatchObject({
      contents: [{ key: 'für dich.csv', size: 4 }],
    })
  })

  it('have no folders', async () => {
    const made = await client.create()
    const put = await client.ask('PUT', `${made.links['bucket']}/a/b.csv`, { body: 'x' })
    expect(put.status).toBe(400)
    const body = new FormData()
    body.set('name', '../../etc/x')
    body.set('file', new Blob(['1']), 'x')
    const added = await client.follow('POST', made, 'files', { body })
    expect(bodyOf(added, 201)).toMatchObject({ filename: 'etc_x' })
    const bucket = bodyOf(await client.ask('GET', made.links['bucket'] ?? ''), 200)
    expect(JSON.stringify(bucket)).not.toContain('uploads')
  })

  it('sent by our own interface get their MD5 where it is asked for', async () => {
    const made = await client.create()
    const own = await client.ownOf(made)
    bodyOf(await client.ask('PUT', `${own.links['bucket']}/a.csv`, { body: '1,2\n' }), 201)

    const shown = bodyOf<Deposition>(await client.ask('GET', made.links['self'] ?? ''), 200)
    expect(shown.files).toMatchObject([{ filename: 'a.csv', checksum: md5 }])
    const [listed] = bodyOf<readonly Deposition[]>(
      await client.ask('GET', '/deposit/depositions?size=1'),
      200,
    )
    expect(listed?.files).toMatchObject([{ checksum: md5 }])
  })

  it('of a published deposition are frozen, and public', async () => {
    const made = await client.createWithFile()
    await client.publish(made)
    const { bucket } = made.links

    expect((await client.ask('PUT', `${bucket}/a.csv`, { body: 'x' })).status).toBe(403)
    expect((await send('GET', `${bucket}/a.csv`)).bytes.toString()).toBe('1,2\n')
    const record = bodyOf<{
      readonly files: readonly { readonly links: { readonly self: string } }[]
    }>(await send('GET', `${client.base}/records/${made.id}`), 200)
    expect((await send('GET', record.files[0]?.links.self ?? '')).bytes.toString()).toBe('1,2\n')
    expect(bodyOf(await send('GET', `${client.base}/records/${made.id}/files`), 200)).toMatchObject(
      {
        entries: [{ key: 'a.csv', checksum: `md5:${md5}` }],
      },
    )
  })
})

describe('states', () => {
  it('refuse what Zenodo refuses', async () => {
    const made = await client.createWithFile()
    for (const name of ['edit', 'discard', 'newversion', 'registerconceptdoi']) {
      expect([name, (await client.act(made, name)).status]).toEqual([name, 403])
    }
    await client.publish(made)
    expect((await client.act(made, 'publish')).status).toBe(403)
    expect(
      (await client.ask('PUT', made.links['self'] ?? '', { json: { metadata: zenodoMetadata } }))
        .status,
    ).toBe(403)
    expect((await client.ask('DELETE', made.links['self'] ?? '')).status).toBe(403)
  })

  it('hide drafts from others, and tell of what is gone', async () => {
    const made = await client.create()
    const { self = '' } = made.links
    expect((await daemon.as('bob').get(self)).status).toBe(403)
    expect((await daemon.visitor.get(self)).status).toBe(401)
    expect((await client.ask('DELETE', self)).status).toBe(204)
    expect((await client.ask('GET', self)).status).toBe(410)
    for (const id of ['0', '1', 'x', String(made.id + 999), made.conceptrecid]) {
      expect([id, (await client.ask('GET', `/deposit/depositions/${id}`)).status]).toEqual([
        id,
        404,
      ])
    }
  })

  it('lead from the concept to the newest record', async () => {
    const made = await client.createWithFile()
    await client.publish(made)
    const next = bodyOf<Deposition>(await client.act(made, 'newversion'), 201)
    const same = await client.act(next, 'publish')
    expect([same.status, same.bytes.toString()]).toEqual([
      400,
      expect.stringContaining('must differ from all previous versions'),
    ])
    bodyOf(await client.ask('PUT', `${next.links['bucket']}/a.csv`, { body: '3,4\n' }), 201)
    const newest = await client.publish(next)

    const { headers, status } = await send('GET', `${client.base}/records/${made.conceptrecid}`)
    expect([status, headers.get('location')]).toEqual([302, `${client.base}/records/${newest.id}`])
    expect(bodyOf(await send('GET', `${client.base}/records/${made.id}`), 200)).toMatchObject({
      links: { latest: `${client.base}/records/${newest.id}` },
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
    const list = `${client.base}/deposit/depositions/?access_token=${secret}`

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
    expect((await send('GET', `${list}&status=x`)).status).toBe(400)
  })
})

describe('the interface', () => {
  const address = 'https://deposit.example.org'
  const isOn = async (env: Readonly<Record<string, string>>): Promise<boolean> => {
    await using other = await testDaemon({ env })
    const { status } = await send('GET', `${other.origin}/zenodo/api/deposit/depositions`)
    expect(status).toBeOneOf([401, 404])
    return status === 401
  }

  it('is on where only this machine is served, and DEPOSIT_FOREIGN_APIS decides', async () => {
    expect(await isOn({})).toBe(true)
    expect(await isOn({ DEPOSIT_FOREIGN_APIS: 'none' })).toBe(false)
    expect(await isOn({ DEPOSIT_PUBLIC_URL: address })).toBe(false)
    expect(await isOn({ DEPOSIT_PUBLIC_URL: address, DEPOSIT_FOREIGN_APIS: 'zenodo' })).toBe(true)
  })
})

describe('a search of records', () => {
  it('finds the newest versions of what was published, a page at a time', async () => {
    const word = `sluice${Date.now()}`
    const drafts = [await client.createWithFile({ title: `${word} open` })]
    for (const title of ['one', 'two'])
      drafts.push(await client.createWithFile({ title: `${word} ${title}` }))
    for (const made of drafts.slice(1)) bodyOf(await client.act(made, 'publish'), 202)

    const url = `${client.base}/records?q=${word}&size=1&sort=mostrecent`
    const first = bodyOf<RecordList>(await client.ask('GET', url), 200)
    expect(first.hits.total).toBe(2)
    const second = bodyOf<RecordList>(await client.ask('GET', first.links['next'] ?? ''), 200)
    const found = [...first.hits.hits, ...second.hits.hits]
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(drafts.slice(1).map(({ id }) => id)))
    expect(found.map(({ files }) => files.map(({ key }) => key))).toEqual([['a.csv'], ['a.csv']])
    expect(second.links).not.toHaveProperty('next')
  })

  it('with a query that cannot be read is refused', async () => {
    const { status, body } = await client.ask('GET', '/records?q=a:(')
    expect([status, body]).toMatchObject([400, { status: 400 }])
  })
})

interface RecordList {
  readonly hits: {
    readonly total: number
    readonly hits: readonly {
      readonly id: number
      readonly files: readonly { readonly key: string }[]
    }[]
  }
  readonly links: Readonly<Record<string, string>>
}

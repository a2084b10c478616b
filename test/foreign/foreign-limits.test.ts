import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeposits, createFiles, createMd5Sums, toFileKey } from '../../core/index.ts'
import { fromHtml } from '../../core/contract/html-text.ts'
import { affiliationsOf } from '../../core/contract/foreign-values.ts'
import { splitName } from '../../core/contract/person-names.ts'
import { fromZenodo } from '../../core/contract/zenodo-metadata.ts'
import { stillTrue } from '../../daemon/foreign/kept-fields.ts'
import { coreParts, owner } from '../support/core-parts.ts'
import { bodyOf, send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { trailOf } from '../support/trail.ts'
import { ZenodoClient, zenodoMetadata, type Deposition } from '../support/zenodo-client.ts'

let daemon: TestDaemon
let client: ZenodoClient
beforeAll(async () => {
  daemon = await testDaemon()
  client = new ZenodoClient(daemon)
})
afterAll(() => daemon[Symbol.asyncDispose]())

interface Told {
  readonly errors: readonly { readonly field: string; readonly message: string }[]
}

describe('metadata of other services', () => {
  it('are read once, however many fields are kept beside them', () => {
    const written = { creators: Array.from({ length: 300 }, (_, n) => ({ name: `A${n}, B` })) }
    const kept = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`f${n}`, 'x']))
    let read = 0
    const shown = stillTrue(kept, written, (metadata) => {
      read += JSON.stringify(metadata).length
      return fromZenodo(metadata)
    })

    expect(shown).toEqual(kept)
    expect(read).toBeLessThan(4 * JSON.stringify([written, kept]).length)
  })

  it('keep two hundred unknown fields, and refuse more', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'x']))
    const made = await client.create(fields(190))
    expect(made.metadata).toMatchObject(fields(190))

    const json = { metadata: { ...zenodoMetadata, ...fields(210) } }
    const refused = await client.ask('POST', '/deposit/depositions', { json })
    expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ field: 'metadata' }] }])
    const rdm = { json: { metadata: { title: 'x', ...fields(210) } } }
    const other = await daemon.as('ada').send('POST', `${daemon.origin}/rdm/api/records`, rdm)
    expect(other.status).toBe(400)
  })

  it('show the first of the fields that another interface has stored without a limit', async () => {
    const zenodo = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, 'x']))
    await daemon.as('ada').createDraft({ title: 'Stored', zenodo })
    const listed = await client.ask('GET', '/deposit/depositions?size=1&q=Stored')
    const [shown] = bodyOf<readonly Deposition[]>(listed, 200)
    expect(Object.keys(shown?.metadata ?? {}).length).toBeLessThan(220)
  })

  it('have texts with long blanks, which are read as fast as others', () => {
    const blanks = ' '.repeat(400_000)
    expect(splitName(`Lovelace${blanks}x`, true)).toMatchObject({ family: undefined })
    expect(affiliationsOf(`a${blanks}b; c`)).toEqual([`a${blanks}b`, 'c'])
    expect(fromHtml(`<p>a${blanks}b</p>`)).toBe(`a${blanks}b`)
    expect(fromHtml('<p>a \n b</p>')).toBe('a b')
  })

  it('have a hundred faults at most', async () => {
    const json = { metadata: { keywords: Array.from({ length: 50_000 }, () => 1) } }
    const { status, body } = await client.ask('POST', '/deposit/depositions', { json })
    expect([status, (body as Told).errors.length]).toEqual([400, 100])

    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, 1]))
    const other = await client.ask('POST', '/deposit/depositions', { json: unknown })
    expect([other.status, (other.body as Told).errors.length]).toEqual([400, 100])
  })
})

describe('sums of files', () => {
  it('are kept in one unit of work for many files', async () => {
    await using stack = new AsyncDisposableStack()
    const parts = await coreParts(stack)
    const files = createFiles(parts)
    const { id } = await createDeposits(parts).create(owner, { title: 'Many' })
    for (let n = 0; n < 30; n += 1) {
      const request = { caller: owner, id }
      await using staged = await files.stage(request, Readable.from([Buffer.from(`${n}`)]), {})
      await files.add(request, toFileKey(`${n}.txt`), staged)
    }
    const deposit = await createDeposits(parts).get(owner, id)
    const listed = await files.list(deposit)
    const write = parts.database.write.bind(parts.database)
    let units = 0
    const counting: typeof write = (work) => {
      units += 1
      return write(work)
    }
    const database = { read: parts.database.read, write: counting }
    const sums = createMd5Sums({ ...parts, database: { ...parts.database, ...database } })

    const all = await sums.ofAll(listed.map(({ latest }) => latest))
    expect([units, new Set(all).size]).toEqual([1, 30])
    expect((await files.list(deposit)).map(({ latest }) => sums.known(latest))).toEqual(all)
  })

  it('are in no list of records where they are not known: no list reads files', async () => {
    const ada = daemon.as('ada')
    const draft = await ada.createDraft({ ...complete, title: 'Sumless' })
    bodyOf(await ada.putObject(draft, 'a.csv', '1,2\n'), 201)
    await ada.publish(draft)

    const list = `${daemon.origin}/rdm/api/records?q=Sumless`
    for (let asked = 0; asked < 2; asked += 1) {
      const { hits } = bodyOf<Hits>(await send('GET', list), 200)
      expect(hits.hits[0]?.files.entries['a.csv']).toMatchObject({ size: 4 })
      expect(hits.hits[0]?.files.entries['a.csv']).not.toHaveProperty('checksum')
    }
    const record = `${daemon.origin}/rdm/api/records/${(await first(list)).id}`
    const shown = bodyOf<Hits['hits']['hits'][number]>(await send('GET', record), 200)
    expect(shown.files.entries['a.csv']).toHaveProperty('checksum')
  })

  it('come with a hundred files of each record in a list, and all of one alone', async () => {
    const made = await client.create({ title: 'Hundreds' })
    for (let n = 0; n < 102; n += 1)
      bodyOf(await client.ask('PUT', `${made.links['bucket']}/${n}.csv`, { body: String(n) }), 201)
    await client.ask('PUT', `${made.links['bucket']}/x`, { body: 'x' })
    const one = bodyOf<Deposition>(await client.ask('GET', made.links['self'] ?? ''), 200)
    const list = await client.ask('GET', '/deposit/depositions?q=Hundreds')
    const [listed] = bodyOf<readonly Deposition[]>(list, 200)
    expect([one.files.length, listed?.files.length]).toEqual([103, 100])
  })
})

describe('a request', () => {
  it('changes nothing where If-Match names another revision', async () => {
    const made = await client.createWithFile()
    const headers = { 'if-match': '"77"' }
    const json = { metadata: { ...zenodoMetadata, title: 'Other' } }
    const rdm = `${daemon.origin}/rdm/api/records/${made.id}/draft`
    const ada = daemon.as('ada')
    const replies = [
      await client.follow('PUT', made, 'self', { json, headers }),
      await client.follow('POST', made, 'publish', { headers }),
      await client.ask('PUT', `${made.links['bucket']}/b.csv`, { body: 'x', headers }),
      await client.ask('DELETE', `${made.links['bucket']}/a.csv`, { headers }),
      await client.follow('DELETE', made, 'self', { headers }),
      await ada.send('PUT', rdm, { json: { metadata: { title: 'x' } }, headers }),
      await ada.send('DELETE', rdm, { headers }),
    ]
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 412))
    const shown = bodyOf<Deposition>(await client.follow('GET', made, 'self'), 200)
    expect(shown).toMatchObject({ title: 'Water levels', files: [{ filename: 'a.csv' }] })
  })

  it('with an Idempotency-Key is done once', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const json = { metadata: zenodoMetadata }
    const create = () => client.ask('POST', '/deposit/depositions', { json, headers })
    const [one, two] = [bodyOf<Deposition>(await create(), 201), bodyOf(await create(), 201)]
    expect(two).toMatchObject({ id: one.id })

    const key = { 'idempotency-key': crypto.randomUUID() }
    const add = () => {
      const body = new FormData()
      body.set('file', new Blob(['1']), 'a.csv')
      return client.follow('POST', one, 'files', { body, headers: key })
    }
    expect(bodyOf(await add(), 201)).toEqual(bodyOf(await add(), 201))
    const publishing = { headers: { 'idempotency-key': crypto.randomUUID() } }
    bodyOf(await client.follow('POST', one, 'publish', publishing), 202)
    bodyOf(await client.follow('POST', one, 'publish', publishing), 202)

    const records = `${daemon.origin}/rdm/api/records`
    const rdm = { json: { metadata: { title: 'x' } }, headers: { 'idempotency-key': 'rdm-key-1' } }
    const made = async () =>
      bodyOf<{ id: string }>(await daemon.as('ada').send('POST', records, rdm), 201)
    expect((await made()).id).toBe((await made()).id)
  })

  it('with a token in its address is answered for no cache, and its token is in no entry of the audit trail', async () => {
    const { authorization = '' } = await daemon.as('ada').authorization()
    const token = authorization.replace('Bearer ', '')
    const url = `${client.base}/deposit/depositions`
    const { headers } = await send('GET', `${url}?access_token=${token}`)
    expect(headers.get('cache-control')).toBe('private, no-store')

    for (const query of [token, `access_token%3D${token}`, `${token}=x`, `${token}=`])
      await send('POST', `${url}?${query}`)
    const all = JSON.stringify(await trailOf(daemon))
    expect(all).toContain('depositions')
    expect(all).not.toContain(token)
  })

  it('for a version of either interface does not empty the draft that another has begun', async () => {
    const made = await client.createWithFile()
    await client.publish(made)
    const versions = `${daemon.origin}/rdm/api/records/${made.id}/versions`
    const [zenodo] = await Promise.all([
      client.act(made, 'newversion'),
      daemon.as('ada').send('POST', versions),
      daemon.as('ada').send('POST', versions),
    ])
    const next = bodyOf<Deposition>(zenodo, 201)
    const now = bodyOf<Deposition>(await client.follow('GET', next, 'self'), 200)
    expect(now.files).toEqual(next.files)
  })
})

const complete = {
  description: 'd',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  creators: [{ name: 'A, B' }],
}

interface Hits {
  readonly hits: {
    readonly hits: readonly {
      readonly id: string
      readonly files: { readonly entries: Readonly<Record<string, object>> }
    }[]
  }
}

async function first(list: string): Promise<{ readonly id: string }> {
  const { hits } = bodyOf<Hits>(await send('GET', list), 200)
  const [found] = hits.hits
  if (!found) throw new Error('nothing was found')
  return found
}

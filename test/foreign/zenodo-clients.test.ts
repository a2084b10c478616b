import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import Zenodo, { type Deposition } from 'zenodo'
import {
  createDeposition,
  createEmptyDeposition,
  depositionIsUnsubmitted,
  getDeposition,
  getRecord,
  publishDeposition,
  unlockDeposition,
  updateDeposition,
  uploadFile,
  type DepositMetadata,
} from 'zenodo-ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

let daemon: TestDaemon
let token: string
beforeAll(async () => {
  daemon = await testDaemon()
  const { authorization = '' } = await daemon.as('ada').authorization()
  token = authorization.replace('Bearer ', '')
})
afterAll(() => daemon[Symbol.asyncDispose]())

const metadata = {
  upload_type: 'dataset',
  title: 'Water levels',
  description: 'Levels of the Elbe.',
  creators: [{ name: 'Lovelace, Ada', affiliation: 'Analytical Engines' }],
  license: 'cc-by-4.0',
} as const

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

describe('the npm package zenodo', () => {
  let client: Zenodo
  beforeAll(() => {
    const { host } = new URL(daemon.origin)
    client = new Zenodo({ protocol: 'http', host, pathPrefix: '/zenodo/api/', token })
  })

  async function createWithFile(): Promise<Deposition> {
    const { data: made } = await client.depositions.create({ metadata })
    const data = Buffer.from('1,2\n')
    await client.files.upload({ deposition: made, filename: 'levels.csv', data })
    return made
  }

  it('makes, fills and publishes a deposition', async () => {
    const { status, data: made } = await client.depositions.create({ metadata })
    expect(status).toBe(201)
    expect(made).toMatchObject({ state: 'unsubmitted', submitted: false, title: 'Water levels' })
    expect(made.conceptrecid).toBe(String(made.id - 1))
    expect(made.metadata).toMatchObject(metadata)

    const data = Buffer.from('1,2\n')
    const stored = await client.files.upload({ deposition: made, filename: 'levels.csv', data })
    expect(stored.data).toMatchObject({
      key: 'levels.csv',
      size: 4,
      checksum: `md5:${md5('1,2\n')}`,
    })

    const { data: files } = await client.depositions.files(made)
    expect(files).toMatchObject([{ filename: 'levels.csv', filesize: 4, checksum: md5('1,2\n') }])

    const published = await client.depositions.publish(made)
    expect(published.status).toBe(202)
    expect(published.data).toMatchObject({
      id: made.id,
      state: 'done',
      submitted: true,
      doi: `10.5072/zenodo.${made.id}`,
    })
    const { data: found } = await client.depositions.retrieve(made)
    expect(found.metadata).toMatchObject({ ...metadata, doi: `10.5072/zenodo.${made.id}` })
  })

  it('takes what was answered back as an update', async () => {
    const { data: made } = await client.depositions.create({ metadata })
    const changed = { ...made.metadata, title: 'Levels' }

    const { status, data } = await client.depositions.update({ id: made.id, metadata: changed })

    expect(status).toBe(200)
    expect(data.metadata).toEqual(changed)
  })

  it('opens an edit once, and discards it', async () => {
    const made = await createWithFile()
    await client.depositions.publish(made)

    const edited = await client.depositions.edit(made)
    expect(edited.status).toBe(201)
    expect(edited.data).toMatchObject({ state: 'inprogress', submitted: true })
    await expect(client.depositions.edit(made)).rejects.toMatchObject({ response: { status: 403 } })

    const discarded = await client.depositions.discard(made)
    expect(discarded.status).toBe(201)
    expect(discarded.data.state).toBe('done')
  })

  it('opens one draft of the next version, with the files', async () => {
    const made = await createWithFile()
    await client.depositions.publish(made)

    const { status, data: next } = await client.depositions.newversion(made)
    expect(status).toBe(201)
    expect(next.id).not.toBe(made.id)
    expect(next.conceptrecid).toBe(made.conceptrecid)
    expect(next.links['latest_draft']).toBe(next.links['self'])
    expect(next.files.map(({ filename }) => filename)).toEqual(['levels.csv'])

    const again = await client.depositions.newversion(made)
    expect(again.data.id).toBe(next.id)
    const first = await client.depositions.retrieve(made)
    expect(first.data.links['latest_draft']).toBe(next.links['self'])
  })

  it('lists, sorts and deletes', async () => {
    const { data: made } = await client.depositions.create({ metadata })
    for (const filename of ['a.csv', 'b.csv']) {
      await client.files.upload({ deposition: made, filename, data: Buffer.from(filename) })
    }
    const { data: files } = await client.depositions.files(made)
    const data = files.toReversed().map(({ id }) => ({ id }))
    const { data: sorted } = await client.depositions.sort({ id: made.id, data })
    expect(sorted.map(({ filename }) => filename)).toEqual(['b.csv', 'a.csv'])

    const { data: stored } = await client.files.upload({
      deposition: made,
      filename: 'a.csv',
      data: Buffer.from('new'),
    })
    const versionId = stored.version_id
    await client.files.delete({ deposition: made, filename: 'a.csv', versionId })
    const { data: listed } = await client.depositions.list({ status: 'draft', size: 3, q: '' })
    expect(listed[0]).toMatchObject({ id: made.id, files: [{ filename: 'b.csv' }] })

    expect((await client.depositions.delete(made)).status).toBe(204)
    await expect(client.depositions.retrieve(made)).rejects.toMatchObject({
      response: { status: 410 },
    })
  })

  it('is told what keeps a deposition from being published', async () => {
    const { data: made } = await client.depositions.create()

    await expect(client.depositions.publish(made)).rejects.toMatchObject({
      response: {
        status: 400,
        data: {
          status: 400,
          message: 'Validation error.',
          errors: expect.arrayContaining([
            { field: null, message: 'Minimum one file must be provided.', code: 10 },
            { field: 'metadata.title', message: 'Missing data for required field.' },
          ]) as unknown,
        },
      },
    })
  })

  it('shows the deposits of our own interface, and they show its own', async () => {
    const made = await createWithFile()
    const own = daemon.as('ada')
    const { body } = await own.get('/deposits/?size=1')
    const [deposit] = (body as { readonly hits: { readonly hits: readonly DepositBody[] } }).hits
      .hits
    expect(deposit?.metadata).toMatchObject({
      title: 'Water levels',
      resource_type: 'dataset',
      license: 'CC-BY-4.0',
      creators: [{ name: 'Lovelace, Ada', affiliation: ['Analytical Engines'] }],
    })

    bodyOf(
      await own.patch(`/deposits/${deposit?.id}`, [
        { op: 'replace', path: '/title', value: 'Ours' },
      ]),
      200,
    )
    expect((await client.depositions.retrieve(made)).data.title).toBe('Ours')
  })
})

describe('the npm package zenodo-ts, which takes a host alone', () => {
  interface Env {
    readonly fetch: typeof fetch
    readonly zenodoApiKey: string
    readonly zenodoUrl: URL
  }
  /** What the client is written in: a computation with an environment, which may fail. */
  type Task<Value> = (
    env: Env,
  ) => () => Promise<
    | { readonly _tag: 'Left'; readonly left: unknown }
    | { readonly _tag: 'Right'; readonly right: Value }
  >

  async function done<Value>(task: Task<Value>): Promise<Value> {
    const env = { fetch, zenodoApiKey: token, zenodoUrl: new URL(daemon.origin) }
    const outcome = await task(env)()
    if (outcome._tag === 'Right') return outcome.right
    throw new Error(JSON.stringify(outcome.left))
  }

  const deposit: DepositMetadata = {
    ...metadata,
    creators: [{ name: 'Lovelace, Ada' }],
    keywords: ['tides'],
    related_identifiers: [{ scheme: 'doi', identifier: '10.1234/abc', relation: 'isSupplementTo' }],
    subjects: [{ term: 'Tides', identifier: 'https://example.org/tides', scheme: 'url' }],
  }

  it('makes a deposition, uploads, publishes, edits and reads the record', async () => {
    const empty = await done(createEmptyDeposition())
    const filled = await done(updateDeposition(deposit, empty))
    if (!depositionIsUnsubmitted(filled)) throw new Error('it was published')
    await done(uploadFile({ name: 'levels.csv', content: '1,2\n' })(filled))

    const published = await done(publishDeposition(filled))
    expect(published.metadata.doi).toBe(`10.5072/zenodo.${empty.id}`)
    const { upload_type: type, ...same } = deposit
    expect(await done(getRecord(empty.id))).toMatchObject({
      id: empty.id,
      conceptrecid: empty.id - 1,
      metadata: { ...same, resource_type: { type }, license: { id: 'cc-by-4.0' } },
      files: [{ key: 'levels.csv', size: 4 }],
    })

    const open = await done(unlockDeposition(published))
    expect(open.state).toBe('inprogress')
    expect(await done(getDeposition(empty.id))).toMatchObject({ state: 'inprogress' })
  })

  it('makes a deposition with its metadata', async () => {
    const made = await done(createDeposition(deposit))

    expect(made).toMatchObject({ state: 'unsubmitted', metadata: deposit })
  })
})

import { afterAll, describe, expect, it } from 'vitest'
import type {
  DepositBody,
  ProblemBody,
  RecordBody,
  RehearsalBody,
  SearchBody,
} from '../../core/contract/schemas.ts'
import { refusals } from '../../core/contract/refusals.ts'
import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const { origin, visitor } = daemon
const ada = daemon.as('ada')
const admin = daemon.as('root', { admin: true })

interface Published {
  readonly deposit: DepositBody
  readonly record: RecordBody
}

async function publish(title: string): Promise<Published> {
  const draft = await ada.createDraftWith('secret name.csv')
  await ada.put(`/deposits/${draft.id}`, { title, creators: [{ name: 'Lovelace, Ada' }] })
  const deposit = await ada.publish(draft)
  return { deposit, record: await ada.record(deposit) }
}

const withdraw = (user: User, { id }: Pick<DepositBody, 'id'>, body: object) =>
  user.post(`/deposits/${id}/actions/withdraw`, { json: body })

/** The request was refused, for this reason. */
function expectCode(reply: Reply, code: ProblemCode): void {
  expect(bodyOf<ProblemBody>(reply, problems[code].status).code).toBe(code)
}

const found = async (query: string): Promise<readonly string[]> => {
  const { hits } = bodyOf<SearchBody>(await visitor.get(`/records/?q=${query}`), 200)
  return hits.hits.map(({ id }) => id)
}

describe('A record that is withdrawn', () => {
  it('leaves a tombstone that says what it was, by whom, when and why it was withdrawn', async () => {
    const { deposit, record } = await publish('Wrong levels')
    const other = await publish('Right levels')
    const asked = { reason: 'retracted', note: 'See the other one.', replaced_by: other.record.id }

    const withdrawn = bodyOf<DepositBody>(await withdraw(ada, deposit, asked), 202)

    expect(withdrawn.withdrawn).toMatchObject({
      reason: 'retracted',
      by: 'owner',
      bytes_destroyed: false,
    })
    const told = bodyOf<ProblemBody>(await visitor.get(`/records/${record.id}`), 410)
    expect(told).toMatchObject({
      code: 'record_withdrawn',
      tombstone: {
        id: record.id,
        url: record.links['record_html'] ?? `${origin}/records/${record.id}`,
        by: 'owner',
        at: withdrawn.withdrawn?.at,
        reason: 'retracted',
        note: 'See the other one.',
        replaced_by: { identifier: other.record.id, url: `${origin}/records/${other.record.id}` },
      },
    })
    expect(told.tombstone?.citation).toMatch(/Lovelace.*Wrong levels/)
    const headers = { accept: 'text/html' }
    const page = await send('GET', `${origin}/records/${record.id}`, { headers })
    expect(page.status).toBe(410)
    const html = page.bytes.toString()
    for (const part of ['This record was withdrawn', 'Wrong levels', 'See the other one.'])
      expect(html).toContain(part)
    expect(html).toContain(`href="${origin}/records/${other.record.id}"`)
  })

  it('is gone from every address, list and feed, with its files', async () => {
    const { deposit, record } = await publish('Unicorn')
    const { id } = record
    const files = bodyOf<readonly { readonly links: Readonly<Record<string, string>> }[]>(
      await ada.get(`/deposits/${deposit.id}/files`),
      200,
    )
    const bucket = deposit.links['bucket'] ?? ''
    const addresses = [
      record.links['self'] ?? '',
      `${record.links['self']}/revisions`,
      `${record.links['self']}/revisions/0`,
      `${record.links['self']}/versions`,
      `${record.links['self']}/export/bibtex`,
      `${record.links['self']}/packages`,
      `${record.links['self']}/packages/zip`,
      `${origin}/records/${id}/export/ro-crate`,
      bucket,
      ...files
        .flatMap(({ links }) => Object.values(links))
        .filter((url) => url.includes('/files/')),
    ].filter((url) => !url.includes('/deposits/'))
    for (const url of addresses) expect([url, (await visitor.get(url)).status]).toEqual([url, 200])
    const lists = [
      `${origin}/records?q=Unicorn`,
      `${origin}/records.atom?q=Unicorn`,
      `${origin}/sitemaps/1.xml`,
      `${origin}/`,
    ]
    for (const url of lists)
      expect([url, (await visitor.get(url)).bytes.includes(id)]).toEqual([url, true])

    bodyOf(await withdraw(ada, deposit, { reason: 'personal-data' }), 202)

    for (const url of addresses) {
      const reply = await visitor.get(url)
      expect([url, reply.status]).toEqual([url, 410])
      expect(reply.bytes.toString()).not.toContain('secret name')
    }
    for (const url of lists)
      expect([url, (await visitor.get(url)).bytes.includes(id)]).toEqual([url, false])
    expect(await found('Unicorn&versions=all')).toEqual([])
    const harvested = (
      await visitor.get(`${origin}/oai?verb=ListRecords&metadataPrefix=oai_dc`)
    ).bytes.toString()
    expect(harvested).toMatch(new RegExp(`<header status="deleted">\\s*<identifier>[^<]*:${id}<`))
    expect(harvested).not.toContain('Unicorn')
  })

  it('is shown to its owner, with its files', async () => {
    const { deposit } = await publish('Mine')
    bodyOf(await withdraw(ada, deposit, { reason: 'test' }), 202)

    expect(await ada.show(deposit)).toMatchObject({ withdrawn: { reason: 'test' } })
    expect(await ada.files(deposit)).toHaveLength(1)
    const [file] = await ada.files(deposit)
    const bucket = deposit.links['bucket'] ?? ''
    expect((await ada.get(`${bucket}/${encodeURIComponent(file?.filename ?? '')}`)).status).toBe(
      200,
    )
  })

  it('is read as before once it is restored', async () => {
    const { deposit, record } = await publish('Back again')
    const before = (await visitor.get(`/records/${record.id}`)).body as RecordBody
    bodyOf(await withdraw(ada, deposit, { reason: 'other' }), 202)

    bodyOf(await ada.act(deposit, 'restore-record'), 201)

    const after = bodyOf<RecordBody>(await visitor.get(`/records/${record.id}`), 200)
    expect({ ...after, updated: '' }).toEqual({ ...before, updated: '' })
    expect(after.updated > before.updated).toBe(true)
    expect(await found('"Back again"')).toEqual([record.id])
    expect(await ada.show(deposit)).not.toHaveProperty('withdrawn')
    expectCode(await ada.act(deposit, 'restore-record'), 'invalid_action')
  })

  it('loses its files for good with destroy_bytes, also later', async () => {
    const { deposit } = await publish('Names of patients')
    bodyOf(await withdraw(ada, deposit, { reason: 'personal-data' }), 202)
    const destroy = { reason: 'personal-data', destroy_bytes: true }

    const done = bodyOf<DepositBody>(await withdraw(ada, deposit, destroy), 202)

    expect(done.withdrawn).toMatchObject({ bytes_destroyed: true })
    expect(await ada.files(deposit)).toEqual([])
    const refused = await ada.act(deposit, 'restore-record')
    expect(bodyOf<ProblemBody>(refused, 403).errors).toMatchObject([{ actions: ['newversion'] }])
    expectCode(await withdraw(ada, deposit, destroy), 'invalid_action')
  })

  it.for(['personal-data', 'copyright'])(
    'has no next version of just what was destroyed for %s',
    async (reason) => {
      const { deposit } = await publish('Names of patients')
      const before = bodyOf<DepositBody>(await ada.act(deposit, 'newversion'), 201)
      const asked = { reason, destroy_bytes: true }
      bodyOf(await withdraw(ada, deposit, asked), 202)
      const [file] = await ada.files(before)
      const renamed = { filename: 'other name.csv' }
      bodyOf(await ada.put(file?.links['self'] ?? '', renamed), 200)

      const faults = bodyOf<ProblemBody>(await ada.act(before, 'publish'), 403).errors
      expect(faults).toMatchObject([{ message: refusals.destroyed_files.message }])
      const told = bodyOf<RehearsalBody>(
        await ada.get(`/deposits/${before.id}/actions/publish`),
        200,
      )
      expect(told.errors).toMatchObject([{ code: 'invalid_action', ...faults?.[0] }])
      // What was said to do.
      await ada.upload(before, 'why.txt', 'They agreed.')
      bodyOf(await ada.act(before, 'publish'), 202)
    },
  )

  it('keeps the bytes that another version has', async () => {
    const first = await publish('Shared')
    const draft = bodyOf<DepositBody>(await ada.act(first.deposit, 'newversion'), 201)
    const next = await ada.publish(draft)
    const asked = { reason: 'test', destroy_bytes: true }
    const done = bodyOf<DepositBody>(await withdraw(ada, first.deposit, asked), 202)
    expect(done.withdrawn).toMatchObject({ bytes_destroyed: true, bytes_kept_by: [next.id] })
    const gone = await visitor.get(`/records/${first.record.id}`)
    expect(JSON.stringify(gone.body)).not.toContain(next.id)

    const [file] = await ada.files(next)
    const read = await visitor.get(
      `${next.links['bucket']}/${encodeURIComponent(file?.filename ?? '')}`,
    )
    expect([read.status, read.bytes.length]).toEqual([200, file?.filesize])
  })

  it('cannot be edited, published or corrected', async () => {
    const { deposit, record } = await publish('Still')
    bodyOf(await withdraw(ada, deposit, { reason: 'other' }), 202)

    for (const action of ['edit', 'publish', 'register'])
      expectCode(await ada.act(deposit, action), 'invalid_action')
    const corrected = await admin.put(`/records/${record.id}`, { title: 'x' })
    expectCode(corrected, 'record_withdrawn')
  })
})

describe('The versions of a record, one of which is withdrawn', () => {
  it('show the newest of the others, and all again once it is restored', async () => {
    const first = await publish('Chain of levels')
    const draft = bodyOf<DepositBody>(await ada.act(first.deposit, 'newversion'), 201)
    const second = await ada.publish(draft)
    const { id } = await ada.record(second)
    const concept = second.pids.concept.value
    const listed = async () =>
      bodyOf<readonly RecordBody[]>(
        await visitor.get(`/records/${first.record.id}/versions`),
        200,
      ).map((each) => each.id)
    const leadsTo = async () =>
      (
        await send('GET', `${origin}/records/${concept}`, { headers: { accept: 'text/html' } })
      ).headers.get('location')
    expect(await found('Chain')).toEqual([id])

    bodyOf(await withdraw(ada, second, { reason: 'retracted' }), 202)
    expect(await found('Chain')).toEqual([first.record.id])
    expect(await listed()).toEqual([first.record.id])
    expect(await leadsTo()).toBe(`${origin}/records/${first.record.id}`)
    expect((await ada.record(first.deposit)).links).not.toHaveProperty('next_version')

    const third = await ada.publish(
      bodyOf<DepositBody>(await ada.act(first.deposit, 'newversion'), 201),
    )
    const newest = (await ada.record(third)).id
    expect(await found('Chain')).toEqual([newest])
    expect(await listed()).toEqual([newest, first.record.id])

    bodyOf(await ada.act(second, 'restore-record'), 201)
    expect(await found('Chain')).toEqual([newest])
    expect(await listed()).toEqual([newest, id, first.record.id])
    for (const each of [third, second, first.deposit])
      bodyOf(await withdraw(ada, each, { reason: 'retracted' }), 202)
    expect(await found('Chain&versions=all')).toEqual([])
    expect(await leadsTo()).toBe(`${origin}/records/${newest}`)
    expectCode(await visitor.get(`/records/${newest}`), 'record_withdrawn')
  })
})

describe('Who may withdraw a record', () => {
  it('is its owner within DEPOSIT_WITHDRAWAL_DAYS, and an administrator always', async () => {
    await using strict = await testDaemon({ env: { DEPOSIT_WITHDRAWAL_DAYS: '0' } })
    const owner = strict.as('ada')
    const published = await owner.createPublished()
    const refused = await withdraw(owner, published, { reason: 'test' })
    expectCode(refused, 'permission_denied')
    expect(bodyOf<ProblemBody>(refused, 403).message).toContain(
      'Owners cannot withdraw records here',
    )
    expectCode(await withdraw(strict.as('bob'), published, { reason: 'test' }), 'permission_denied')
    const root = strict.as('root', { admin: true })
    bodyOf(await withdraw(root, published, { reason: 'spam' }), 202)

    const mine = await owner.act(published, 'restore-record')
    expectCode(mine, 'permission_denied')
    bodyOf(await root.act(published, 'restore-record'), 201)
  })

  it.each([
    [{}, 'body'],
    [{ reason: 'bored' }, '/reason'],
    [{ reason: 'test', note: 'x'.repeat(2001) }, '/note'],
    [{ reason: 'test', replaced_by: 'abcde-fgh12' }, '/replaced_by'],
    [{ reason: 'test', bytes: true }, 'body'],
  ] as const)('is told what is wrong with %j', async (asked, field) => {
    const { deposit, record } = await publish('Asked wrongly')

    const refused = await withdraw(ada, deposit, asked)

    expectCode(refused, 'malformed_request')
    const { errors } = bodyOf<ProblemBody>(refused, 400)
    expect(errors?.map((each) => each.field)).toContain(field)
    expect((await visitor.get(`/records/${record.id}`)).status).toBe(200)
  })

  it('cannot withdraw a draft, or a record twice, or replace one by itself', async () => {
    expectCode(await withdraw(ada, await ada.createDraft(), { reason: 'test' }), 'invalid_action')
    const { deposit, record } = await publish('Twice')
    const own = { reason: 'test', replaced_by: record.id }
    expectCode(await withdraw(ada, deposit, own), 'malformed_request')
    bodyOf(await withdraw(ada, deposit, { reason: 'test' }), 202)
    expectCode(await withdraw(ada, deposit, { reason: 'test' }), 'invalid_action')
  })
})

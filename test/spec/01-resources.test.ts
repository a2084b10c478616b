import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const bob = daemon.as('bob')

describe('Resources and their fields: Deposit', () => {
  const inner = (deposit: DepositBody) => deposit.metadata._deposit
  const userId = async () => bodyOf<{ readonly user: string }>(await ada.get('/me'), 200).user

  it('_deposit.id is the value of the deposit identifier, set at creation', async () => {
    const draft = await ada.createDraft()

    expect(draft.id).toMatch(/^[0-9a-f]{32}$/)
    expect(inner(draft)?.id).toBe(draft.id)
  })

  it('_deposit.status is draft at creation, published after publish, draft after edit', async () => {
    const draft = await ada.createDraft()
    const published = await ada.publish(draft)
    const edited = await ada.edit(draft)

    const statuses = [draft, published, edited].map((deposit) => inner(deposit)?.status)
    expect(statuses).toEqual(['draft', 'published', 'draft'])
  })

  it('_deposit.owners is a list holding the creating user', async () => {
    expect(inner(await ada.createDraft())?.owners).toEqual([await userId()])
  })

  it('_deposit.created_by is the creating user', async () => {
    expect(inner(await ada.createDraft())?.created_by).toBe(await userId())
  })

  it('_deposit.pid is the revision id of the record, set by edit', async () => {
    const published = await ada.createPublished()
    expect(inner(published)).not.toHaveProperty('pid')

    expect(inner(await ada.edit(published))?.pid).toBe(0)

    await ada.publish(published)
    expect(inner(await ada.edit(published))?.pid).toBe(1)
  })

  it('_deposit.type is the identifier type of the record, set on first publish', async () => {
    const draft = await ada.createDraft()
    expect(inner(draft)).not.toHaveProperty('type')

    expect(inner(await ada.publish(draft))?.type).toBe('recid')
  })

  it('_deposit.value is the identifier value of the record, set on first publish', async () => {
    const draft = await ada.createDraft()
    expect(inner(draft)).not.toHaveProperty('value')

    const published = await ada.publish(draft)
    expect(inner(published)?.value).toBe((await ada.record(published)).id)
  })

  it('_deposit.revision_id is 0 on first publish, the revision of the record later', async () => {
    const draft = await ada.createDraft()
    expect(inner(draft)).not.toHaveProperty('revision_id')
    expect(inner(await ada.publish(draft))?.revision_id).toBe(0)

    await ada.edit(draft)
    expect(inner(await ada.publish(draft))?.revision_id).toBe(1)
  })

  it('$schema is the absolute URL of the deposit schema, set again by edit and discard', async () => {
    const url = `${daemon.origin}/schemas/deposits/deposit-v1.0.0.json`
    const draft = await ada.createDraft()
    const published = await ada.publish(draft)
    expect((await ada.record(published)).metadata.$schema).toBe(
      `${daemon.origin}/schemas/deposit-v1.0.0.json`,
    )

    const edited = await ada.edit(draft)
    const discarded = bodyOf<DepositBody>(await ada.act(draft, 'discard'), 201)

    const all = [draft, published, edited, discarded]
    expect(all.map(({ metadata }) => metadata.$schema)).toEqual([url, url, url, url])
    expect((await ada.get(url)).status).toBe(200)
  })

  it('rule 1: the _deposit object is preserved across clear and patch', async () => {
    const draft = await ada.createDraft()
    const patch = [{ op: 'add', path: '/notes', value: 'x' }]
    const cleared = bodyOf<DepositBody>(await ada.put(`/deposits/${draft.id}`, {}), 200)
    const patched = bodyOf<DepositBody>(await ada.patch(`/deposits/${draft.id}`, patch), 200)

    expect(inner(cleared)).toEqual(inner(draft))
    expect(inner(patched)).toEqual(inner(draft))
  })

  it('rule 3: a new deposit has the default schema, below the prefix of deposit schemas', async () => {
    const { metadata } = await ada.createDraft({})

    expect(metadata.$schema).toBe(`${daemon.origin}/schemas/deposits/deposit-v1.0.0.json`)
  })
})

describe('Resources and their fields: Persistent identifier of a deposit', () => {
  it('pid_value is a new value generated at creation', async () => {
    const drafts = await Promise.all([ada.createDraft(), ada.createDraft(), bob.createDraft()])

    expect(new Set(drafts.map(({ id }) => id)).size).toBe(3)
  })

  it('the value of a deleted deposit is not found and not reused', async () => {
    const draft = await ada.createDraft()
    await ada.delete(`/deposits/${draft.id}`)

    expect((await ada.get(`/deposits/${draft.id}`)).status).toBe(410)
    expect((await ada.createDraft()).id).not.toBe(draft.id)
  })
})

describe('Resources and their fields: File of a deposit', () => {
  it('a file is addressed by a key, which may contain slashes', async () => {
    const draft = await ada.createDraftWith('stations/Île de Sein/relevé.csv')
    const [file] = await ada.files(draft)

    expect(file?.filename).toBe('stations/Île de Sein/relevé.csv')
    const path = 'stations/%C3%8Ele%20de%20Sein/relev%C3%A9.csv'
    expect(file?.links.self).toBe(`${daemon.url}/deposits/${draft.id}/files/${path}`)
    expect((await ada.get(file?.links.self ?? '')).body).toEqual(file)
  })

  it('keys are unique within a deposit, and can be reused in another', async () => {
    const draft = await ada.createDraftWith('a.txt')
    const other = await ada.createDraft()

    expect((await ada.upload(draft, 'a.txt')).status).toBe(400)
    expect((await ada.upload(other, 'a.txt')).status).toBe(201)
  })

  it('a file can have several versions, each with a UUID version_id', async () => {
    const draft = await ada.createDraft()
    const versions = []
    for (const content of ['one', 'two', 'three']) {
      const reply = await ada.putObject(draft, 'a.txt', content)
      versions.push((reply.body as { readonly version_id: string }).version_id)
    }

    expect(new Set(versions).size).toBe(3)
    for (const version of versions) expect(version).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-/)
    expect((await ada.files(draft)).map(({ version_id }) => version_id)).toEqual([versions[2]])
  })

  it('the files of a deposit form an ordered list, in the order of their upload', async () => {
    const draft = await ada.createDraftWith('c', 'a', 'b')

    expect(await ada.keys(draft)).toEqual(['c', 'a', 'b'])
  })

  it('the order can be changed by sorting', async () => {
    const draft = await ada.createDraftWith('c', 'a', 'b')
    const [c, a, b] = (await ada.files(draft)).map(({ id }) => ({ id }))

    expect((await ada.put(`/deposits/${draft.id}/files`, [a, b, c])).status).toBe(200)
    expect(await ada.keys(draft)).toEqual(['a', 'b', 'c'])
  })

  it('a serialized file has the fields of the contract', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.upload(draft, 'empty.txt', '')

    expect(reply.body).toMatchObject({
      filename: 'empty.txt',
      filesize: 0,
      checksum: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      storage_class: 'S',
      links: {
        self: `${daemon.url}/deposits/${draft.id}/files/empty.txt`,
        download: `${draft.links['bucket']}/empty.txt`,
      },
    })
  })
})

import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

describe('Endpoints: POST {item route}/actions/{action}', () => {
  it('publish answers 202 with the deposit and the item URL as Location', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.act(draft, 'publish')

    expect(reply.status).toBe(202)
    expect(reply.headers.get('location')).toBe(`${daemon.url}/deposits/${draft.id}`)
    expect(reply.headers.get('etag')).toBe('"1"')
    expect(reply.body).toEqual(await ada.show(draft))
  })

  it.for(['edit', 'register'])('%s answers 201 with the item URL as Location', async (action) => {
    const published = await ada.createPublished()
    const reply = await ada.act(published, action)

    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toBe(`${daemon.url}/deposits/${published.id}`)
    expect(reply.body).toEqual(await ada.show(published))
  })

  it('discard answers 201 with the item URL as Location', async () => {
    const edited = await ada.edit(await ada.createPublished())
    const reply = await ada.act(edited, 'discard')

    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toBe(`${daemon.url}/deposits/${edited.id}`)
    expect(reply.body).toEqual(await ada.show(edited))
  })

  it('newversion answers 201 with a new draft, its files carried over, and its Location', async () => {
    const published = await ada.publish(await ada.createDraftWith('b.csv', 'a.csv'))
    const stored = await daemon.storedBytes()
    const reply = await ada.act(published, 'newversion')
    const draft = bodyOf<DepositBody>(reply, 201)

    expect(draft.id).not.toBe(published.id)
    expect(reply.headers.get('location')).toBe(`${daemon.url}/deposits/${draft.id}`)
    expect(draft.metadata).toMatchObject({ title: 'Sea level', _deposit: { status: 'draft' } })
    expect(await ada.keys(draft)).toEqual(['b.csv', 'a.csv'])
    expect(await daemon.storedBytes()).toEqual(stored)
    expect(await ada.show(published)).toEqual(published)
  })

  it('newversion links both records, and its files can change', async () => {
    const published = await ada.publish(await ada.createDraftWith('a.csv'))
    const draft = bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
    expect((await ada.delete(`/deposits/${draft.id}/files/a.csv`)).status).toBe(204)
    const next = await ada.record(await ada.publish(draft))
    const first = await ada.record(published)

    expect(next.links['previous_version']).toBe(first.links['self'])
    expect(first.links['next_version']).toBe(next.links['self'])
    const bytes = await daemon.visitor.get(`${first.links['bucket']}/a.csv`)
    expect(bytes.bytes.toString()).toBe('a.csv')
  })

  it('a repeated newversion gives the existing draft, until that is published or deleted', async () => {
    const published = await ada.publish(await ada.createDraftWith('a.csv'))
    const next = async () => bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
    const first = await next()
    await ada.put(`/deposits/${first.id}`, { title: 'Changed' })

    expect((await next()).metadata).toMatchObject({ title: 'Changed', _deposit: { id: first.id } })
    await ada.delete(`/deposits/${first.id}`)
    const second = await next()
    expect(second.id).not.toBe(first.id)
    await ada.publish(second)
    expect((await next()).id).not.toBe(second.id)
  })

  it('newversion of an open edit without changes closes the edit', async () => {
    const edited = await ada.edit(await ada.publish(await ada.createDraftWith('a.csv')))
    const next = bodyOf<DepositBody>(await ada.act(edited, 'newversion'), 201)

    expect(next.id).not.toBe(edited.id)
    expect(await ada.keys(next)).toEqual(['a.csv'])
    const closed = await ada.show(edited)
    expect(closed.metadata._deposit?.status).toBe('published')
    const found = await ada.search(`q=id:${edited.id} AND _deposit.status:published`)
    expect(found.hits.total).toBe(1)
  })

  it.for<[string, (edited: DepositBody) => Promise<unknown>]>([
    ['fields', ({ id }) => ada.put(`/deposits/${id}`, { title: 'Other' })],
    [
      'kind',
      ({ id, metadata }) => {
        const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
        return ada.put(`/deposits/${id}`, { ...metadata, $schema })
      },
    ],
    [
      'order of files',
      async (edited) => {
        const files = await ada.files(edited)
        await ada.put(`/deposits/${edited.id}/files`, files.map(({ id }) => ({ id })).reverse())
      },
    ],
  ])('newversion of an open edit whose %s changed is an invalid action', async ([, change]) => {
    const edited = await ada.edit(await ada.publish(await ada.createDraftWith('a', 'b')))
    await change(edited)
    const before = await ada.state(edited)

    expectProblem(await ada.act(edited, 'newversion'), 'invalid_action', 'Invalid action')
    expect(await ada.state(edited)).toEqual(before)
  })

  it('merge takes over changes published since, and keeps the draft where both sides changed it', async () => {
    const curator = daemon.as('curator', { admin: true })
    const whole = { title: 'First', notes: 'n', keywords: ['a'], version: '1' }
    const edited = await ada.edit(await ada.publish(await ada.createDraft(whole)))
    const path = `/deposits/${edited.id}`
    await ada.patch(path, [
      { op: 'replace', path: '/title', value: 'Mine' },
      { op: 'add', path: '/keywords/-', value: 'mine' },
    ])
    await curator.patch(`/records/${edited.metadata._deposit?.value}`, [
      { op: 'replace', path: '/title', value: 'Theirs' },
      { op: 'replace', path: '/version', value: '2' },
    ])
    expectProblem(await ada.act(edited, 'publish'), 'merge_conflict', /./)

    const reply = await ada.act(edited, 'merge')

    const merged = bodyOf<DepositBody>(reply, 201)
    expect(merged.metadata).toMatchObject({
      title: 'Mine',
      notes: 'n',
      keywords: ['a', 'mine'],
      version: '2',
      _deposit: { status: 'draft', pid: 1 },
    })
    const published = await ada.record(await ada.publish(merged))
    expect(published.metadata).toMatchObject({ title: 'Mine', version: '2' })
  })

  it('merge without changes by others changes only the revision', async () => {
    const edited = await ada.edit(await ada.createPublished())
    const { metadata } = bodyOf<DepositBody>(await ada.act(edited, 'merge'), 201)

    expect(metadata).toEqual(edited.metadata)
  })

  it('register seals the record, and the deposit says so', async () => {
    const published = await ada.createPublished()
    expect(published).not.toHaveProperty('sealed')
    const sealed = bodyOf<DepositBody>(await ada.act(published, 'register'), 201)

    expect(sealed).toHaveProperty('sealed', true)
    expect(await ada.show(published)).toHaveProperty('sealed', true)
    const next = bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
    expect(next).not.toHaveProperty('sealed')
  })

  it('a name that is not an action does not match the route', async () => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)

    for (const name of ['nope', 'PUBLISH', 'constructor', '__proto__', 'publish/x', '']) {
      expectProblem(await ada.act(draft, name), 'not_found')
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it.for([
    ['application/json', ''],
    ['application/json', '{"broken'],
    ['text/plain', 'publish, please'],
    ['multipart/form-data', 'no boundary'],
    ['nonsense', 'x'],
  ])('a body is not read: %s with %j', async ([type, body]) => {
    const draft = await ada.createDraft()
    const path = `/deposits/${draft.id}/actions/publish`
    const headers = { 'content-type': type ?? '' }

    expect((await ada.post(path, { headers, body: body ?? '' })).status).toBe(202)
  })

  it('publish refuses with every fault at once, each with its JSON pointer', async () => {
    const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
    const draft = await ada.createDraft({ $schema, creators: [{ orcid: '0000-0002-1825-0097' }] })
    const before = await ada.state(draft)
    const reply = await ada.act(draft, 'publish')

    expectProblem(reply, 'invalid_document')
    const { errors } = reply.body as { readonly errors: readonly { readonly field: string }[] }
    const fields = errors.map(({ field }) => field)
    expect(fields).toEqual(expect.arrayContaining(['/title', '/creators/0/name']))
    expect(await ada.state(draft)).toEqual(before)
  })

  it('a draft may be incomplete, and is checked for types', async () => {
    const draft = await ada.createDraft({})
    const before = await ada.state(draft)
    const reply = await ada.put(`/deposits/${draft.id}`, { title: 7, keywords: 'x' })

    expectProblem(reply, 'invalid_document')
    expect(reply.body).toMatchObject({ errors: [{ field: '/title' }, { field: '/keywords' }] })
    expect(await ada.state(draft)).toEqual(before)
  })

  it('another method is 405 and names POST', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.delete(`/deposits/${draft.id}/actions/edit`)

    expectProblem(reply, 'method_not_allowed', /DELETE/)
    expect(reply.headers.get('allow')).toContain('POST')
  })
})

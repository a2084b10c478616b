import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const { origin, visitor } = daemon
const ada = daemon.as('ada')
const bob = daemon.as('bob')

const conceptOf = ({ pids }: Pick<DepositBody, 'pids'>): string => pids.concept.value

/** The next version of a published deposit, as a draft. */
async function openNext(published: Pick<DepositBody, 'id'>): Promise<DepositBody> {
  return bodyOf(await ada.act(published, 'newversion'), 201)
}

/** Publishes as many versions; oldest first. */
async function publishVersions(count: number): Promise<readonly RecordBody[]> {
  const records: RecordBody[] = []
  let latest: DepositBody | undefined
  while (records.length < count) {
    const draft: DepositBody = latest ? await openNext(latest) : await ada.createDraftWith('a.csv')
    latest = await ada.publish(draft)
    records.push(await ada.record(latest))
  }
  return records
}

const idsOf = (records: readonly RecordBody[]): readonly string[] => records.map(({ id }) => id)

async function versionsOf(id: string, query = ''): Promise<readonly RecordBody[]> {
  return bodyOf(await visitor.get(`/records/${id}/versions${query}`), 200)
}

describe('The concept of a record', () => {
  it('has an identifier from the first draft on, which all versions and drafts show', async () => {
    const draft = await ada.createDraft()
    const concept = conceptOf(draft)
    expect(concept).toMatch(/^[0-9a-z]{5}-[0-9a-z]{3}\d\d$/)

    const first = await ada.publish(draft)
    const edited = await ada.edit(first)
    const again = await ada.publish(edited)
    const next = await openNext(again)
    const second = await ada.publish(next)
    const all = [first, edited, again, next, second, await ada.record(first)]
    expect(all.map(conceptOf)).toEqual(all.map(() => concept))
    const values = [first, second].map(({ metadata }) => metadata._deposit?.value)
    expect(new Set([concept, ...values]).size).toBe(3)
  })

  it('leads to the newest version, at every address of a record', async () => {
    const [first, second] = await publishVersions(2)
    const concept = conceptOf(first as RecordBody)
    for (const path of [
      `${origin}/records/{}`,
      `${origin}/records/{}/export/bibtex`,
      `${origin}/api/records/{}`,
      `${origin}/api/records/{}/export`,
      `${origin}/api/records/{}/export/datacite-json?style=x`,
      `${origin}/api/records/{}/packages`,
      `${origin}/api/records/{}/packages/bagit`,
      `${origin}/api/records/{}/revisions`,
      `${origin}/api/records/{}/versions?size=1`,
    ]) {
      const reply = await visitor.get(path.replace('{}', concept))
      expect(reply.status, path).toBe(302)
      expect(reply.headers.get('location')).toBe(path.replace('{}', second?.id ?? ''))
    }
    const page = await visitor.get(`${origin}/records/${concept}`, { accept: 'text/html' })
    expect(page.headers.get('location')).toBe(second?.links['html'])
    const head = await visitor.send('HEAD', `/records/${concept}`)
    expect(head.headers.get('location')).toBe(second?.links['self'])
  })

  it('can be followed by scripts of other origins', async () => {
    const [first] = await publishVersions(1)
    const headers = { origin: 'https://else.example', 'sec-fetch-site': 'cross-site' }
    const reply = await visitor.get(`/records/${conceptOf(first as RecordBody)}`, headers)

    expect(reply.status).toBe(302)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('of which nothing is published is unknown to others, and names its draft to the owner', async () => {
    const draft = await ada.createDraft()
    const path = `/records/${conceptOf(draft)}`
    expectProblem(await visitor.get(path), 'record_not_found', 'PID does not exist.')
    expectProblem(await bob.get(path), 'record_not_found', 'PID does not exist.')
    const page = await visitor.get(`${origin}${path}`, { accept: 'text/html' })
    expect(page.status).toBe(404)

    const reply = await ada.get(path)
    expectProblem(reply, 'record_not_found', new RegExp(`the draft ${draft.id}`))
    expect(reply.body).toMatchObject({ errors: [{ deposit: draft.id }] })
    await ada.delete(`/deposits/${draft.id}`)
    expectProblem(await ada.get(path), 'record_not_found', 'PID does not exist.')
  })

  it('stays as it was when the draft of a next version is deleted', async () => {
    const [first] = await publishVersions(1)
    const concept = conceptOf(first as RecordBody)
    const next = await openNext({ id: first?.metadata._deposit?.id ?? '' })
    await ada.delete(`/deposits/${next.id}`)

    const reply = await visitor.get(`/records/${concept}`)
    expect(reply.headers.get('location')).toBe(first?.links['self'])
  })
})

describe('GET /records/{pid_value}/versions', () => {
  it('lists all versions newest first, whichever is asked, and is linked', async () => {
    const all = await publishVersions(3)
    const newestFirst = idsOf(all).toReversed()
    for (const record of all) {
      expect(idsOf(await versionsOf(record.id))).toEqual(newestFirst)
      expect(record.links['versions']).toBe(`${daemon.url}/records/${record.id}/versions`)
    }
    const deposit = await ada.get(all[0]?.links['deposit'] ?? '')
    expect(deposit.body).toMatchObject({ links: { versions: all[0]?.links['versions'] } })
    expect(await versionsOf(all[0]?.id ?? '')).toMatchObject(
      all.toReversed().map(({ id, metadata }) => ({ id, metadata })),
    )
  })

  it('has pages', async () => {
    const all = await publishVersions(3)
    const id = all[0]?.id ?? ''
    const reply = await visitor.get(`/records/${id}/versions?size=2`)
    expect(idsOf(bodyOf(reply, 200))).toEqual(idsOf(all).toReversed().slice(0, 2))
    expect(reply.headers.get('link')).toContain(
      `/records/${id}/versions?size=2&page=2>; rel="next"`,
    )
    expect(idsOf(await versionsOf(id, '?page=2&size=2'))).toEqual([id])
    expectProblem(await visitor.get(`/records/${id}/versions?size=0`), 'invalid_paging')
    expectProblem(await visitor.get('/records/nope/versions'), 'record_not_found')
  })
})

describe('Versions', () => {
  it('are one chain, from whichever version the next one is opened', async () => {
    const [first, second] = await publishVersions(2)
    const draft = await openNext({ id: first?.metadata._deposit?.id ?? '' })
    expect((await openNext({ id: second?.metadata._deposit?.id ?? '' })).id).toBe(draft.id)

    const third = await ada.record(await ada.publish(draft))
    expect(third.links['previous_version']).toBe(second?.links['self'])
    expect(idsOf(await versionsOf(third.id))).toEqual([third.id, second?.id, first?.id])
  })

  it('have one draft of the next, however many ask for it at once', async () => {
    const published = await ada.createPublished()
    const drafts = await Promise.all(Array.from({ length: 8 }, () => openNext(published)))

    expect(new Set(drafts.map(({ id }) => id)).size).toBe(1)
  })
})

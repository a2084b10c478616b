import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, RecordBody, RehearsalBody } from '../../core/contract/schemas.ts'
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

describe('the draft of a new version', () => {
  it('is warned of while it is called as the version before', async () => {
    const first = await ada.createPublished({ title: 'Tides', version: '1.2.0' })
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    const path = `/deposits/${next.id}/actions/publish`
    const ofVersion = async () => {
      const { warnings } = bodyOf<RehearsalBody>(await ada.get(path), 200)
      return warnings.filter(({ field }) => field === '/version').map(({ message }) => message)
    }
    expect(await ofVersion()).toEqual([
      'The version before is also called 1.2.0. Write the number of this one, or remove it.',
    ])
    for (const metadata of [{ title: 'Tides', version: '1.3.0' }, { title: 'Tides' }]) {
      bodyOf(await ada.put(`/deposits/${next.id}`, metadata), 200)
      expect(await ofVersion()).toEqual([])
    }
  })
})

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

describe('Exports', () => {
  const exported = async (id: string, name: string) => {
    const reply = await visitor.get(`/records/${id}/export/${name}`)
    return { etag: reply.headers.get('etag'), text: reply.bytes.toString() }
  }

  it('name the version before, the one after and the concept, and no others', async () => {
    const all = await publishVersions(5)
    const [, second, third, fourth] = all
    if (!second || !third || !fourth) throw new Error('five versions were published')
    const page = (id: string): string => `${origin}/records/${id}`
    const concept = page(conceptOf(third))

    const { text } = await exported(third.id, 'datacite-json')
    const { relatedIdentifiers } = JSON.parse(text) as { readonly relatedIdentifiers: unknown }
    expect(relatedIdentifiers).toEqual(
      [
        ['IsVersionOf', concept],
        ['IsNewVersionOf', page(second.id)],
        ['IsPreviousVersionOf', page(fourth.id)],
      ].map(([relationType, relatedIdentifier]) => ({
        relatedIdentifier,
        relatedIdentifierType: 'URL',
        relationType,
      })),
    )
    const turtle = (await exported(third.id, 'dcat')).text
    for (const [term, id] of [
      ['isVersionOf', concept],
      ['previousVersion', page(second.id)],
      ['nextVersion', page(fourth.id)],
    ]) {
      expect(turtle).toContain(`dcat:${term} <${id}>`)
    }
    const schemaOrg = JSON.parse((await exported(third.id, 'schema-org')).text) as unknown
    expect(schemaOrg).toMatchObject({
      exampleOfWork: [{ '@id': concept }],
      isBasedOn: [{ '@id': page(second.id) }],
    })
    const crate = (await exported(third.id, 'ro-crate')).text
    expect(JSON.parse(crate)).toMatchObject({
      '@graph': expect.arrayContaining([
        expect.objectContaining({
          '@type': 'Dataset',
          exampleOfWork: [{ '@id': concept }],
          isBasedOn: [{ '@id': page(second.id) }],
        }),
      ]) as unknown,
    })
    const links = (await exported(third.id, 'linkset')).text
    expect(JSON.parse(links)).toMatchObject({
      linkset: expect.arrayContaining([
        expect.objectContaining({
          'latest-version': [{ href: concept }],
          'predecessor-version': [{ href: page(second.id) }],
          'successor-version': [{ href: page(fourth.id) }],
          'version-history': [{ href: third.links['versions'] }],
        }),
      ]) as unknown,
    })
    const names = await visitor.get(`/records/${third.id}/export`)
    for (const { name } of names.body as readonly { readonly name: string }[]) {
      const { text: whole } = await exported(third.id, name)
      for (const other of [all[0], all[4]]) expect(whole, name).not.toContain(other?.id)
    }
  })

  it('change with the next version, and packages do not', async () => {
    const [first] = await publishVersions(1)
    if (!first) throw new Error('a version was published')
    const packageOf = async (name: string) => {
      const reply = await visitor.get(`/records/${first.id}/packages/${name}`)
      return [reply.headers.get('etag'), reply.bytes.toString('base64')]
    }
    const names = ['zip', 'ro-crate', 'bagit']
    const before = await exported(first.id, 'datacite-json')
    const packages = await Promise.all(names.map(packageOf))
    const page = await visitor.get(first.links['html'] ?? '', { accept: 'text/html' })
    await ada.publish(await openNext({ id: first.metadata._deposit?.id ?? '' }))

    const after = await exported(first.id, 'datacite-json')
    expect(before.text).not.toContain('IsPreviousVersionOf')
    expect(after.text).toContain('IsPreviousVersionOf')
    expect(after.etag).not.toBe(before.etag)
    expect(await Promise.all(names.map(packageOf))).toEqual(packages)
    const now = await visitor.get(first.links['html'] ?? '', { accept: 'text/html' })
    expect(now.headers.get('etag')).not.toBe(page.headers.get('etag'))
  })

  it('say when the revision was made, whatever happens to the versions beside it', async () => {
    const [first] = await publishVersions(1)
    if (!first) throw new Error('a version was published')
    const deposit = await ada.show({ id: first.metadata._deposit?.id ?? '' })
    await ada.edit(deposit)
    await ada.put(`/deposits/${deposit.id}`, { title: 'Corrected' })
    await ada.publish(deposit)
    const tags = async () => {
      const names = ['zip', 'ro-crate', 'bagit', 'datapackage']
      const replies = names.map((name) => visitor.get(`/records/${first.id}/packages/${name}`))
      return (await Promise.all(replies)).map(({ headers }) => headers.get('etag'))
    }
    const modified = async () => {
      const { dateModified } = JSON.parse((await exported(first.id, 'schema-org')).text) as {
        readonly dateModified?: string
      }
      return dateModified
    }
    const made = await ada.record(deposit)
    const packages = await tags()
    expect(await modified()).toBe(made.updated)

    const next = await ada.publish(await openNext(deposit))
    const told = await ada.record(deposit)
    // Harvesters hear of it again, for its metadata name the next version.
    expect(told.updated > made.updated).toBe(true)
    expect(await modified()).toBe(made.updated)
    expect(await tags()).toEqual(packages)
    bodyOf(
      await ada.post(`/deposits/${next.id}/actions/withdraw`, { json: { reason: 'test' } }),
      202,
    )
    expect(await tags()).toEqual(packages)
    expect(await modified()).toBe(made.updated)

    // A revision is a change of what is served.
    await ada.edit(deposit)
    await ada.put(`/deposits/${deposit.id}`, { title: 'Corrected again' })
    await ada.publish(deposit)
    expect(await modified()).toBe((await ada.record(deposit)).updated)
    for (const [at, tag] of (await tags()).entries()) expect(tag).not.toBe(packages[at])
  })
})

describe('The page of a record', () => {
  const read = async (id = ''): Promise<string> =>
    (await visitor.get(`${origin}/records/${id}`, { accept: 'text/html' })).bytes.toString()

  it('lists the newest ten versions, and leads to all of them', async () => {
    const all = await publishVersions(12)
    const html = await read(all[11]?.id)
    const listed = [...html.matchAll(/<li[^>]*><a href="[^"]*\/records\/([^"]+)">Version (\d+)/g)]

    expect(listed.map(([, id, number]) => [id, Number(number)])).toEqual(
      all
        .map(({ id }, at) => [id, at + 1])
        .toReversed()
        .slice(0, 10),
    )
    expect(html).toContain(`${all[11]?.links['versions']}`)
    expect(html).not.toContain('There is a newer version')
  })

  it('of an older version says that there is a newer one, with its address', async () => {
    const [first, second, third] = await publishVersions(3)
    for (const older of [first, second]) {
      const html = await read(older?.id)
      expect(html).toMatch(
        new RegExp(`There is a newer version[^<]*<a href="[^"]*/records/${third?.id}">`),
      )
    }
    const [single] = await publishVersions(1)
    expect(await read(single?.id)).not.toContain('id="versions-heading"')
  })
})

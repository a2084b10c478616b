import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_FOREIGN_APIS: 'rdm' } })
afterAll(() => daemon[Symbol.asyncDispose]())
const { visitor } = daemon
const ada = daemon.as('ada')
const root = daemon.as('root', { admin: true })

const embargoed = { files: 'restricted', until: '2999-01-01', reason: 'A patent is pending.' }
const over = { files: 'restricted', until: '2020-01-01' }

async function publish(access?: object): Promise<DepositBody> {
  const draft = await ada.createDraft({ title: 'Gauges', ...(access && { access }) })
  await ada.addFile(draft, 'levels.csv')
  return ada.publish(draft)
}

/** A record whose embargo has ended. */
async function publishOver(): Promise<DepositBody> {
  const deposit = await publish(embargoed)
  expect((await correct(deposit, over)).status).toBe(200)
  return deposit
}

async function readable(user: User, { links }: DepositBody): Promise<number> {
  return (await user.get(`${links['bucket']}/levels.csv`)).status
}

/** Publishes an edit that changes `access` alone. */
async function edit(deposit: DepositBody, access: object | undefined) {
  await ada.edit(deposit)
  const path = '/access'
  const operation = access ? { op: 'add', path, value: access } : { op: 'remove', path }
  expect((await ada.patch(`/deposits/${deposit.id}`, [operation])).status).toBe(200)
  return ada.act(deposit, 'publish')
}

async function correct({ metadata }: DepositBody, access: object) {
  const add = [{ op: 'add', path: '/access', value: access }]
  return root.patch(`/records/${metadata._deposit?.value}`, add)
}

async function rehearse({ links }: DepositBody): Promise<RehearsalBody> {
  return bodyOf(await ada.get(links['publish'] ?? ''), 200)
}

const toldOfAccess = async (deposit: DepositBody): Promise<readonly string[]> =>
  (await rehearse(deposit)).warnings
    .filter(({ field }) => field === '/access')
    .map(({ message }) => message)

describe('the owner of a record', () => {
  it('shortens, lengthens and lifts an embargo by an edit', async () => {
    const deposit = await publish(embargoed)
    expect(await readable(visitor, deposit)).toBe(403)
    for (const access of [{ ...embargoed, until: '2998-01-01' }, { files: 'restricted' }]) {
      expect((await edit(deposit, access)).status).toBe(202)
      expect(await readable(visitor, deposit)).toBe(403)
    }
    expect((await edit(deposit, undefined)).status).toBe(202)
    expect(await readable(visitor, deposit)).toBe(200)
  })

  it('does not publish files until a day that has come, and learns the ways out', async () => {
    const today = new Date().toISOString().slice(0, 10)
    for (const [until, when] of [
      [over.until, 'past'],
      [today, 'today'],
    ]) {
      const draft = await ada.createDraft({ title: 'Gauges', access: { ...over, until } })
      await ada.addFile(draft, 'levels.csv')
      const refused = await ada.act(draft, 'publish')
      expect(refused.status).toBe(400)
      const said = `until is ${until}, which is ${when}: the files would be public at once.`
      expect(JSON.stringify(refused.body)).toContain(said)
      const { errors } = await rehearse(draft)
      expect(errors).toMatchObject([{ code: 'invalid_document', field: '/access/until' }])
      for (const access of [embargoed, { files: 'restricted' }, { files: 'public' }]) {
        await ada.patch(`/deposits/${draft.id}`, [{ op: 'add', path: '/access', value: access }])
        expect((await rehearse(draft)).errors).toEqual([])
      }
    }
    const deposit = await publish(embargoed)
    expect((await edit(deposit, over)).status).toBe(400)
    expect(await readable(visitor, deposit)).toBe(403)
  })

  it('edits and publishes a record whose embargo has ended', async () => {
    const deposit = await publishOver()
    expect(await readable(visitor, deposit)).toBe(200)
    await ada.edit(deposit)
    await ada.patch(`/deposits/${deposit.id}`, [{ op: 'add', path: '/title', value: 'Levels' }])
    expect((await rehearse(await ada.show(deposit))).errors).toEqual([])
    expect((await ada.act(deposit, 'publish')).status).toBe(202)
    expect(await readable(visitor, deposit)).toBe(200)
  })

  it('does not close files that were public, and learns the way out', async () => {
    for (const begun of [publish, publishOver]) {
      const deposit = await begun()
      const refused = await edit(deposit, embargoed)
      expect(refused.status).toBe(400)
      expect(JSON.stringify(refused.body)).toContain('withdraw the record')
      expect(await readable(visitor, deposit)).toBe(200)
      const { errors } = await rehearse(await ada.show(deposit))
      expect(errors.map(({ field }) => field)).toEqual(['/access'])
    }
  })

  it('is refused where access is malformed, or says less than other fields', async () => {
    for (const metadata of [
      { access: { files: 'embargoed' } },
      { access: { until: '2999-01-01' } },
      { access: { files: 'restricted', until: '2999-02-30' } },
      { access: { files: 'public', until: '2999-01-01' } },
      { access: embargoed, embargo_date: '2999-01-02' },
      { access: embargoed, access_right: 'restricted' },
      { access: { files: 'public' }, access_right: 'restricted' },
    ]) {
      const draft = await ada.createDraft({ title: 'x', ...metadata })
      const reply = await ada.act(draft, 'publish')
      expect([metadata, reply.status]).toEqual([metadata, 400])
      expect(JSON.stringify(reply.body)).toMatch(/[Ww]rite|Remove/)
    }
  })

  it('publishes limits in other words that access carries out', async () => {
    for (const metadata of [
      { access: embargoed, embargo_date: '2999-01-01', access_right: 'embargoed' },
      { access: { files: 'restricted' }, access_right: 'closed' },
    ]) {
      const published = await ada.createPublished({ title: 'x', ...metadata })
      expect((await visitor.get(published.links['bucket'] ?? '')).status).toBe(403)
    }
  })
})

describe('an administrator', () => {
  it('closes files that were public by a correction, and opens them', async () => {
    const deposit = await publish()
    expect((await correct(deposit, { files: 'restricted', until: 'soon' })).status).toBe(400)
    expect(await readable(visitor, deposit)).toBe(200)
    expect((await correct(deposit, { files: 'restricted' })).status).toBe(200)
    expect([await readable(visitor, deposit), await readable(ada, deposit)]).toEqual([403, 200])
    expect((await correct(deposit, { files: 'public' })).status).toBe(200)
    expect(await readable(visitor, deposit)).toBe(200)
  })

  it('opens no closed files by a correction that leaves access out, and learns how to open them', async () => {
    const deposit = await publish(embargoed)
    const record = `/records/${deposit.metadata._deposit?.value}`
    for (const refused of [
      await root.put(record, { title: 'Gauges' }),
      await root.patch(record, [{ op: 'remove', path: '/access' }]),
    ]) {
      expect(refused.status).toBe(400)
      expect(refused.body).toMatchObject({ errors: [{ field: '/access' }] })
      expect(JSON.stringify(refused.body)).toContain('access: {files: public}')
    }
    expect(await readable(visitor, deposit)).toBe(403)
    const kept = await root.put(record, { title: 'Gauges, read daily', access: embargoed })
    expect(kept.status).toBe(200)
    expect(await readable(visitor, deposit)).toBe(403)
    const opened = await root.put(record, { title: 'Gauges', access: { files: 'public' } })
    expect(opened.status).toBe(200)
    expect(await readable(visitor, deposit)).toBe(200)
    expect((await root.put(record, { title: 'Gauges' })).status).toBe(200)
  })

  it('needs no access in a correction of a record whose embargo is over', async () => {
    const deposit = await publishOver()
    const record = `/records/${deposit.metadata._deposit?.value}`
    expect((await root.put(record, { title: 'Gauges' })).status).toBe(200)
  })
})

describe('a field that looks like access', () => {
  const said = { acess: { files: 'restricted' } }

  it('is refused in an edit and in a correction, but where the record is public with it', async () => {
    const deposit = await publishOver()
    const record = `/records/${deposit.metadata._deposit?.value}`
    expect((await root.put(record, { title: 'Gauges', ...said })).body).toMatchObject({
      errors: [{ field: '/acess' }],
    })
    // A closed record may have it: it would have closed nothing else.
    await root.put(record, { title: 'Gauges', access: over, ...said })
    expect((await root.put(record, { title: 'Gauges, daily', ...said })).status).toBe(200)

    await ada.edit(deposit)
    await ada.put(`/deposits/${deposit.id}`, { title: 'Gauges', ...said })
    expect((await rehearse(deposit)).errors).toEqual([])
    await ada.put(`/deposits/${deposit.id}`, { title: 'Gauges', acess: 'closed' })
    expect((await rehearse(deposit)).errors).toMatchObject([{ field: '/acess' }])
  })

  it('does not open the files of a closed record', async () => {
    const deposit = await publish(embargoed)
    await ada.edit(deposit)
    await ada.put(`/deposits/${deposit.id}`, { title: 'Gauges', ...said })
    expectProblem(await ada.act(deposit, 'publish'), 'invalid_document')
    expect(await readable(visitor, deposit)).toBe(403)
  })
})

describe('a draft', () => {
  it('of an edit closes and opens nothing until it is published', async () => {
    const deposit = await publish(embargoed)
    await ada.edit(deposit)
    await ada.patch(`/deposits/${deposit.id}`, [{ op: 'remove', path: '/access' }])
    expect(await readable(visitor, deposit)).toBe(403)
    expect(await toldOfAccess(deposit)).toEqual([
      expect.stringContaining(
        'The files become public: those of the record open on 1 January 2999',
      ),
    ])
    // The advice.
    await ada.patch(`/deposits/${deposit.id}`, [{ op: 'add', path: '/access', value: embargoed }])
    expect(await toldOfAccess(deposit)).toEqual([])
    const open = await publish()
    await ada.edit(open)
    await ada.patch(`/deposits/${open.id}`, [{ op: 'add', path: '/access', value: embargoed }])
    expect(await readable(visitor, open)).toBe(200)
  })

  it('of a new version keeps an embargo that runs, and says so', async () => {
    const deposit = await publish(embargoed)
    const next = bodyOf<DepositBody>(await ada.act(deposit, 'newversion'), 201)
    expect(next.metadata).toHaveProperty('access', embargoed)
    expect(await toldOfAccess(next)).toEqual([expect.stringContaining('was carried over')])
    const published = await ada.publish(next)
    expect(await readable(visitor, published)).toBe(403)
  })

  it('of a new version that opens files of the one before is warned of', async () => {
    const deposit = await publish(embargoed)
    const next = bodyOf<DepositBody>(await ada.act(deposit, 'newversion'), 201)
    await ada.patch(`/deposits/${next.id}`, [{ op: 'remove', path: '/access' }])
    expect(await toldOfAccess(next)).toEqual([expect.stringContaining('(levels.csv)')])
    await ada.delete(`${next.links['bucket']}/levels.csv`)
    expect(await toldOfAccess(next)).toEqual([])
  })

  it('of a new version has no embargo that is over', async () => {
    const next = bodyOf<DepositBody>(await ada.act(await publishOver(), 'newversion'), 201)
    expect(next.metadata).not.toHaveProperty('access')
  })
})

describe('the formats of a record with closed files', () => {
  it('say so in their own words', async () => {
    const { metadata } = await publish(embargoed)
    const value = metadata._deposit?.value ?? ''
    const exported = async (name: string): Promise<string> => {
      const reply = await visitor.get(`/records/${value}/export/${name}`)
      expect(reply.status).toBe(200)
      return reply.bytes.toString()
    }
    const dataCite = JSON.parse(await exported('datacite-json')) as Readonly<Record<string, object>>
    expect(dataCite['dates']).toContainEqual({ date: '2999-01-01', dateType: 'Available' })
    expect(JSON.stringify(dataCite['rightsList'])).toContain('semantics/embargoedAccess')
    const schemaOrg = await exported('schema-org')
    expect(schemaOrg).toMatch(/"isAccessibleForFree": ?false/)
    expect(schemaOrg).toContain('access_right/c_f1cf')
    expect(await exported('dcat')).toMatch(/access-right\/RESTRICTED/)
    const dublinCore = await exported('dublin-core')
    expect(dublinCore).toContain('info:eu-repo/semantics/embargoedAccess')
    expect(dublinCore).toContain('info:eu-repo/date/embargoEnd/2999-01-01')
    expect(await exported('zenodo')).toContain('"embargo_date": "2999-01-01"')
  })
})

describe('InvenioRDM’s interface', () => {
  it('takes and shows access as it is sent', async () => {
    const access = {
      record: 'public',
      files: 'restricted',
      embargo: { active: true, until: '2999-01-01', reason: 'A patent is pending.' },
    }
    const sent = { metadata: { title: 'x' }, access }
    const url = `${daemon.origin}/rdm/api/records`
    const made = await ada.post(url, { json: sent })
    expect(made.body).toMatchObject({ access: { ...access, status: 'embargoed' } })
  })
})

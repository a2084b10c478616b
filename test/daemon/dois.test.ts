import { describe, expect, it } from 'vitest'
import { testDaemon } from '../support/test-daemon.ts'
import type { DepositBody, RecordBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { dataciteSettings, doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'
import { scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('a DOI', () => {
  it('is reserved once, before anything is published or told', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    expect(draft.pids).toEqual({ concept: { value: draft.pids.concept.value } })

    const { pids, links } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    expect(pids?.doi?.value).toMatch(/^10\.5072\/[0-9a-z]{5}-[0-9a-z]{5}$/)
    expect(pids?.doi).toMatchObject({
      status: 'reserved',
      url: `https://doi.org/${pids?.doi?.value}`,
    })
    expect(links).not.toHaveProperty('doi')
    expect(bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201).pids).toEqual(pids)
    expect(datacite.requests).toEqual([])

    const published = await ada.publish(draft)
    const doi = await doiOf(ada, published, 'registered')
    expect(doi.value).toBe(pids?.doi?.value)
    const record = await ada.record(await ada.show(published))
    expect(doi.value).toBe(`10.5072/${record.id}`)
    expect(record.pids.doi).toEqual(doi)
  })

  it('is registered after publishing, with the metadata and the page of the record', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const published = await ada.createPublished({
      title: 'Sea level',
      creators: [{ name: 'Carberry, Josiah' }],
    })
    const { value, url } = await doiOf(ada, published, 'registered')

    const { links } = await ada.show(published)
    expect(links['doi']).toBe(url)
    expect(datacite.dois()[value]).toMatchObject({
      state: 'findable',
      url: links['record_html'],
      metadata: { titles: [{ title: 'Sea level' }] },
    })
    const page = await fetch(links['record_html'] ?? '', { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain(url)
    const citation = await fetch(`${links['record']}/export/bibtex`)
    expect(await citation.text()).toContain(value)
  })

  it('is not cited before it is registered', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    datacite.fault = () => ({ status: 503, body: '' })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()

    const { links } = await ada.show(published)
    expect(links).not.toHaveProperty('doi')
    // Neither is that of its concept, in any format, nor for harvesters.
    const formats = ['bibtex', 'schema-org', 'codemeta', 'ro-crate', 'dublin-core', 'datacite-xml']
    const oai = new URL('/oai?verb=ListRecords&metadataPrefix=oai_dc', daemon.origin).href
    for (const url of [...formats.map((name) => `${links['record']}/export/${name}`), oai]) {
      const reply = await fetch(url)
      expect(reply.status).toBe(200)
      expect(await reply.text(), url).not.toContain('10.5072')
    }
    const page = await fetch(links['record_html'] ?? '', { headers: { accept: 'text/html' } })
    expect(await page.text()).not.toContain('10.5072')
    await expect
      .poll(async () => (await doiOf(ada, published)).message)
      .toBe('DataCite answers 503, not in JSON.')
  })

  it('has another entity tag of its record as soon as it is registered', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    datacite.fault = () => ({ status: 503, body: '' })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const { links } = await ada.show(published)
    const before = (await ada.get(links['record'] ?? '')).headers.get('etag') ?? ''
    datacite.fault = () => undefined
    await doiOf(ada, published, 'registered')

    const record = links['record'] ?? ''
    const { status } = await ada.get(record, { 'if-none-match': before })
    expect(status).toBe(200)
    // The DOI of all its versions is registered after it, and has the tag changed once more.
    const askedTwice = async (): Promise<number> => {
      const tag = (await ada.get(record)).headers.get('etag') ?? ''
      return (await ada.get(record, { 'if-none-match': tag })).status
    }
    await expect.poll(askedTwice).toBe(304)
  })

  it('follows the record when it is edited', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const published = await ada.createPublished({ title: 'First', keywords: ['tide'] })
    const { value } = await doiOf(ada, published, 'registered')
    await ada.edit(published)
    await ada.put(`/deposits/${published.id}`, { title: 'Second' })
    await ada.publish(published)
    await doiOf(ada, published, 'registered')

    expect(datacite.dois()[value]?.metadata['titles']).toMatchObject([{ title: 'Second' }])
    expect(JSON.stringify(datacite.dois()[value])).not.toContain('tide')
    // Its own, and that of its concept.
    expect(Object.keys(datacite.dois())).toHaveLength(2)
  })

  it('tells the fault that DataCite finds, with its field, and follows when it is mended', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    datacite.fault = () => ({
      status: 422,
      body: JSON.stringify({ errors: [{ source: 'creators', title: 'No creators.' }] }),
    })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()

    expect(await doiOf(ada, published, 'refused')).toMatchObject({
      message: 'DataCite: No creators.',
      field: '/creators',
    })
    const metrics = await (await fetch(`${daemon.origin}/metrics`)).text()
    expect(metrics).toMatch(/^deposit_doi_refused [12]$/m)
    datacite.fault = () => undefined
    await ada.edit(published)
    await ada.publish(published)
    expect(await doiOf(ada, published, 'registered')).not.toHaveProperty('message')
  })

  it('is given up with the draft', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.act(draft, 'reserve')
    expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)

    expect(datacite.requests).toEqual([])
    expect(await daemon.operateAll('doi list')).toEqual([])
  })

  it('is not made for a record that has one from elsewhere', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const published = await ada.createPublished({ title: 'A', doi: '10.1234/other' })

    expect((await ada.show(published)).pids).not.toHaveProperty('doi')
    expect(datacite.requests.join()).not.toContain((await ada.record(published)).id)
  })

  it('has faults that the rehearsal names, which do not keep it from being published', async () => {
    await using fixture = await doiDaemon()
    const ada = fixture.daemon.as('ada')
    const draft = await ada.createDraft({ title: 'A', version: 'v'.repeat(192) })
    const rehearsal = bodyOf<RehearsalBody>(
      await ada.get(`/deposits/${draft.id}/actions/publish`),
      200,
    )

    expect(rehearsal.publishable).toBe(true)
    const told = rehearsal.warnings.filter(({ message }) => message.includes('DataCite'))
    expect(told.map(({ field }) => field)).toEqual(['/version', '/creators', '/resource_type'])
  })

  it('is hidden when its record leads to another', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const [one, other] = [await ada.createPublished(), await ada.createPublished()]
    const { value } = await doiOf(ada, one, 'registered')
    const [from, to] = [await ada.record(await ada.show(one)), await ada.record(other)]
    await daemon.operate('pid redirect', {
      type: 'recid',
      value: from.id,
      target: to.id,
    })

    await doiOf(ada, one, 'hidden')
    expect(datacite.dois()[value]).toMatchObject({ state: 'registered' })
  })

  it('outlives a daemon that stops before it is registered', async () => {
    await using home = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const env = await dataciteSettings(home.path, datacite.url)
    datacite.fault = () => 'cut'
    let id = ''
    {
      await using daemon = await testDaemon({ home: home.path, env })
      ;({ id } = await daemon.as('ada').createPublished())
    }
    datacite.fault = () => undefined
    await using daemon = await testDaemon({ home: home.path, env })
    const record = (await daemon.operateAll('doi list'))[0]
    expect(record).toContain('10.5072/')
    await expect
      .poll(() => Object.values(datacite.dois()).map(({ state }) => state))
      .toEqual(['findable', 'findable'])
    expect(id).not.toBe('')
  })
})

describe('a wrong password', () => {
  it('pauses everything, refuses nothing, and counts no more once it is right', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    datacite.fault = () => ({ status: 401, body: '{"errors":[{"title":"Bad credentials."}]}' })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    await expect.poll(() => daemon.warnings().join('\n')).toContain('Bad credentials.')
    const asked = datacite.requests.length
    const others = [await ada.createPublished(), await ada.createPublished()]

    expect(await doiOf(ada, published)).toMatchObject({ status: 'pending' })
    expect(datacite.requests.length).toBe(asked)
    datacite.fault = () => undefined
    await daemon.operate('doi retry')
    for (const each of [published, ...others]) await doiOf(ada, each, 'registered')
    expect(daemon.warnings()).toHaveLength(1)
  })
})

describe('a record from before there were DOIs', () => {
  it('gets one when it is published again', async () => {
    await using home = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    let deposit: DepositBody
    {
      await using daemon = await testDaemon({ home: home.path })
      const ada = daemon.as('ada')
      deposit = await ada.createPublished()
      const record = await ada.record(deposit)
      expect((record satisfies RecordBody).pids).not.toHaveProperty('doi')
    }
    const env = await dataciteSettings(home.path, datacite.url)
    await using daemon = await testDaemon({ home: home.path, env })
    const admin = daemon.as('root', { admin: true })
    await admin.edit(deposit)
    await admin.publish(deposit)
    await doiOf(admin, deposit, 'registered')
  })
})

describe('a DOI that is registered late', () => {
  it('is heard of by harvesters, who had the record before', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    datacite.fault = () => ({ status: 503, headers: { 'retry-after': '1' } })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const { updated } = await ada.record(published)
    datacite.fault = () => undefined
    const { value } = await doiOf(ada, published, 'registered')

    const later = (await ada.record(published)).updated
    expect(Date.parse(later)).toBeGreaterThan(Date.parse(updated))
    const from = `${later.slice(0, 19)}Z`
    const asked = `verb=ListRecords&metadataPrefix=oai_dc&from=${from}`
    const harvested = await fetch(`${daemon.origin}/oai?${asked}`)
    expect(await harvested.text()).toContain(value)
  })
})

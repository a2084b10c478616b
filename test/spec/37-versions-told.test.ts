import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { TombstoneBody } from '../../core/contract/withdrawal.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('a version that another one follows', () => {
  it('has another datestamp for harvesters when a later one comes, goes and comes back', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const first = await ada.createPublished()
    const { id } = await ada.record(first)
    const tell = async () => {
      const query = `verb=GetRecord&metadataPrefix=oai_datacite&identifier=oai:127.0.0.1:${id}`
      const xml = await (await fetch(`${daemon.origin}/oai?${query}`)).text()
      const [, datestamp = ''] = /<datestamp>([^<]+)</.exec(xml) ?? []
      return { datestamp, isFollowed: xml.includes('IsPreviousVersionOf') }
    }
    /** Datestamps are of whole seconds. */
    const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1100))
    const alone = await tell()
    expect(alone.isFollowed).toBe(false)

    await nextSecond()
    const second = await ada.publish(bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201))
    const followed = await tell()
    expect(followed.isFollowed).toBe(true)
    expect(followed.datestamp > alone.datestamp).toBe(true)

    await nextSecond()
    const json = { reason: 'test' }
    bodyOf(await ada.post(`/deposits/${second.id}/actions/withdraw`, { json }), 202)
    const left = await tell()
    expect(left.isFollowed).toBe(false)
    expect(left.datestamp > followed.datestamp).toBe(true)

    await nextSecond()
    bodyOf(await ada.act(second, 'restore-record'), 201)
    const back = await tell()
    expect(back.isFollowed).toBe(true)
    expect(back.datestamp > left.datestamp).toBe(true)
  })
})

describe('the tombstone of a version', () => {
  it('leads to the other versions that are public, as a page and as JSON', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const first = await ada.createPublished({ title: 'Tides', version: '1.0' })
    const second = await ada.publish(bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201))
    const [older, newer] = [await ada.record(first), await ada.record(second)]
    const json = { reason: 'test' }
    bodyOf(await ada.post(`/deposits/${second.id}/actions/withdraw`, { json }), 202)

    const others = [{ id: older.id, url: first.links['record_html'], version: '1.0' }]
    for (const path of [`/records/${newer.id}`, `/records/${newer.id}/versions`]) {
      const reply = await ada.get(`${daemon.url}${path}`)
      const { tombstone } = bodyOf<{ readonly tombstone: TombstoneBody }>(reply, 410)
      expect(tombstone.other_versions).toEqual(others)
    }
    const page = await fetch(`${daemon.origin}/records/${newer.id}`, {
      headers: { accept: 'text/html' },
    })
    const html = await page.text()
    expect(html).toContain('Other versions')
    expect(html).toContain(`href="${others[0]?.url}"`)
  })
})

describe('the rehearsal of a withdrawal', () => {
  it('demands a reason of the list, and a replacement that can be a link', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const { id } = await ada.createPublished()
    const rehearse = async (query: string) =>
      (await ada.get(`/deposits/${id}/actions/withdraw${query}`)).status
    expect(await rehearse('?reason=spam')).toBe(200)
    expect(await rehearse('')).toBe(400)
    expect(await rehearse('?reason=foo')).toBe(400)
    const by = (text: string) => rehearse(`?reason=spam&replaced_by=${encodeURIComponent(text)}`)
    expect(await by('https://example.org/x y')).toBe(400)
    expect(await by('https://example.org/"x')).toBe(400)
    expect(await by('https://example.org/x%20y')).toBe(200)
  })
})

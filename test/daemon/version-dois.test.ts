import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'

describe('the DOI of a concept', () => {
  it('is reserved with that of the first version, and leads to the newest one', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft({ title: 'First' })
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    const { value = '', status } = pids.concept.doi ?? {}
    expect({ value, status }).toEqual({
      value: `10.5072/${pids.concept.value}`,
      status: 'reserved',
    })
    expect(value).not.toBe(pids.doi?.value)

    const first = await ada.publish(draft)
    await doiOf(ada, first, 'registered')
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    expect(next.pids.concept.doi?.value).toBe(value)
    expect(next.pids).not.toHaveProperty('doi')
    await ada.put(`/deposits/${next.id}`, { title: 'Second' })
    const second = await ada.publish(next)
    const doi = await doiOf(ada, second, 'registered')
    const titleThere = () => datacite.dois()[value]?.metadata['titles']
    await expect.poll(titleThere).toMatchObject([{ title: 'Second' }])

    const page = (await ada.show(second)).links['record_html'] ?? ''
    const there = datacite.dois()[value]
    expect(there).toMatchObject({
      state: 'findable',
      url: page.replace(doi.value.replace('10.5072/', ''), pids.concept.value),
    })
    // Each version that is public, by its DOI, the newest first.
    expect(there?.metadata['relatedIdentifiers']).toMatchObject(
      [doi.value, pids.doi?.value].map((relatedIdentifier) => ({
        relationType: 'HasVersion',
        relatedIdentifierType: 'DOI',
        relatedIdentifier,
      })),
    )
    // The version before says which one follows.
    const before = () => JSON.stringify(datacite.dois()[pids.doi?.value ?? '']?.metadata)
    await expect.poll(before).toContain('IsPreviousVersionOf')
    expect(Object.keys(datacite.dois())).toHaveLength(3)
  })

  it('goes back to the version before when the newest is taken away, and is hidden with the last', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const first = await ada.createPublished({ title: 'First' })
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    await ada.put(`/deposits/${next.id}`, { title: 'Second' })
    await ada.publish(next)
    const other = await ada.record(await ada.createPublished())
    const doi = `10.5072/${first.pids.concept.value}`
    const titleThere = () => datacite.dois()[doi]?.metadata['titles']
    await expect.poll(titleThere).toMatchObject([{ title: 'Second' }])

    const takeAway = async (deposit: DepositBody): Promise<void> => {
      const { id: value } = await ada.record(await ada.show(deposit))
      await daemon.operate('pid redirect', { type: 'recid', value, target: other.id })
    }
    await takeAway(next)
    await expect.poll(titleThere).toMatchObject([{ title: 'First' }])
    expect(datacite.dois()[doi]?.state).toBe('findable')
    await takeAway(first)
    await expect.poll(() => datacite.dois()[doi]?.state).toBe('registered')
  })
})

describe('the DOIs of versions', () => {
  it('relate them to each other, and to their concept', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const first = await ada.createPublished()
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    const second = await ada.publish(next)
    const dois = [await doiOf(ada, first, 'registered'), await doiOf(ada, second, 'registered')]
    const concept = (await ada.show(second)).pids.concept.doi?.value
    const [older, newer] = dois.map(({ value }) => value)
    const relatedOf = (doi = '') => datacite.dois()[doi]?.metadata['relatedIdentifiers']
    await expect
      .poll(() => relatedOf(older))
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            relatedIdentifier: newer,
            relatedIdentifierType: 'DOI',
            relationType: 'IsPreviousVersionOf',
          }),
        ]),
      )
    expect(relatedOf(newer)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ relatedIdentifier: concept, relationType: 'IsVersionOf' }),
        expect.objectContaining({ relatedIdentifier: older, relationType: 'IsNewVersionOf' }),
      ]),
    )
  })
})

describe('A search for the DOI of an older version', () => {
  it('leads to it, although the newest versions are searched', async () => {
    await using fixture = await doiDaemon()
    const { daemon } = fixture
    const ada = daemon.as('ada')
    const first = await ada.createPublished({ title: 'Tides' })
    const { value } = await doiOf(ada, first, 'registered')
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    await doiOf(ada, await ada.publish(next), 'registered')
    const read = async (path: string) =>
      (await daemon.visitor.get(new URL(path, daemon.origin).href, { accept: 'text/html' })).bytes
        .toString()
        .replaceAll('&#38;', '&')

    for (const asked of [value, `https://doi.org/${value}`]) {
      const html = await read(`/records?q=${encodeURIComponent(asked)}`)
      const [, href = ''] = /href="([^"]*)"[^>]*>Show 1 older version</.exec(html) ?? []
      expect(html).toContain('Only older versions match')
      expect(html).not.toContain('No records found')
      expect(await read(href)).toContain(`/records/${first.metadata._deposit?.value}"`)
    }
    expect(await read('/records?q=nowhere')).not.toContain('older version')
  })
})

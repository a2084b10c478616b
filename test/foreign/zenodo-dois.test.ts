import { describe, expect, it } from 'vitest'
import { doiDaemon } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'
import { ZenodoClient, type Deposition } from '../support/zenodo-client.ts'

interface WithDoi extends Deposition {
  readonly doi?: string
  readonly conceptdoi?: string
}

describe('with a prefix of the service, a deposition', () => {
  it('has the DOI of its record from the start, and no other', async () => {
    await using fixture = await doiDaemon()
    const client = new ZenodoClient(fixture.daemon)
    const made: WithDoi = await client.createWithFile()
    const { doi } = made.metadata['prereserve_doi'] as { readonly doi: string }
    expect(doi).toMatch(/^10\.5072\/[0-9a-z]{5}-[0-9a-z]{5}$/)

    // As clients do that send back what they were shown.
    const json = { metadata: { ...made.metadata, doi } }
    bodyOf(await client.follow('PUT', made, 'self', { json }), 200)
    const published = bodyOf<WithDoi>(await client.act(made, 'publish'), 202)
    expect(published).toMatchObject({ doi, doi_url: `https://doi.org/${doi}` })
    const record = bodyOf<WithDoi>(await client.ask('GET', published.links['record'] ?? ''), 200)
    expect(record).toMatchObject({ doi, conceptdoi: published.conceptdoi, metadata: { doi } })
    expect(JSON.stringify([published, record])).not.toContain('10.5072/zenodo')
  })

  it.each(['at once', 'later'])(
    'has the DOI from elsewhere that is named %s, alone',
    async (when) => {
      await using fixture = await doiDaemon()
      const client = new ZenodoClient(fixture.daemon)
      const doi = '10.1234/own'
      const made: WithDoi = await client.createWithFile(when === 'at once' ? { doi } : {})
      const json = { metadata: { ...made.metadata, doi } }
      bodyOf(await client.follow('PUT', made, 'self', { json }), 200)
      const published = bodyOf<WithDoi>(await client.act(made, 'publish'), 202)
      expect(published).toMatchObject({ doi, doi_url: `https://doi.org/${doi}` })
      const record = bodyOf<WithDoi>(await client.ask('GET', published.links['record'] ?? ''), 200)
      expect(JSON.stringify([published, record])).not.toContain('10.5072/')
    },
  )
})

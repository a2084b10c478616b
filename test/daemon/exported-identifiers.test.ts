import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { doiDaemon } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

/** A deposit in a format of citations. */
const exported = (user: User, { id }: Pick<DepositBody, 'id'>, format: string): Promise<string> =>
  user.get(`/deposits/${id}/export/${format}`).then(({ bytes }) => bytes.toString())

const citing = ['citation', 'bibtex', 'csl-json', 'ris'] as const

describe('the citation of a draft', () => {
  it('names the DOI that is reserved, and says that it is not registered yet', async () => {
    await using fixture = await doiDaemon()
    const { daemon } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft({ title: 'Tides' })
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)

    for (const format of citing) {
      const text = await exported(ada, draft, format)
      expect(text, format).toContain(`https://doi.org/${pids.doi?.value}`)
      expect(text, format).toMatch(/not registered yet/i)
      expect(text, format).not.toContain(daemon.origin)
    }
    const datacite = JSON.parse(await exported(ada, draft, 'datacite-json')) as object
    expect(datacite).toMatchObject({ doi: pids.doi?.value })
  })

  it('names no address that its owner alone can open', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft({ title: 'Tides' })

    for (const format of citing) {
      const text = await exported(ada, draft, format)
      expect(text, format).not.toContain(daemon.origin)
      expect(text, format).toContain('not published')
    }
    expect(await exported(ada, draft, 'cff')).not.toContain(daemon.origin)
  })

  it('names the DOI of the record that is edited', async () => {
    await using fixture = await doiDaemon()
    const { daemon } = fixture
    const ada = daemon.as('ada')
    const published = await ada.createPublished({ title: 'Tides' })
    await expect.poll(async () => (await ada.show(published)).pids.doi?.status).toBe('registered')
    const { pids } = await ada.edit(published)

    const text = await exported(ada, published, 'bibtex')
    expect(text).toContain(`url = {https://doi.org/${pids.doi?.value}}`)
    expect(text).not.toContain('note =')
  })

  it('names the DOI that its metadata give it', async () => {
    await using fixture = await doiDaemon()
    const ada = fixture.daemon.as('ada')
    const draft = await ada.createDraft({ title: 'Tides', doi: '10.1234/levels' })
    await ada.act(draft, 'reserve')

    const text = await exported(ada, draft, 'citation')
    expect(text).toContain('https://doi.org/10.1234/levels')
    expect(text).not.toContain('not registered')
  })
})

describe('the ARK of a record', () => {
  it('is named in exports, beside the address that it is cited by', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_PID_MINTER: 'ark' } })
    const ada = daemon.as('ada')
    const published = await ada.createPublished({ title: 'Tides' })
    const { pids } = await ada.show(published)
    const { value } = pids['ark' as keyof typeof pids] as { readonly value: string }
    const { id } = await ada.record(published)
    const parsed = async (format: string) => (await ada.get(`/records/${id}/export/${format}`)).body

    expect(await parsed('datacite-json')).toMatchObject({
      alternateIdentifiers: [{ alternateIdentifier: value, alternateIdentifierType: 'ARK' }],
    })
    const named = { value, url: `https://n2t.net/${value}` }
    expect(await parsed('schema-org')).toMatchObject({
      identifier: expect.arrayContaining([expect.objectContaining(named)]) as unknown,
    })
    expect(await parsed('ro-crate')).toMatchObject({
      '@graph': expect.arrayContaining([expect.objectContaining(named)]) as unknown,
    })
    for (const format of ['dublin-core', 'cff', 'datacite-xml'])
      expect((await ada.get(`/records/${id}/export/${format}`)).bytes.toString(), format).toContain(
        value,
      )
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { dataciteSettings, doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { scriptedDatacite, type ScriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const versionsAt = (datacite: ScriptedDatacite, doi: string) => {
  const related = datacite.dois()[doi]?.metadata['relatedIdentifiers'] ?? []
  return (related as readonly Record<string, string>[])
    .filter(({ relationType }) => relationType === 'HasVersion')
    .map(({ relatedIdentifierType, relatedIdentifier }) => [
      relatedIdentifierType,
      relatedIdentifier,
    ])
}

const settled = async (ada: User, deposit: DepositBody) =>
  (await doiOf(ada, deposit, 'registered')).value

const withdraw = async (ada: User, { id }: DepositBody) =>
  bodyOf(await ada.post(`/deposits/${id}/actions/withdraw`, { json: { reason: 'spam' } }), 202)

describe('the DOI of all versions', () => {
  it('names each public version by its DOI, also after withdrawals and restorations', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const ada = daemon.as('ada')
    const first = await ada.createPublished()
    const second = await ada.publish(bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201))
    const third = await ada.publish(bodyOf<DepositBody>(await ada.act(second, 'newversion'), 201))
    const all = [
      await settled(ada, third),
      await settled(ada, second),
      await settled(ada, first),
    ].map((doi) => ['DOI', doi])
    const concept = `10.5072/${first.pids.concept.value}`
    await expect.poll(() => versionsAt(datacite, concept)).toEqual(all)

    await withdraw(ada, second)
    await expect.poll(() => versionsAt(datacite, concept)).toEqual([all[0], all[2]])
    // The version before it is followed by another one now.
    const ofFirst = () => JSON.stringify(datacite.dois()[all[2]?.[1] ?? '']?.metadata)
    await expect.poll(ofFirst).toContain(all[0]?.[1])
    bodyOf(await ada.act(second, 'restore-record'), 201)
    await expect.poll(() => versionsAt(datacite, concept)).toEqual(all)
    await settled(ada, second)

    await datacite.change(concept, { relatedIdentifiers: [] })
    const { status, stdout } = await operateHere(home, ['doi', 'check'], env)
    expect(status).toBe(1)
    expect(stdout).toContain(`${concept}\trelatedIdentifiers\t`)
  })

  it('has the ARK of the concept beside it, and not that of a version', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const settings = await dataciteSettings(folder.path, datacite.url)
    const env = { ...settings, DEPOSIT_PID_MINTER: 'ark' }
    await using daemon = await testDaemon({ home: folder.path, env })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const doi = await settled(ada, published)
    const { pids } = await ada.show(published)
    const arks = [pids, pids.concept].map(
      (each) => (each as unknown as Record<string, { value: string }>)['ark']?.value ?? '',
    )
    const concept = `10.5072/${published.pids.concept.value}`
    const arksAt = (name: string) =>
      (
        (datacite.dois()[name]?.metadata['identifiers'] ?? []) as readonly Record<string, string>[]
      ).map(({ identifier }) => identifier)
    await expect.poll(() => arksAt(concept)).toEqual([arks[1]])
    expect(arksAt(doi)).toEqual([arks[0]])

    // Written with capitals, it is the same ARK.
    const capital = `${daemon.origin}/ark:/${arks[0]?.slice(4).toUpperCase()}`
    const { status } = await fetch(capital, { redirect: 'manual' })
    expect(status).toBe(302)
    const { stderr } = await operateHere(folder.path, ['doi', 'check'], env)
    expect(stderr).toContain('Compared 4 identifiers: 0 different.')
  })
})

describe('a DOI that DataCite never got before its record was withdrawn', () => {
  it('is registered as hidden, and leads to the tombstone', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const ada = daemon.as('ada')
    datacite.fault = () => ({ status: 503, body: '{}' })
    const published = await ada.createPublished({
      title: 'Gone',
      keywords: ['tide'],
      description: 'Secret',
    })
    const { value } = await doiOf(ada, published, 'pending')
    await withdraw(ada, published)
    // Only a DOI that is to be hidden is looked at first: nothing is underway from before.
    await expect
      .poll(() => datacite.requests.join('\n'), { timeout: 20_000 })
      .toContain(`GET /dois/${value}`)
    datacite.fault = () => undefined
    await daemon.operate('doi retry')

    const { registered } = await doiOf(ada, published, 'hidden')
    expect(registered).toMatch(/^\d{4}-/)
    const there = datacite.dois()[value]
    const page = (await ada.show(published)).links['record_html']
    expect(there).toMatchObject({ state: 'registered', url: page })
    expect(there?.metadata).toMatchObject({ titles: [{ title: 'Gone' }] })
    expect(JSON.stringify(there?.metadata)).not.toMatch(/tide|Secret/)
    expect(await (await fetch(page ?? '')).text()).toContain(value)
    await expect
      .poll(() => datacite.dois()[`10.5072/${published.pids.concept.value}`]?.state)
      .toBe('registered')
    expect(await operateHere(home, ['doi', 'check'], env)).toMatchObject({ status: 0, stdout: '' })
  })
})

describe('a year of fewer than four digits', () => {
  it('is registered with four, and the rehearsal warns of it', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft({ title: 'Old', publication_date: '0999-01-01' })
    const { warnings } = bodyOf<RehearsalBody>(
      await ada.get(`/deposits/${draft.id}/actions/publish`),
      200,
    )
    expect(JSON.stringify(warnings)).toContain('may refuse one before 1000: 0999')
    const doi = await settled(ada, await ada.publish(draft))
    expect(datacite.dois()[doi]?.metadata['publicationYear']).toBe('0999')
  })
})

/** A provider that answers only once there is a file `go` beside it. */
const late = `
import { existsSync } from 'node:fs'
import { join } from 'node:path'
const provider = {
  scheme: 'handle',
  reserve: (value) => '21.T11148/' + value.toUpperCase(),
  toUrl: (identifier) => 'https://hdl.handle.net/' + identifier,
  want: async () =>
    existsSync(join(import.meta.dirname, 'go')) ? { is: 'done' } : { is: 'later', message: 'wait' },
  check: async () => [],
}
export default { DEPOSIT_PID_MINTER: 'late', providers: { late: provider } }
`

describe('an identifier that is registered after the DOI of its record', () => {
  it('is told to DataCite then', async () => {
    await using folder = await temporaryFolder({ 'late.config.mjs': late })
    await using datacite = await scriptedDatacite()
    const settings = await dataciteSettings(folder.path, datacite.url)
    const env = { ...settings, DEPOSIT_CONFIG: join(folder.path, 'late.config.mjs') }
    await using daemon = await testDaemon({ home: join(folder.path, 'home'), env })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const doi = await settled(ada, published)
    await writeFile(join(folder.path, 'go'), '')
    await daemon.operate('doi retry')

    const told = () => JSON.stringify(datacite.dois()[doi]?.metadata['identifiers'] ?? [])
    await expect.poll(told).toContain(`21.T11148/${doi.replace('10.5072/', '').toUpperCase()}`)
    const concept = published.pids.concept.value
    const ofAll = () => JSON.stringify(datacite.dois()[`10.5072/${concept}`]?.metadata)
    await expect.poll(ofAll).toContain(`21.T11148/${concept.toUpperCase()}`)
    await settled(ada, published)
    await withdraw(ada, published)
    await doiOf(ada, published, 'hidden')
    bodyOf(await ada.act(published, 'restore-record'), 201)
    await settled(ada, published)
    const home = join(folder.path, 'home')
    await expect
      .poll(async () => (await operateHere(home, ['doi', 'check'], env)).status, {
        timeout: 10_000,
      })
      .toBe(0)
  })
})

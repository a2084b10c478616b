import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { password } from '../support/scripted-datacite.ts'

describe('a password that DataCite refuses', () => {
  it('counts seconds after its file has the right one', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, env } = fixture
    const file = env['DEPOSIT_DATACITE_PASSWORD_FILE'] ?? ''
    await writeFile(file, 'an old one\n')
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    await expect.poll(() => daemon.warnings().join('\n')).toContain('DataCite answers 401')
    const asked = datacite.requests.length
    const other = await ada.createPublished()
    // Each commit wakes the worker, which asks for nothing as long as the file is the same.
    expect(datacite.requests).toHaveLength(asked)

    await writeFile(file, `${password}\n`)
    const started = performance.now()
    for (const each of [published, other]) await doiOf(ada, each, 'registered')
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('a DOI that DataCite forbids while it takes others', () => {
  const forbidden = JSON.stringify({
    errors: [{ status: '403', title: 'You are not authorized to access this resource.' }],
  })

  it('is refused alone, and keeps no other waiting', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.act(draft, 'reserve')
    const { value } = await doiOf(ada, draft, 'reserved')
    datacite.fault = ({ url }) =>
      url?.includes(value) ? { status: 403, body: forbidden } : undefined
    await ada.publish(draft)
    await doiOf(ada, await ada.createPublished(), 'registered')

    const refused = await doiOf(ada, draft, 'refused')
    expect(refused.message).toContain(
      'for this DOI, and takes others: it may be of another account',
    )
    await doiOf(ada, await ada.createPublished(), 'registered')
    expect(daemon.warnings()).toEqual([])
  })

  it('counts once for all DOIs of a concept, which have the same text', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.act(draft, 'reserve')
    const { pids } = await ada.show(draft)
    const dois = [pids?.doi?.value ?? '', pids?.concept.doi?.value ?? '']
    expect(new Set(dois).size).toBe(2)
    datacite.fault = ({ url }) =>
      dois.some((value) => url?.includes(value))
        ? { status: 403, body: '<html>Blocked</html>' }
        : undefined
    await ada.publish(draft)
    const asked = (): readonly (string | undefined)[] =>
      dois.filter((value) => datacite.requests.includes(`PUT /dois/${value}`))
    await expect.poll(asked).toEqual(dois)

    await doiOf(ada, await ada.createPublished(), 'registered')
    expect(daemon.warnings()).toEqual([])
  })

  it('waits where it may be a proxy that does not like its text', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.act(draft, 'reserve')
    const { value } = await doiOf(ada, draft, 'reserved')
    datacite.fault = ({ url }) =>
      url?.includes(value) ? { status: 403, body: '<html>Blocked</html>' } : undefined
    await ada.publish(draft)
    await doiOf(ada, await ada.createPublished(), 'registered')
    await expect.poll(async () => (await doiOf(ada, draft)).message).toContain('a proxy may have')
    await doiOf(ada, await ada.createPublished(), 'registered')

    datacite.fault = () => undefined
    await daemon.operate('doi retry')
    await doiOf(ada, draft, 'registered')
  })

  it('is not told from a prefix that is of another account before another is taken', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    datacite.fault = () => ({ status: 403, body: forbidden })
    const ada = daemon.as('ada')
    const all = [await ada.createPublished(), await ada.createPublished()]
    await expect.poll(() => daemon.warnings().join('\n')).toContain('DataCite answers 403')
    for (const each of all) expect((await doiOf(ada, each)).status).toBe('pending')

    datacite.fault = () => undefined
    await daemon.operate('doi retry')
    for (const each of all) await doiOf(ada, each, 'registered')
  })
})

describe('a reason of a provider', () => {
  it('is told on one line, however long it is and whatever characters it has', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const title = `No\u0000 \u001b[31m\n\u202e\ud800${'x'.repeat(100_000)}`
    const body = JSON.stringify({ errors: [{ source: 'creators', title }] })
    datacite.fault = () => ({ status: 422, body })
    const ada = daemon.as('ada')
    const { message } = await doiOf(ada, await ada.createPublished(), 'refused')
    expect(message).toMatch(/^DataCite: No +\[31m \ufffdx{400,500}…$/)
    const { stdout } = await operateHere(home, ['doi', 'list', '--refused'], env)
    // A line for the DOI, and one for that of its concept.
    expect(stdout.trim().split('\n').length).toBeLessThanOrEqual(2)
  })
})

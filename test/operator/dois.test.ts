import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dataciteSettings, doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { operateHere } from '../support/depositd.ts'
import { scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('depositd doi list', () => {
  it('lists every DOI with its status and record, or those that are refused', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const ada = daemon.as('ada')
    const good = await ada.createPublished()
    const { value } = await doiOf(ada, good, 'registered')
    const body = JSON.stringify({ errors: [{ source: 'creators', title: 'No creators.' }] })
    datacite.fault = () => ({ status: 422, body })
    const bad = await doiOf(ada, await ada.createPublished(), 'refused')
    const [record = ''] = value.split('/').slice(1)

    const all = await daemon.operateAll('doi list')
    // Each has one of its own, and one of its concept.
    expect(all).toHaveLength(4)
    expect(all).toContain(`${value}\tregistered\t${record}`)
    await expect.poll(() => daemon.operateAll('doi list', { refused: 'true' })).toHaveLength(2)
    const { stdout } = await operateHere(home, ['doi', 'list', '--refused', '--json'], env)
    const refused = JSON.parse(stdout) as readonly { readonly value: string }[]
    expect(refused.find((each) => each.value === bad.value)).toMatchObject({
      status: 'refused',
      field: '/creators',
    })
  })
})

describe('depositd doi retry', () => {
  it('sends what was refused again, or one by its DOI, record or deposit', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const ada = daemon.as('ada')
    datacite.fault = () => ({ status: 422, body: '{}' })
    const [one, other] = [await ada.createPublished(), await ada.createPublished()]
    const refused = await doiOf(ada, one, 'refused')
    await doiOf(ada, other, 'refused')
    await expect.poll(() => daemon.operateAll('doi list', { refused: 'true' })).toHaveLength(4)
    datacite.fault = () => undefined

    expect(await daemon.operateAll('doi retry', { id: one.id })).toEqual([refused.value])
    await doiOf(ada, one, 'registered')
    expect((await doiOf(ada, other)).status).toBe('refused')
    // The other one, and those of both concepts.
    expect(await daemon.operateAll('doi retry')).toHaveLength(3)
    await doiOf(ada, other, 'registered')
    await expect(daemon.operate('doi retry', { id: 'none' })).rejects.toThrow('none has no DOI.')
  })
})

describe('depositd doi check', () => {
  it('prints a line for each difference and exits with 1; retry makes them level', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const { value } = await doiOf(ada, published, 'registered')
    const check = () => operateHere(home, ['doi', 'check'], env)
    expect(await check()).toMatchObject({ status: 0, stdout: '' })

    await datacite.change(value, { url: 'https://example.org/' })
    const { status, stdout } = await check()
    expect(status).toBe(1)
    const page = (await ada.show(published)).links['record_html']
    expect(stdout).toBe(`${value}\turl\t"${page}"\t"https://example.org/"\n`)
    await daemon.operate('doi retry', { id: value })
    await doiOf(ada, published, 'registered')
    expect(await check()).toMatchObject({ status: 0, stdout: '' })
  })

  it('compares reserved DOIs too with --all: nobody may find them', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.act(draft, 'reserve')
    const { value } = await doiOf(ada, draft, 'reserved')
    await datacite.change(value, {
      event: 'publish',
      url: 'https://example.org/',
      titles: [{ title: 'A' }],
      creators: [{ name: 'A' }],
      publisher: { name: 'A' },
      publicationYear: 2026,
      types: { resourceTypeGeneral: 'Dataset' },
    })

    expect((await operateHere(home, ['doi', 'check'], env)).status).toBe(0)
    const { status, stdout } = await operateHere(home, ['doi', 'check', '--all'], env)
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: `${value}\tstate\tabsent\tfindable\n`,
    })
  })

  it('ends after three failures in a row, with what to do', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home, env } = fixture
    const ada = daemon.as('ada')
    for (let at = 0; at < 3; at += 1) await doiOf(ada, await ada.createPublished(), 'registered')
    const before = datacite.requests.length
    datacite.fault = () => ({ status: 401, body: '{"errors":[{"title":"Bad credentials."}]}' })

    const { status, stdout, stderr } = await operateHere(home, ['doi', 'check'], env)
    expect(status).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(3)
    expect(stderr).toContain('Compared 6 DOIs: 0 different, 6 not compared.')
    expect(stderr).toContain('failed 3 times in a row, and was not asked about 3 others.')
    expect(datacite.requests.length - before).toBe(3)
    const checked = await operateHere(home, ['config', 'check'], env)
    expect(checked.status).not.toBe(0)
    expect(checked.stdout + checked.stderr).toMatch(/password/)
  })

  it('needs the daemon, which knows the addresses of records', async () => {
    await using home = await temporaryFolder()
    await operateHere(home.path, ['init'])
    const { status, stderr } = await operateHere(home.path, ['doi', 'check'])
    expect(status).not.toBe(0)
    expect(stderr).toContain('No daemon runs here')
  })
})

describe('after depositd restore', () => {
  it('nothing is sent until doi check was run', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const [home, copy, backup] = ['home', 'copy', 'backup'].map((name) => join(folder.path, name))
    const env = await dataciteSettings(folder.path, datacite.url)
    let id = ''
    {
      await using daemon = await testDaemon({ home: home ?? '', env })
      const ada = daemon.as('ada')
      const published = await ada.createPublished({ title: 'First' })
      id = published.id
      await doiOf(ada, published, 'registered')
      expect((await operateHere(home, ['backup', backup ?? ''], env)).status).toBe(0)
      await ada.edit(published)
      await ada.put(`/deposits/${id}`, { title: 'Second' })
      await ada.publish(published)
      await doiOf(ada, published, 'registered')
    }
    const restored = await operateHere(copy, ['restore', backup ?? ''], env)
    expect(restored.status).toBe(0)
    const asked = datacite.requests.length
    await using daemon = await testDaemon({ home: copy ?? '', env })
    const bob = daemon.as('bob')
    const admin = daemon.as('root', { admin: true })
    const later = await bob.createPublished({ title: 'Third' })
    await expect.poll(() => daemon.warnings().join()).toContain('restored from a backup')
    // Each commit wakes the worker.
    for (let more = 0; more < 5; more += 1) await bob.createPublished()
    expect(datacite.requests).toHaveLength(asked)
    expect((await doiOf(bob, later)).status).toBe('pending')

    const { status, stdout } = await operateHere(copy, ['doi', 'check'], env)
    expect(status).toBe(1)
    expect(stdout).toMatch(/\ttitles\t.*First.*\t.*Second/)
    await doiOf(bob, later, 'registered')
    expect((await doiOf(admin, { id })).status).toBe('registered')
  })
})

describe('depositd doi check --resume', () => {
  it('lets everything be sent again, also if a DOI cannot be compared', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const [home, copy, backup] = ['home', 'copy', 'backup'].map((name) => join(folder.path, name))
    const env = await dataciteSettings(folder.path, datacite.url)
    {
      await using daemon = await testDaemon({ home: home ?? '', env })
      const ada = daemon.as('ada')
      const { value } = await doiOf(ada, await ada.createPublished(), 'registered')
      datacite.fault = ({ url }) => (url?.includes(value) ? { status: 500 } : undefined)
      expect((await operateHere(home, ['backup', backup ?? ''], env)).status).toBe(0)
    }
    await operateHere(copy, ['restore', backup ?? ''], env)
    await using daemon = await testDaemon({ home: copy ?? '', env })
    const bob = daemon.as('bob')
    const later = await bob.createPublished()

    const refused = await operateHere(copy, ['doi', 'check'], env)
    expect(refused.stdout + refused.stderr).toContain('depositd doi check --resume')
    expect((await doiOf(bob, later)).status).toBe('pending')
    const resumed = await operateHere(copy, ['doi', 'check', '--resume'], env)
    expect(resumed.stdout + resumed.stderr).toContain('is sent to datacite from now on')
    await doiOf(bob, later, 'registered')
  })
})

describe('after depositd rebuild', () => {
  it('records have their DOIs, and nothing is sent until doi check was run', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const home = join(folder.path, 'home')
    const env = await dataciteSettings(folder.path, datacite.url)
    let record = ''
    let doi = ''
    {
      await using daemon = await testDaemon({ home, env })
      const ada = daemon.as('ada')
      const published = await ada.createPublished({ title: 'First' })
      doi = (await doiOf(ada, published, 'registered')).value
      record = (await ada.record(published)).id
      await expect
        .poll(async () => (await ada.show(published)).pids.concept.doi?.status)
        .toBe('registered')
    }
    for (const name of ['deposit.db', 'deposit.db-wal', 'deposit.db-shm']) {
      await rm(join(home, name), { force: true })
    }
    expect((await operateHere(home, ['rebuild'], env)).status).toBe(0)
    const asked = datacite.requests.length
    await using daemon = await testDaemon({ home, env })
    const found = await (await fetch(`${daemon.url}/records/${record}`)).json()
    expect(found).toMatchObject({
      pids: {
        doi: { value: doi, status: 'registered' },
        concept: { doi: { status: 'registered' } },
      },
    })
    const bob = daemon.as('bob')
    const later = await bob.createPublished()
    expect((await doiOf(bob, later)).status).toBe('pending')
    expect(datacite.requests).toHaveLength(asked)

    await operateHere(home, ['doi', 'check'], env)
    await doiOf(bob, later, 'registered')
  })
})

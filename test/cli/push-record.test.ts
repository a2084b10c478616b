import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { daemonUrl, deposit, useDaemon } from '../support/cli-at-daemon.ts'
import { demoToken } from '../support/services/invenio/store.ts'
import { startZenodo } from '../support/services/zenodo/zenodo.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const metadata = `title: Tides
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

/** A published record, in a folder that knows it, and a Zenodo of this name. */
const publishedFolder = (name: string) => knownFolder(name, ['release', '--yes'])

/** @param making the command that makes a deposit of the folder */
async function knownFolder(name: string, making: readonly string[]) {
  const service = await startZenodo({ limit: Infinity })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const folder = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const run = (...args: readonly string[]) =>
    deposit(args, { folder: folder.path, stdin: demoToken.token })
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  await run(...making)
  return { service, folder: folder.path, run }
}

describe('a record that is pushed', () => {
  it('tells nobody elsewhere its address on this machine, and loses nothing with its copy', async () => {
    const { service, run } = await publishedFolder('alone')

    await run('push', '--to', 'alone', '--publish', '--yes')
    const again = await run('push', '--to', 'alone', '--publish', '--yes', '--json', 'lost')

    expect((await run('show', '--metadata')).stdout).toContain('IsIdenticalTo')
    expect(JSON.stringify(service.state())).not.toContain(new URL(daemonUrl()).host)
    expect(JSON.parse(again.stdout)).toEqual({ lost: [] })
    expect(again.stderr).not.toContain('related_identifiers')
  })

  it('is not sent elsewhere once it was withdrawn here, but once it is restored', async () => {
    const { service, run } = await publishedFolder('withdrawn')
    const id = (await run('show', '--quiet')).stdout.trim()
    await run('withdraw', id, '--reason', 'test', '--yes')

    const refused = await run('push', '--to', 'withdrawn', '--publish', '--yes')
    const [, advised = ''] = /next: run `deposit (.*?)`/.exec(refused.stderr) ?? []
    const restored = await run(...advised.split(' '))
    const pushed = await run('push', '--to', 'withdrawn', '--publish', '--yes')

    expect([refused.status, refused.stdout]).toEqual([5, ''])
    expect(refused.stderr).toContain('its record was withdrawn on')
    expect(advised).toBe(`restore-record ${id}`)
    expect([restored.status, pushed.status]).toEqual([0, 0])
    expect(service.state()).toHaveLength(1)
  })

  it('is level when it is pushed again, although it says now that it is identical', async () => {
    const { run } = await publishedFolder('again')

    const first = await run('push', '--to', 'again', '--publish', '--yes')
    const second = await run('push', '--to', 'again', '--publish', '--yes')

    expect(first.stderr).toContain('The record here says that it is identical to 10.')
    expect(second).toMatchObject({ status: 0, stdout: first.stdout })
  })

  it('is printed with --quiet by the address of its DOI, and a draft by its identifier', async () => {
    const { run } = await publishedFolder('quiet')

    const draft = await run('push', '--to', 'quiet', '--quiet')
    const rehearsed = await run('push', '--to', 'quiet', '--quiet', '--dry-run')
    const published = await run('push', '--to', 'quiet', '--publish', '--yes', '--quiet')

    expect(draft.stdout).toMatch(/^\d+\n$/)
    expect(rehearsed.stdout).toBe(draft.stdout)
    expect(published.stdout).toBe(`https://doi.org/10.5072/zenodo.${draft.stdout}`)
  })

  it('shows where it went, and whether that is level', async () => {
    const { run, folder } = await publishedFolder('level')
    const before = await run('status', '--json', 'remotes')
    await run('push', '--to', 'level')
    const draft = await run('status')
    await run('push', '--to', 'level', '--publish', '--yes')

    const level = await run('status')
    const shown = await run('show')
    await writeFile(join(folder, 'metadata.yaml'), metadata.replace('Tides', 'High tides'))
    await run('release', '--yes')
    const behind = await run('status')

    expect(JSON.parse(before.stdout)).toEqual({ remotes: [] })
    expect(draft.stdout).toContain('Pushed: level, a draft, http')
    expect(level.stdout).toMatch(
      /Pushed: level, published as 10\.\S+, level when last pushed, \d{4}-\d\d-\d\d\n/,
    )
    expect(shown.stdout).toMatch(
      /Pushed: level, published as 10\.\S+, level when last pushed, \d{4}-\d\d-\d\d\n/,
    )
    const line = /Pushed: level, .*, which is behind: run `(.*)`\n/.exec(behind.stdout)
    expect(line?.[1]).toBe('deposit push . --to level --new-version')
    const followed = await run(...(line?.[1] ?? '').split(' ').slice(1), '--publish', '--yes')
    expect(followed.status).toBe(0)
    expect((await run('status')).stdout).toMatch(
      /Pushed: level, published as 10\.\S+, level when last pushed, \d{4}-\d\d-\d\d\n/,
    )
  })

  it('is identical to its own copy alone, also as a new version', async () => {
    const { run, folder } = await publishedFolder('versions')
    const first = await run('push', '--to', 'versions', '--publish', '--yes')
    await run('merge', '.')
    await run('sync')
    await writeFile(join(folder, 'b.csv'), '2')
    await run('release', '--yes')

    const second = await run('push', '--to', 'versions', '--new-version', '--publish', '--yes')

    expect(second.stdout).not.toBe(first.stdout)
    const { stdout } = await run('show', '--metadata')
    const [was, is] = [first, second].map((each) =>
      each.stdout.trim().slice('https://doi.org/'.length),
    )
    expect(stdout).toContain(is)
    expect(stdout).not.toContain(`${was}\n`)
  })

  it.each([
    ['a record', ['release', '--yes']],
    ['a draft', ['create', '.']],
  ])('as %s leaves its folder level, and stays identical to its copy', async (what, making) => {
    const { run, folder } = await knownFolder(`stays-${what.slice(2)}`, making)
    const { stdout } = await run('push', '--to', `stays-${what.slice(2)}`, '--publish', '--yes')
    const doi = stdout.trim().slice('https://doi.org/'.length)
    const related = async () => {
      const shown = await run('show', '--metadata', '--json')
      const metadata = JSON.parse(shown.stdout) as { readonly related_identifiers?: unknown }
      return JSON.stringify(metadata.related_identifiers)
    }

    const status = await run('status')
    const sync = await run('sync')

    expect(status.stdout).toContain('Changes: none')
    expect(sync.stderr).toContain('Nothing to change')
    expect(await related()).toContain(doi)

    await appendFile(join(folder, 'metadata.yaml'), 'keywords: [tide]\n')
    if (what === 'a draft') await run('sync')
    else {
      await run('edit')
      await run('sync')
      await run('publish', '--yes')
    }
    expect((await run('status')).stdout).toContain('Changes: none')
    expect(await related()).toContain(doi)
  })

  it.each([
    ['was released', ['release', '--yes']],
    ['is a draft', ['newversion', '.']],
  ])('makes no second record there when a new version %s here', async (state, making) => {
    const name = `next-${state.split(' ')[0]}`
    const { service, run, folder } = await publishedFolder(name)
    const first = await run('push', '--to', name, '--publish', '--yes')
    if (making[0] === 'release') await writeFile(join(folder, 'b.csv'), '2')
    await run(...making)
    if (making[0] === 'newversion') {
      await writeFile(join(folder, 'b.csv'), '2')
      await run('sync')
    }

    const refused = await run('push', '--to', name, '--publish', '--yes')
    expect(refused).toMatchObject({ status: 5, stdout: '' })
    expect(refused.stderr).toContain('a second record of the same work')
    const said = /next: run `deposit (.*)`/.exec(refused.stderr)?.[1] ?? ''
    expect(said).toContain('--new-version')
    expect(service.state()).toHaveLength(1)

    const second = await run(...said.split(' '))
    expect(second.status).toBe(0)
    expect(second.stdout).not.toBe(first.stdout)
    const concepts = (service.state() as readonly { conceptrecid?: string }[]).map(
      ({ conceptrecid }) => conceptrecid,
    )
    expect(concepts).toHaveLength(2)
    expect(new Set(concepts).size).toBe(1)
  })

  it('of a draft whose files changed since it was published there becomes a new version', async () => {
    const { service, run, folder } = await knownFolder('changed', ['create', '.'])
    const first = await run('push', '--to', 'changed', '--publish', '--yes')
    await writeFile(join(folder, 'a.csv'), '12')
    await run('sync')

    const refused = await run('push', '--to', 'changed', '--publish', '--yes')
    const said = /next: run `deposit (.*)`/.exec(refused.stderr)?.[1] ?? ''
    const second = await run(...said.split(' '))
    const again = await run(...said.split(' '))

    expect(refused.status).toBe(5)
    expect(second.status).toBe(0)
    expect(second.stdout).not.toBe(first.stdout)
    expect(again).toMatchObject({ status: 0, stdout: second.stdout })
    expect(service.state()).toHaveLength(2)
    expect((await run('status')).stdout).toContain('level when last pushed')
  })

  it('is corrected there after an edit, and says what was begun and not ended', async () => {
    const { service, run, folder } = await publishedFolder('edited')
    const first = await run('push', '--to', 'edited', '--publish', '--yes')
    await writeFile(join(folder, 'metadata.yaml'), metadata.replace('Tides', 'High tides'))
    await run('edit')
    await run('sync')
    await run('publish', '--yes')

    service.misbehave({ only: /actions\/publish/, shares: { error: 1 } })
    const broken = await run('push', '--to', 'edited', '--publish', '--yes', '--retries', '0')
    service.misbehave()
    const begun = await run('status')
    const corrected = await run('push', '--to', 'edited', '--publish', '--yes')

    expect(broken.status).toBe(6)
    expect(begun.stdout).toContain('with a correction there that is not published')
    expect(corrected).toMatchObject({ status: 0, stdout: first.stdout })
    expect(service.state()).toHaveLength(1)
    expect(JSON.stringify(service.state())).toContain('High tides')
    expect((await run('status')).stdout).toContain('level when last pushed')
  })

  it.each([
    ['before its draft was there', /actions\/newversion/],
    ['before its files were there', /\/api\/files\//],
  ])('tells of a new version that broke off %s', async (when, only) => {
    const name = `broken-${when.split(' ')[2]}`
    const { service, run } = await publishedFolder(name)
    const plain = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
    onTestFinished(() => plain[Symbol.asyncDispose]())
    const push = (...more: readonly string[]) =>
      run('push', plain.path, '--to', name, '--publish', '--yes', ...more)
    const doi = (await push()).stdout.trim().slice('https://doi.org/'.length)
    await writeFile(join(plain.path, 'a.csv'), '12')
    service.misbehave({ only, shares: { html: 1 } })
    expect((await push('--new-version', '--retries', '0')).status).toBe(6)
    service.misbehave()

    const { stdout } = await run('status', plain.path)
    expect(stdout).toContain(
      when.includes('draft')
        ? `published as ${doi}, with a new version there that is not published`
        : `a draft of a new version of ${doi}, http`,
    )
    const [, command = ''] = /run `deposit (push .*?)`/.exec(stdout) ?? []
    expect(await run(...command.split(' '), '--publish', '--yes')).toMatchObject({ status: 0 })
    expect((await run('status', plain.path)).stdout).toContain('level when last pushed')
    expect(service.state()).toHaveLength(2)
  })

  it('is looked at there on request: changed, deleted, or not to be reached', async () => {
    const { service, run } = await knownFolder('asked', ['create', '.'])
    await run('push', '--to', 'asked')
    const standing = async (...options: readonly string[]) =>
      /Pushed: asked, (.*)/.exec((await run('status', ...options)).stdout)?.[1]
    const headers = { authorization: `Bearer ${demoToken.token}` }
    const api = `${service.url}/api/deposit/depositions`
    const [{ id, links }] = (await (await fetch(api, { headers })).json()) as [
      { id: number; links: { bucket: string } },
    ]

    expect(await standing('--remotes')).toMatch(/^a draft, http\S+, level$/)
    await fetch(`${links.bucket}/a.csv`, { method: 'PUT', body: 'other', headers })
    expect(await standing()).toMatch(/level when last pushed, \d{4}-\d\d-\d\d$/)
    expect(await standing('--remotes')).toContain(
      'whose files were changed there: run `deposit push',
    )
    await fetch(`${api}/${id}`, { method: 'DELETE', headers })
    expect(await standing('--remotes')).toContain('which is not there any more: run `deposit push')
    expect((await run('push', '--to', 'asked')).status).toBe(0)
    expect(await standing('--remotes')).toMatch(/, level$/)
    await service[Symbol.asyncDispose]()
    expect(await standing('--remotes')).toContain('(could not ask now: no answer from')
  })

  it('of a folder that knows no deposit says it too', async () => {
    const { run } = await publishedFolder('folder')
    const plain = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
    onTestFinished(() => plain[Symbol.asyncDispose]())

    await run('push', plain.path, '--to', 'folder')
    const level = await run('status', plain.path)
    await writeFile(join(plain.path, 'a.csv'), '12')
    const behind = await run('status', plain.path)

    expect(level.stdout).toMatch(
      /Pushed: folder, a draft, http\S+, level when last pushed, \d{4}-\d\d-\d\d\n/,
    )
    expect(behind.stdout).toContain('which is behind: run `deposit push')
  })
})

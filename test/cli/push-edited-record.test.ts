import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deposit, useDaemon } from '../support/cli-at-daemon.ts'
import { demoToken } from '../support/services/invenio/store.ts'
import { startZenodo } from '../support/services/zenodo/zenodo.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const metadata = `title: Tides
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
access: {files: restricted, until: 2999-01-01}
`

const publish = ['--publish', '--yes']

/** A record with an edit that is not published, which changes its title and opens its files. */
async function editedRecord(name: string) {
  const service = await startZenodo({ limit: Infinity })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const folder = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const run = (...args: readonly string[]) =>
    deposit(args, { folder: folder.path, stdin: demoToken.token })
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  const { id, links } = JSON.parse((await run('release', '--yes', '--json')).stdout) as {
    readonly id: string
    readonly links: { readonly record_html: string }
  }
  const edit = async (): Promise<void> => {
    await run('edit', id)
    const changed = metadata
      .replace('Tides', 'Secret tides')
      .replace('{files: restricted, until: 2999-01-01}', '{files: public}')
    await writeFile(join(folder.path, 'metadata.yaml'), changed)
    await run('update', id, '--metadata', 'metadata.yaml')
  }
  return { service, run, id, links, folder: folder.path, edit }
}

describe('a record with an edit that is not published', () => {
  it.each(['its identifier', 'its address'])('is pushed as it is published, by %s', async (by) => {
    const name = by === 'its identifier' ? 'byid' : 'byaddress'
    const { service, run, links, edit } = await editedRecord(name)
    const record: string =
      by === 'its address' ? links.record_html : (links.record_html.split('/').at(-1) ?? '')
    await run('push', record, '--to', name, ...publish)
    await edit()

    const rehearsed = await run('push', record, '--to', name, '--dry-run', '--json')
    const pushed = await run('push', record, '--to', name, ...publish)

    expect([rehearsed.status, pushed.status]).toEqual([0, 0])
    expect(rehearsed.stdout).not.toContain('Secret')
    expect(pushed.stderr).toContain(
      'Note: its record has edits that are not published here: access, title',
    )
    const document = { title: 'Tides', access_right: 'embargoed', embargo_date: '2999-01-01' }
    expect(service.state()).toMatchObject([{ published: { document } }])
  })

  it('is not published elsewhere by the identifier of its deposit, until it is published here', async () => {
    const { service, run, id, edit } = await editedRecord('edited')
    await run('push', id, '--to', 'edited', ...publish)
    await edit()

    const refused = await run('push', id, '--to', 'edited', ...publish)
    const ofFolder = await run('push', '--to', 'edited', ...publish)
    const before = service.state()
    const [, first = ''] = /next: run `deposit (.*?)`/.exec(refused.stderr) ?? []
    await run(...first.split(' '))
    const pushed = await run('push', id, '--to', 'edited', ...publish)

    expect([refused.status, ofFolder.status, pushed.status]).toEqual([5, 5, 0])
    expect(refused.stderr).toContain('has edits that are not published here: access, title')
    expect(before).toMatchObject([{ published: { document: { title: 'Tides' } } }])
    expect(service.state()).toMatchObject([{ published: { document: { title: 'Secret tides' } } }])
  })

  it('is sent as a draft with a note, and without one where the edit changes nothing', async () => {
    const { run, id, edit } = await editedRecord('noted')
    await run('edit', id)
    const same = await run('push', id, '--to', 'noted', ...publish)
    const opened = await editedRecord('opened')
    await opened.edit()
    await edit()

    const drafted = await opened.run('push', opened.id, '--to', 'opened')

    expect(same).toMatchObject({ status: 0 })
    expect(same.stderr).not.toContain('has edits')
    expect(drafted.status).toBe(0)
    expect(drafted.stderr).toContain(
      'Note: its record has edits that are not published here: access, title',
    )
    expect(drafted.stderr).toContain('They are pushed; run `deposit push ')
  })
})

describe('a record that was withdrawn here, and has a copy elsewhere', () => {
  it('is not published there with a journal of its own either', async () => {
    const { service, run, id } = await editedRecord('gone')
    await run('withdraw', id, '--reason', 'test', '--yes')
    const journal = ['--journal', '.journal', '--exclude', '.journal/**']

    const refused = await run('push', '--to', 'gone', ...journal, ...publish)
    await run('restore-record', id)
    const pushed = await run('push', '--to', 'gone', ...journal, ...publish)

    expect([refused.status, pushed.status]).toEqual([5, 0])
    expect(refused.stderr).toContain('its record was withdrawn on')
    expect(service.state()).toHaveLength(1)
  })

  it('is withdrawn with the advice to have the copy removed, which its status repeats', async () => {
    const { run, id } = await editedRecord('copied')
    const doi = (await run('push', '--to', 'copied', ...publish)).stdout.trim()
    const short = doi.replace('https://doi.org/', '')
    const withdraw = ['withdraw', id, '--reason', 'test']

    const rehearsed = await run(...withdraw, '--dry-run')
    const withdrawn = await run(...withdraw, '--yes')
    const { stdout } = await run('status')

    const said = `Note: a copy is public at copied, as ${short}: have it removed there`
    expect(rehearsed.stderr).toContain(said)
    expect(withdrawn.stderr).toContain(said)
    expect(stdout).toContain(`Pushed: copied, published as ${short}, and public there still`)
    expect(stdout).toContain(`Next: have the copy removed at http`)
  })
})

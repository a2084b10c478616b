import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  newPublished,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const files = {
  'metadata.yaml': 'title: Water levels\nkeywords: [tide]\n',
  'a.csv': '1,2',
  'b.csv': '3,4',
  'c.csv': '5,6',
  'empty.csv': '',
}

interface Changed extends TemporaryFolder {
  readonly id: string
}

/** A draft of a folder that was then changed in every possible way. */
async function changedFolder(): Promise<Changed> {
  const folder = await temporaryFolder(files)
  const id = await newDraft(folder.path)
  const at = (name: string): string => join(folder.path, name)
  await writeFile(at('a.csv'), '9,9')
  await rename(at('b.csv'), at('moved.csv'))
  await rm(at('c.csv'))
  await writeFile(at('new.csv'), '7,8')
  await writeFile(at('metadata.yaml'), 'title: High water\nkeywords: [tide]\n')
  return { ...folder, id }
}

const changes = [
  'added\tnew.csv',
  'replaced\ta.csv',
  'renamed\tb.csv\tmoved.csv',
  'deleted\tc.csv',
  'metadata\treplace\t/title',
]

describe('a dry run', () => {
  it('refuses what the server would refuse: frozen files, and published metadata', async () => {
    await using folder = await temporaryFolder(files)
    const id = (await deposit(['create', folder.path, '--publish', '--json', 'id'])).stdout
    const published = (JSON.parse(id) as { readonly id: string }).id
    const sync = () => deposit(['sync', folder.path, published, '-n'])
    await writeFile(join(folder.path, 'metadata.yaml'), 'title: High water\nkeywords: [tide]\n')

    expectFailure(await sync(), 5, `next: run \`deposit edit ${published}\``)
    await deposit(['edit', published])
    expect(await sync()).toMatchObject({ status: 0 })
    await writeFile(join(folder.path, 'new.csv'), '7,8')
    const words = `\`deposit newversion ${published}\``
    expectFailure(await sync(), 5, words)
    const upload = ['upload', published, join(folder.path, 'new.csv'), '-n']
    expectFailure(await deposit(upload), 5, words)
    await deposit(['discard', published])
    const next = (await deposit(['newversion', published])).stdout.trim()
    expect(await deposit(['sync', folder.path, next])).toMatchObject({ status: 0 })
  })

  it('refuses metadata of the wrong type, as sync does before it sends a file', async () => {
    await using folder = await changedFolder()
    await writeFile(join(folder.path, 'metadata.yaml'), 'title: [1]\n')
    for (const rehearsal of [[], ['-n']])
      expectFailure(
        await deposit(['sync', folder.path, folder.id, ...rehearsal]),
        1,
        'must be text',
      )
    expect(await namesOf(folder.id)).toEqual(['a.csv', 'b.csv', 'c.csv', 'empty.csv'])
  })
})

describe('deposit diff', () => {
  it('lists added, replaced, renamed and deleted files, and changed metadata', async () => {
    await using folder = await changedFolder()
    const { status, stdout, stderr } = await deposit(['diff', folder.path, folder.id])

    expect(stdout.trimEnd().split('\n')).toEqual(changes)
    expect(stderr).toBe('1 added, 1 replaced, 1 renamed, 1 deleted, 1 metadata change (title)\n')
    expect(status).toBe(0)
    expect(await namesOf(folder.id)).toEqual(['a.csv', 'b.csv', 'c.csv', 'empty.csv'])
  })

  it('exits with 8 for --exit-code if there are differences, else with 0', async () => {
    await using folder = await changedFolder()
    await using same = await temporaryFolder(files)

    expect(await deposit(['diff', folder.path, folder.id, '--exit-code'])).toMatchObject({
      status: 8,
    })
    expect(await deposit(['diff', same.path, folder.id, '--exit-code'])).toEqual({
      status: 0,
      stdout: '',
      stderr: 'No differences\n',
    })
  })

  it('prints JSON for a script', async () => {
    await using folder = await changedFolder()
    const { stdout } = await deposit(['diff', folder.path, folder.id, '--json'])

    expect(JSON.parse(stdout)).toEqual({
      added: [{ filename: 'new.csv', filesize: 3 }],
      replaced: [{ filename: 'a.csv', filesize: 3 }],
      renamed: [{ filename: 'moved.csv', from: 'b.csv' }],
      deleted: [{ filename: 'c.csv', filesize: 3 }],
      metadata: [{ op: 'replace', path: '/title', value: 'High water' }],
    })
  })

  it('does not list ignored files as deleted', async () => {
    await using folder = await temporaryFolder(files)
    const id = await newDraft(folder.path)
    await rm(join(folder.path, 'c.csv'))

    const { stdout } = await deposit(['diff', folder.path, id, '--exclude', 'c.*'])
    expect(stdout).toBe('')
  })

  it('needs an existing folder and deposit', async () => {
    expectFailure(await deposit(['diff', 'data']), 2, 'the folder does not know one yet')
    expectFailure(await deposit(['diff', 'none', 'x']), 2, 'no such file')
    expectFailure(await deposit(['diff', 'data', 'none']), 3, 'deposit_not_found')
  })
})

describe('deposit sync', () => {
  it('makes the deposit match the folder, in path order, and changes nothing when run again', async () => {
    await using folder = await changedFolder()
    const args = ['sync', folder.path, folder.id, '--delete']
    const { status, stdout } = await deposit(args)

    expect({ status, lines: stdout.trimEnd().split('\n') }).toEqual({ status: 0, lines: changes })
    expect(await namesOf(folder.id)).toEqual(['a.csv', 'empty.csv', 'moved.csv', 'new.csv'])
    expect(await read(folder.id)).toMatchObject({ metadata: { title: 'High water' } })
    expect(await deposit(args)).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Nothing to change\n',
    })
  })

  it('deletes nothing without --delete', async () => {
    await using folder = await changedFolder()
    await deposit(['sync', folder.path, folder.id])

    expect(await namesOf(folder.id)).toContain('c.csv')
  })

  it('changes nothing in a dry run', async () => {
    await using folder = await changedFolder()
    const { stdout, stderr } = await deposit(['sync', folder.path, folder.id, '--delete', '-n'])

    expect(stdout.trimEnd().split('\n')).toEqual(changes)
    expect(stderr).toContain('Would change: 1 added')
    expect(await namesOf(folder.id)).toEqual(['a.csv', 'b.csv', 'c.csv', 'empty.csv'])
    expect(await read(folder.id)).toMatchObject({ metadata: { title: 'Water levels' } })
  })

  it('needs a folder and a deposit, and changes nothing of a published one', async () => {
    await using folder = await changedFolder()
    const id = await newPublished()

    expectFailure(await deposit(['sync', 'data']), 2, 'the folder does not know one yet')
    expectFailure(await deposit(['sync', folder.path, id]), 5, '(invalid_action')
    expect(await read(id)).toMatchObject({ metadata: { title: 'Water levels' } })
  })
})

describe('deposit upload --dry-run', () => {
  it('lists the files to send, and sends nothing', async () => {
    const id = await newDraft('data')
    const { status, stdout, stderr } = await deposit(['upload', id, 'data', 'extra.txt', '-n'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: 'metadata.yaml\nextra.txt\n' })
    expect(stderr).toContain('Would upload 2 files; 3 files already there')
    expect(await namesOf(id)).toHaveLength(3)
  })
})

import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deposit, expectFailure, namesOf, read, useDaemon } from '../support/cli-at-daemon.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const newFolder = (): Promise<TemporaryFolder> =>
  temporaryFolder({ 'a/metadata.yaml': 'title: Tides\n', 'a/a.csv': '1' })

/** Runs a command that succeeds; returns its output and its notes. */
async function done(folder: TemporaryFolder, ...args: readonly string[]) {
  const { status, stdout, stderr } = await deposit(args, { folder: folder.path })
  expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({
    args,
    status: 0,
    stderr: '',
  })
  return { out: stdout.trim(), notes: stderr }
}

async function depositOf({ path }: TemporaryFolder, name: string): Promise<string> {
  const text = await readFile(join(path, name, '.deposit.json'), 'utf8')
  return (JSON.parse(text) as { readonly id: string }).id
}

describe('a folder at which several commands work', () => {
  it('gets one deposit, however many create it at once', async () => {
    await using folder = await newFolder()

    const all = await Promise.all([1, 2, 3, 4].map(() => done(folder, 'create', 'a', '--quiet')))
    expect(new Set(all.map(({ out }) => out)).size).toBe(1)
    expect(await namesOf(all[0]?.out ?? '')).toEqual(['a.csv'])
  })

  it('gets one record, however many release it at once', async () => {
    await using folder = await newFolder()

    const all = await Promise.all([1, 2, 3].map(() => done(folder, 'release', 'a', '--yes')))
    expect(new Set(all.map(({ out }) => out)).size).toBe(1)
  })
})

describe('a correction at the server', () => {
  it('is told before a folder replaces it: by status, a dry run, sync and release', async () => {
    await using folder = await newFolder()
    await done(folder, 'release', 'a')
    const id = await depositOf(folder, 'a')
    await done(folder, 'edit', id)
    await done(folder, 'update', id, '--set', 'title=Tides of 2026')
    await done(folder, 'publish', id)
    const told = 'title: "Tides of 2026" becomes "Tides"\n'

    expect((await done(folder, 'status', 'a')).out).toContain('1 metadata change (title)')
    expect(`${(await done(folder, 'status', 'a')).out}\n`).toContain(told)
    expect((await done(folder, 'release', 'a', '--dry-run')).notes).toContain(told)
    expect((await done(folder, 'release', 'a')).notes).toContain(told)
  })
})

describe('a next version that somebody else has begun', () => {
  it('is named by newversion, and not overwritten by release without --yes', async () => {
    await using folder = await newFolder()
    await done(folder, 'release', 'a')
    await cp(join(folder.path, 'a'), join(folder.path, 'b'), { recursive: true })
    await writeFile(join(folder.path, 'b/b.csv'), '2')
    await done(folder, 'newversion', 'b/')
    await done(folder, 'sync', 'b')
    const id = await depositOf(folder, 'b')
    await writeFile(join(folder.path, 'a/c.csv'), '3')

    const refused = await deposit(['release', 'a'], { folder: folder.path })
    expectFailure(refused, 5, `draft ${id} of the next version was changed`)
    expect(await namesOf(id)).toEqual(['a.csv', 'b.csv'])
    expect((await done(folder, 'newversion', 'a/')).notes).toMatch(
      /is begun already: draft \w+, changed just now\n/,
    )
  })

  it('is not published as it was before', async () => {
    await using folder = await newFolder()
    const { out: first } = await done(folder, 'release', 'a')
    const { out: id } = await done(folder, 'newversion', 'a/')

    const { out, notes } = await done(folder, 'release', 'a')
    expect(out).toBe(first)
    expect(notes).toContain(
      `Nothing to publish: the folder is as ${first}, and so is draft ${id}\n`,
    )
    expect(await read(id)).toMatchObject({ metadata: { _deposit: { status: 'draft' } } })
  })
})

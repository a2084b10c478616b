import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { batchFolder, rowsOf } from '../support/batch-rows.ts'
import { daemonUrl, deposit, useDaemon } from '../support/cli-at-daemon.ts'
import { releasable, release } from '../support/release.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const access = 'access: {files: restricted, until: 2999-05-01}\n'
const said = 'open on 1 May 2999 (00:00 UTC), and the metadata have no access'

/** Files of the newest version that anonymous readers may have. */
async function openFiles(record: string): Promise<number> {
  const { pathname } = new URL(record)
  const reply = await fetch(`${daemonUrl()}${pathname}`, {
    headers: { accept: 'application/json' },
  })
  const { files = [] } = (await reply.json()) as { readonly files?: readonly unknown[] }
  return files.length
}

async function embargoed() {
  const folder = await temporaryFolder(releasable)
  await writeFile(join(folder.path, 'data/metadata.yaml'), `title: Tides\nversion: "1"\n${access}`)
  return { folder, first: await release(folder) }
}

describe('the next version of a record with an embargo, whose metadata leave access out', () => {
  it('is not released: nothing is made, whatever is published with it', async () => {
    const { folder, first } = await embargoed()
    await using _ = folder
    await writeFile(join(folder.path, 'data/metadata.yaml'), 'title: Tides\nversion: "2"\n')
    await writeFile(join(folder.path, 'data/b.csv'), 'new')

    for (const option of ['--yes', '--dry-run']) {
      const { status, stderr } = await deposit(['release', 'data', option], { folder: folder.path })
      expect([status, stderr]).toEqual([5, expect.stringContaining(said)])
    }
    await rm(join(folder.path, 'data/a.csv'))
    const { status } = await deposit(['release', 'data'], { folder: folder.path })
    expect(status).toBe(5)
    expect(await openFiles(first)).toBe(0)
  })

  it('is released on a terminal by a person who has read it', async () => {
    const { folder } = await embargoed()
    await using _ = folder
    await writeFile(join(folder.path, 'data/metadata.yaml'), 'title: Tides\nversion: "2"\n')

    const answers = { folder: folder.path, isTyped: true, terminal: 200, stdin: 'n\n' } as const
    const { stderr } = await deposit(['release', 'data'], answers)

    expect(stderr).toContain(said)
  })

  it('is released once access says so', async () => {
    const { folder } = await embargoed()
    await using _ = folder
    await writeFile(
      join(folder.path, 'data/metadata.yaml'),
      'title: Tides\nversion: "2"\naccess: {files: public}\n',
    )
    const { status, stderr } = await deposit(['release', 'data'], { folder: folder.path })
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('warning: /access: The files of the version before open on'),
    ])
  })
})

describe('deposit release', () => {
  it('tells what the server warns of, and refuses it with --strict', async () => {
    await using folder = await temporaryFolder(releasable)
    const metadata = join(folder.path, 'data/metadata.yaml')
    await writeFile(metadata, 'title: Tides\nversion: "1"\n')
    await release(folder)
    await writeFile(join(folder.path, 'data/a.csv'), 'other')
    const said = '/version: The version before is also called 1.'

    const strict = await deposit(['release', 'data', '--strict'], { folder: folder.path })
    const { status, stderr } = await deposit(['release', 'data'], { folder: folder.path })

    expect(strict.status).toBe(1)
    expect([status, stderr]).toEqual([0, expect.stringContaining(`warning: ${said}`)])
  })
})

describe('rows of a batch whose records have an embargo', () => {
  it('are not updated where they leave access out; the others are', async () => {
    const cell = '"{""files"": ""restricted""}"'
    await using folder = await batchFolder(
      `key,title,access:,folder\na,One,${cell},one\nb,Two,,\nc,Three,${cell},\n`,
    )
    const file = join(folder.path, 'rows.csv')
    const args = ['batch', file, '--publish', '--update', '--yes']
    const first = rowsOf(await deposit(args))
    await writeFile(file, 'key,title,folder\na,Again,one\nb,Other,\nc,Three again,\n')

    const rehearsed = await deposit([...args, '--dry-run'])
    const updated = await deposit(args)

    expect(rehearsed.stdout.match(/are restricted, and the metadata have no access/g)).toHaveLength(
      2,
    )
    expect(rehearsed.status).not.toBe(0)
    expect(rowsOf(updated).map(([, outcome]) => outcome)).toEqual(['failed', 'updated', 'failed'])
    expect(updated.stdout).toContain('are restricted, and the metadata have no access')
    expect(await openFiles(first[0]?.[3] ?? '')).toBe(0)
  })
})

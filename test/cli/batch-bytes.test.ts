import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deposit, useDaemon } from '../support/cli-at-daemon.ts'
import type { Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** A batch of one row, whose file was at rest for long. */
async function batchOf(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({
    'batch.csv': 'key,title,files\nk,Tides,a.csv\n',
    'a.csv': 'a,1\n',
  })
  await utimes(join(folder.path, 'a.csv'), 1, 1)
  return folder
}

const run = ({ path }: TemporaryFolder, ...more: readonly string[]): Promise<Outcome> =>
  deposit(['batch', 'batch.csv', ...more], { folder: path })

const change = ({ path }: TemporaryFolder, text: string): Promise<void> =>
  writeFile(join(path, 'a.csv'), text)

interface Told {
  readonly id: string
  readonly url: string | null
  readonly status: string
  readonly would: string
}

async function told(folder: TemporaryFolder, ...more: readonly string[]): Promise<Told> {
  const { stdout, stderr } = await run(folder, ...more, '--json')
  expect(stderr).not.toContain('could not')
  const [row] = JSON.parse(stdout) as readonly Told[]
  expect(row).toBeDefined()
  return row as Told
}

const contentOf = async (id: string): Promise<string> =>
  (await deposit(['cat', id, 'a.csv'])).stdout

describe('a batch whose file has other bytes of the same size', () => {
  it('publishes a new version with --update, and says without that it has changed', async () => {
    await using folder = await batchOf()
    const first = await told(folder, '--publish')
    expect(await told(folder, '--publish')).toMatchObject({ status: 'already done' })
    await change(folder, 'a,2\n')

    const unasked = await run(folder, '--publish')
    expect(unasked.status).toBe(7)
    expect(unasked.stdout).toContain('changed')
    const update = ['--publish', '--update']
    expect(await told(folder, ...update, '--dry-run')).toMatchObject({
      would: 'make a new version',
    })
    const second = await told(folder, ...update)
    expect(second).toMatchObject({ status: 'new version' })
    expect(second.url).not.toBe(first.url)
    expect(await contentOf(second.id)).toBe('a,2\n')
    expect(await contentOf(first.id)).toBe('a,1\n')
    expect(await told(folder, ...update)).toMatchObject({ status: 'already done' })
  })

  it('replaces the file of a draft, and publishes what the row has by then', async () => {
    await using folder = await batchOf()
    const { id } = await told(folder)
    await change(folder, 'a,2\n')
    expect(await told(folder, '--update')).toMatchObject({ id, status: 'updated' })
    expect(await contentOf(id)).toBe('a,2\n')
    await change(folder, 'a,3\n')
    expect(await told(folder, '--publish')).toMatchObject({ id, status: 'published' })
    expect(await contentOf(id)).toBe('a,3\n')
  })

  it('finds it too with a journal of an earlier version, which has no digests of bytes', async () => {
    await using folder = await batchOf()
    const { id } = await told(folder, '--publish')
    const journal = join(folder.path, 'batch.csv.journal')
    const text = await readFile(journal, 'utf8')
    expect(text).toContain('"bytes":')
    await writeFile(journal, text.replaceAll(/"bytes":"\w+",?/g, ''))
    expect(await told(folder, '--publish')).toMatchObject({ id, status: 'already done' })
    await writeFile(journal, text.replaceAll(/"bytes":"\w+",?/g, ''))
    await change(folder, 'a,2\n')
    expect(await told(folder, '--publish', '--update')).toMatchObject({ status: 'new version' })
  })
})

describe('a batch of which a record was withdrawn', () => {
  it('publishes no next version of it, whatever changed', async () => {
    await using folder = await batchOf()
    const { id, url } = await told(folder, '--publish')
    await deposit(['withdraw', id, '--reason', 'personal-data', '--destroy-bytes', '--yes'])
    await change(folder, 'a,2\n')

    for (const more of [['--dry-run'], []]) {
      const { status, stdout } = await run(folder, '--publish', '--update', ...more)
      expect(status).toBe(7)
      expect(stdout).toContain(`${url} was withdrawn on `)
      expect(stdout).toContain('give the row another key')
    }
    const { stdout } = await deposit(['list', '--json', '--status', 'published'])
    expect(stdout.match(/"withdrawn"/g)).toHaveLength(1)
  })
})

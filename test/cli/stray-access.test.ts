import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deposit, useDaemon } from '../support/cli-at-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const described = {
  title: 'Tides',
  creators: [{ name: 'Ada' }],
  publication_date: '2026',
  resource_type: 'dataset',
  license: 'CC0-1.0',
}

const columns = 'folder,title,creators,publication_date,resource_type,license'
const row = 'data,Tides,Ada,2026,dataset,CC0-1.0'

/** Each sends the folder `data`, which has its metadata in `metadata.json`, or the table `rows.csv`. */
const commands: Readonly<Record<string, readonly string[]>> = {
  create: ['create', 'data', '--publish', '--yes', '--no-remember'],
  release: ['release', 'data', '--yes'],
  check: ['check', 'data'],
  batch: ['batch', 'rows.csv', '--publish', '--yes'],
}

async function place() {
  const folder = await temporaryFolder({ 'data/a.csv': '1', 'rows.csv': `${columns}\n${row}\n` })
  const run = (args: readonly string[]) => deposit(args, { folder: folder.path })
  const write = async (said: object): Promise<void> => {
    const metadata = JSON.stringify({ ...described, ...said })
    await writeFile(join(folder.path, 'data', 'metadata.json'), metadata)
  }
  return { run, write, folder, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

/** How many deposits the service has. */
async function countDeposits(): Promise<number> {
  const { stdout } = await deposit(['list', '--quiet', '--all'])
  return stdout.split('\n').filter((line) => line !== '').length
}

describe('a field that is probably meant to close the files', () => {
  it.for<[command: string, field: string, said: object]>([
    ['create', '/acess', { acess: { files: 'restricted', until: '2999-05-01' } }],
    ['create', '/aces', { aces: { files: 'restricted' } }],
    ['create', '/files', { files: 'restricted' }],
    ['create', '/remark', { remark: { until: '2999-05-01' } }],
    ['create', '/until', { until: '2999-05-01' }],
    ['create', '/availability', { availability: '2999-05-01' }],
    ['create', '/data_release', { data_release: 'May 2999' }],
    ['create', '/access_opens', { access_opens: '2999-05-01' }],
    ['create', '/gdpr', { gdpr: 'personal data, do not publish' }],
    ['release', '/axcess', { axcess: true }],
    ['release', '/note', { note: { files: 'restricted' } }],
    ['check', '/acess', { acess: { files: 'restricted', until: '2999-05-01' } }],
  ])('refuses %s to publish: %s', async ([command, field, said]) => {
    await using there = await place()
    await there.write(said)
    const before = await countDeposits()

    const { status, stdout, stderr } = await there.run(commands[command] ?? [])

    expect(status).not.toBe(0)
    expect(stdout + stderr).toContain(`${field}: `)
    expect(await countDeposits()).toBe(before)

    const [, advised = ''] =
      /If they are open, (?:write in place of the field|add): access: (\{.*?\})/.exec(
        stdout + stderr,
      ) ?? []
    expect(advised).toBe('{files: public}')
    await there.write({ access: { files: 'public' } })
    expect(await there.run(commands[command] ?? [])).toMatchObject({ status: 0 })
  })

  it('refuses a batch that has a column like it', async () => {
    await using there = await place()
    const table = `${columns},acess:\n${row},"{""files"": ""restricted""}"\n`
    await writeFile(join(there.folder.path, 'rows.csv'), table)
    const before = await countDeposits()

    const { status, stderr } = await there.run(commands['batch'] ?? [])

    expect(status).not.toBe(0)
    expect(stderr).toContain('/acess: it looks like access')
    expect(await countDeposits()).toBe(before)
  })

  it('keeps a day in the line that closes them', async () => {
    await using there = await place()
    await there.write({ acess: { files: 'restricted', until: '2999-05-01' } })

    const { stderr } = await there.run(commands['create'] ?? [])

    expect(stderr).toContain('access: {files: restricted, until: 2999-05-01}')
  })

  it('keeps a day under a misspelt name, too', async () => {
    await using there = await place()
    await there.write({ access: { files: 'restricted', untill: '2999-05-01' } })
    expect((await there.run(commands['create'] ?? [])).stderr).toContain(
      'write in place of the field: access: {files: restricted, until: 2999-05-01}',
    )
    // A day that is past opens nothing.
    await there.write({ access: { files: 'restricted', untill: '2020-05-01' } })
    const past = await there.run(commands['create'] ?? [])
    expect(past.status).toBe(1)
    expect(past.stderr).toContain('write in place of the field: access: {files: restricted}.')
  })

  it('is only warned of in a draft', async () => {
    await using there = await place()
    await there.write({ acess: { files: 'restricted' } })

    const { status, stderr } = await there.run(['create', 'data', '--no-remember'])

    expect(status).toBe(0)
    expect(stderr).toContain('warning: data/metadata.json:')
    expect(stderr).toContain('/acess: it looks like access')
  })

  it('refuses to publish a draft that has it, until it is written as access', async () => {
    await using there = await place()
    await there.write({ acess: { files: 'restricted' } })
    const id = (await there.run(['create', 'data', '--quiet'])).stdout.trim()

    const refused = await there.run(['publish', id, '--yes'])
    const rehearsed = await there.run(['publish', id, '--dry-run'])
    await there.write({ access: { files: 'restricted' } })
    await there.run(['sync', 'data'])
    const published = await there.run(['publish', id])

    expect([refused.status, rehearsed.status, published.status]).toEqual([1, 1, 0])
    expect(refused.stderr).toContain('/acess: it looks like access')
    expect(published.stderr).toContain('Files are restricted')
  })

  it('refuses to publish a draft with a field that may be meant so, until access says it', async () => {
    await using there = await place()
    await there.write({ valve: 'closed' })
    const id = (await there.run(['create', 'data', '--quiet'])).stdout.trim()

    const refused = await there.run(['publish', id, '--yes'])
    await there.write({ valve: 'closed', access: { files: 'public' } })
    await there.run(['sync', 'data'])

    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('/valve: it says "closed"')
    expect(await there.run(['publish', id])).toMatchObject({ status: 0 })
  })

  it('is none where access closes the files, or the words are of something else', async () => {
    await using there = await place()
    await there.write({ acess: 'me', access: { files: 'restricted' } })
    expect((await there.run(commands['check'] ?? [])).status).toBe(0)
    await there.write({ valve: 'closed', access: { files: 'public' } })
    expect((await there.run(commands['check'] ?? [])).status).toBe(0)
    await there.write({
      success: 'high',
      accessed: '2026-11-20',
      remark: 'The valve was closed.',
      period: { until: '2999-05-01', from: '2' },
    })
    expect((await there.run(commands['check'] ?? [])).status).toBe(0)
  })
})

describe('an embargo that is over', () => {
  it('is warned of in a draft, and refused before anything is published with it', async () => {
    await using there = await place()
    await there.write({ access: { files: 'restricted', until: '2020-01-01' } })
    const before = await countDeposits()

    const refused = await there.run(commands['create'] ?? [])
    const draft = ['create', 'data', '--no-remember']
    const [strict, made] = [await there.run([...draft, '--strict']), await there.run(draft)]

    expect([refused.status, strict.status, made.status]).toEqual([1, 1, 0])
    expect(refused.stderr).toContain('/access/until: until is 2020-01-01, which is past')
    expect(made.stderr).toMatch(/warning: .*\/access\/until: until is 2020-01-01, which is past/)
    expect(await countDeposits()).toBe(before + 1)
    await there.write({ access: { files: 'public' } })
    expect((await there.run(commands['create'] ?? [])).status).toBe(0)
  })
})

describe('an edit that would close public files', () => {
  it('is refused with its reason alone, and not as a fault by the schema', async () => {
    const made = await deposit(['create', '--title', 'Tides', '--publish', '--json', 'id'])
    const { id } = JSON.parse(made.stdout) as { readonly id: string }
    await deposit(['edit', id])
    const access = 'access:={"files": "restricted", "until": "2999-05-01"}'
    await deposit(['update', id, '--set', access])

    const { status, stderr } = await deposit(['publish', id])

    expect(status).toBe(1)
    expect(stderr).toContain('\n  /access: The files of this record are public, and an edit does')
    expect(stderr).not.toContain('schema')
    await deposit(['update', id, '--unset', 'access'])
    expect((await deposit(['publish', id])).status).toBe(0)
  })
})

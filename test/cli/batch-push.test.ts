import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { md5 } from '../support/md5.ts'
import { remoteKinds } from '../support/remote-kinds.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import type { FakeService } from '../support/services/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const kind = remoteKinds['Zenodo of today']
const common = ',Ada,2026,dataset,CC0-1.0,Levels'
const table = (third = 'Three'): string =>
  [
    'key,title,files,creators,publication_date,resource_type,license,description',
    `a,One,a.txt${common}`,
    `b,Two,b.txt${common}`,
    `c,${third},c.txt${common}`,
    '',
  ].join('\n')

/** Rows and their files, and a remote. */
async function openBatch() {
  if (kind === undefined) throw new Error('there is no such kind')
  const service = await kind.start()
  const files = { 'rows.csv': table(), 'a.txt': 'a', 'b.txt': 'bb', 'c.txt': 'ccc' }
  const folder = await temporaryFolder(files)
  const name = `r${randomUUID().slice(0, 8)}`
  const run = (...args: readonly string[]): Promise<Outcome> =>
    runCli(args, { folder: folder.path, stdin: kind.token })
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  return {
    service,
    folder: folder.path,
    name,
    run,
    push: (...args: readonly string[]) => run('batch', 'rows.csv', '--to', name, ...args),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

const ask = async ({ url }: FakeService, method: string, path: string, json?: object) => {
  const headers = {
    authorization: `Bearer ${kind.token}`,
    ...(json && { 'content-type': 'application/json' }),
  }
  const body = json && JSON.stringify(json)
  const at = `${url}/api/deposit/depositions/${path}`
  const answer = await fetch(at, { method, headers, ...(body && { body }) })
  return (await answer.json()) as {
    readonly id: number
    readonly metadata: object
    readonly links: Readonly<Record<string, string>>
  }
}

/** A co-author corrects a record there. */
async function changeThere(service: FakeService, id: string): Promise<void> {
  const { metadata } = await ask(service, 'POST', `${id}/actions/edit`)
  await ask(service, 'PUT', id, { metadata: { ...metadata, notes: 'Theirs' } })
  await ask(service, 'POST', `${id}/actions/publish`)
}

/** A co-author publishes a version there. @returns its number */
async function publishThere(service: FakeService, id: string): Promise<number> {
  const draft = await ask(service, 'POST', `${id}/actions/newversion`)
  const metadata = { ...draft.metadata, publication_date: '2026-02-03' }
  await ask(service, 'PUT', `${draft.id}`, { metadata })
  const headers = { authorization: `Bearer ${kind.token}` }
  await fetch(`${draft.links['bucket']}/theirs.txt`, { method: 'PUT', headers, body: '7' })
  await ask(service, 'POST', `${draft.id}/actions/publish`)
  return draft.id
}

const held = (service: FakeService) => kind?.held(service.state()) ?? []

describe('a batch that goes to a repository of others', () => {
  it('publishes a record of each row, and run again does nothing', async () => {
    await using batch = await openBatch()

    const first = await batch.push('--publish', '--yes', '--report', 'done.csv')
    const again = await batch.push('--publish', '--yes')

    expect(first.stderr).toContain('3 published')
    expect(first.status).toBe(0)
    expect(again).toMatchObject({ status: 0 })
    expect(again.stderr).toContain('3 already done')
    const files = held(batch.service).map((one) => one.files)
    expect(Object.fromEntries(files.flatMap(Object.entries))).toEqual({
      'a.txt': md5(Buffer.from('a')),
      'b.txt': md5(Buffer.from('bb')),
      'c.txt': md5(Buffer.from('ccc')),
    })
    expect(files).toHaveLength(3)
    const report = parse<{ url: string; status: string }>(
      await readFile(join(batch.folder, 'done.csv'), 'utf8'),
      { columns: true },
    )
    expect(report.map(({ status }) => status)).toEqual(['published', 'published', 'published'])
    expect(report[0]?.url).toMatch(/^https:\/\/doi\.org\/10\./)
  })

  it('sends nothing where one row would be refused, and names the field', async () => {
    await using batch = await openBatch()
    await writeFile(join(batch.folder, 'rows.csv'), table(''))

    const { status, stderr } = await batch.push('--publish', '--yes')

    expect(status).toBe(1)
    expect(stderr).toContain('title')
    expect(stderr).toContain('row 3 (line 4, c)')
    expect(held(batch.service)).toEqual([])
  })

  it('leaves a changed row of a record alone, and makes a new version of it with --update', async () => {
    await using batch = await openBatch()
    await batch.push('--publish', '--yes')
    await writeFile(join(batch.folder, 'b.txt'), 'other')

    const left = await batch.push('--publish', '--yes')
    const planned = await batch.push('--publish', '--update', '--dry-run')
    const updated = await batch.push('--publish', '--yes', '--update')

    expect(left.status).toBe(7)
    expect(left.stderr).toContain('2 already done, 1 changed')
    expect(planned.stderr).toContain('make 1 new version')
    expect(updated.stderr).toContain('2 already done, 1 new version')
    expect(held(batch.service)).toHaveLength(4)
    expect(held(batch.service).at(-1)?.files).toEqual({ 'b.txt': md5(Buffer.from('other')) })
  })

  it('leaves a row alone whose metadata changed, and corrects its record with --update', async () => {
    await using batch = await openBatch()
    const first = await batch.push('--publish', '--yes')
    await writeFile(
      join(batch.folder, 'rows.csv'),
      table('Three, corrected').replace('Three, corrected', '"Three, corrected"'),
    )

    const left = await batch.push('--publish', '--yes')
    const planned = await batch.push('--publish', '--update', '--dry-run')
    const updated = await batch.push('--publish', '--yes', '--update')
    const again = await batch.push('--publish', '--yes')

    expect(left.status).toBe(7)
    expect(left.stderr).toContain('2 already done, 1 changed')
    expect(planned.stderr).toContain('update 1')
    expect(updated.stderr).toContain('2 already done, 1 updated')
    expect(updated.status).toBe(0)
    expect(again.stderr).toContain('3 already done')
    expect(held(batch.service)).toHaveLength(3)
    expect(JSON.stringify(batch.service.state())).toContain('Three, corrected')
    const doi = /10\.5072\/\S+/.exec(first.stdout.split('\n')[2] ?? '')?.[0] ?? '-'
    expect(updated.stdout).toContain(doi)
  })

  it('overwrites no change of others, but for the row that is named as it advises', async () => {
    await using batch = await openBatch()
    await batch.push('--publish', '--yes', '--jobs', '1')
    for (const id of ['1002', '1004']) await changeThere(batch.service, id)
    const before = batch.service.state()
    await writeFile(
      join(batch.folder, 'rows.csv'),
      table('Three').replaceAll(',Levels', ',Corrected'),
    )

    let command = ['batch', 'rows.csv', '--to', batch.name, '--publish', '--yes', '--update']
    for (const row of ['a', 'b']) {
      const refused = await batch.run(...command)
      expect(refused.status).toBe(5)
      expect(refused.stderr).toMatch(
        new RegExp(`row \\d \\(line \\d, ${row}\\): .* changed there since`),
      )
      expect(batch.service.state()).toEqual(before)
      command = (/run `deposit (batch [^`]*)`/.exec(refused.stderr)?.[1] ?? '').split(' ')
    }
    const updated = await batch.run(...command)
    const again = await batch.push('--publish', '--yes')

    expect(updated).toMatchObject({ status: 0 })
    expect(updated.stderr).toContain('3 updated')
    expect(JSON.stringify(batch.service.state())).not.toContain('Theirs')
    expect(again.stderr).toContain('3 already done')
  })

  it('names all rows that are refused, also in JSON and in the report', async () => {
    await using batch = await openBatch()
    await batch.push('--publish', '--yes', '--jobs', '1')
    for (const id of ['1002', '1004']) await changeThere(batch.service, id)
    await writeFile(join(batch.folder, 'rows.csv'), table().replaceAll(',Levels', ',Corrected'))

    const options = ['--publish', '--yes', '--update', '--report', 'done.csv']
    const refused = await batch.push(...options, '--json')
    expect(refused.status).toBe(5)
    const { error } = JSON.parse(refused.stdout) as {
      readonly error: {
        readonly errors: readonly { readonly row: number; readonly message: string }[]
      }
    }
    const { errors } = error
    expect(errors.map(({ row }) => row)).toEqual([1, 2])
    for (const { message } of errors) expect(message).toContain('changed there since the last push')
    const report = parse<{ key: string; message: string }>(
      await readFile(join(batch.folder, 'done.csv'), 'utf8'),
      { columns: true },
    )
    const told = report.map(({ message }) => message.includes('changed there since'))
    expect(told).toEqual([true, true, false])
  })

  it('continues after a version of others where it is told to', async () => {
    await using batch = await openBatch()
    await batch.push('--publish', '--yes', '--jobs', '1')
    const newest = await publishThere(batch.service, '1004')
    await writeFile(join(batch.folder, 'b.txt'), 'other')

    const refused = await batch.push('--publish', '--yes')
    const advised = /run `deposit (batch [^`]*)`/.exec(refused.stderr)?.[1] ?? ''
    const updated = await batch.run(...advised.split(' '))

    expect(refused.status).toBe(5)
    expect(advised).toContain(`--update --of b=${newest}`)
    expect(updated).toMatchObject({ status: 0 })
    expect(updated.stderr).toContain('1 new version')
  })

  it('refuses a row that it does not have, and records without a remote', async () => {
    await using batch = await openBatch()

    for (const of of ['d=1', 'a', 'a=']) {
      const { status, stderr } = await batch.push('--of', of)
      expect({ of, status }).toEqual({ of, status: 2 })
      expect(stderr).toContain('with the key of a row or its number')
    }
    expect(await batch.run('batch', 'rows.csv', '--of', 'a=1')).toMatchObject({ status: 2 })
    expect(held(batch.service)).toEqual([])
  })

  it('goes on where a repository broke off', async () => {
    await using batch = await openBatch()
    batch.service.misbehave({
      seed: 7,
      shares: { lostAnswer: 0.5, cutRequest: 0.3 },
      retryAfter: 0,
    })
    const broken = await batch.push('--publish', '--yes', '--retries', '0')
    batch.service.misbehave()

    const { status } = await batch.push('--publish', '--yes')

    expect(broken.status).not.toBe(0)
    expect(status).toBe(0)
    expect(held(batch.service).map(({ isPublished }) => isPublished)).toEqual([true, true, true])
  })

  it('tells the DOI of every record again: run again, of a changed row, and after a refusal', async () => {
    await using batch = await openBatch()
    const urls = async () => {
      const text = await readFile(join(batch.folder, 'done.csv'), 'utf8')
      return parse<{ url: string }>(text, { columns: true }).map(({ url }) => url)
    }
    const reported = ['--publish', '--yes', '--report', 'done.csv']
    const first = await batch.push(...reported, '--json', 'url')
    const dois = await urls()
    expect(dois.every((url) => url.startsWith('https://doi.org/10.'))).toBe(true)

    const again = await batch.push(...reported, '--json', 'url')
    expect(again.stdout).toBe(first.stdout)
    expect(await urls()).toEqual(dois)

    await writeFile(join(batch.folder, 'b.txt'), 'other')
    const planned = await batch.push('--publish', '--dry-run', '--json', 'url')
    expect(planned.stdout).toBe(first.stdout)
    expect((await batch.push(...reported)).status).toBe(7)
    expect(await urls()).toEqual(dois)

    await rm(join(batch.folder, 'c.txt'))
    expect((await batch.push(...reported)).status).not.toBe(0)
    expect(await urls()).toEqual(dois)
  })

  it('asks for --yes where no question can be asked', async () => {
    await using batch = await openBatch()

    const { status, stderr } = await batch.push('--publish')

    expect(status).toBe(2)
    expect(stderr).toContain(`deposit batch rows.csv --to ${batch.name} --publish --yes\``)
    expect(held(batch.service)).toEqual([])
  })
})

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { daemonHome, expectFailure, useDaemon } from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** A batch in a folder of its own, with `--report done.csv`. */
function batch(
  folder: TemporaryFolder,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome> {
  const line = ['batch', ...args, ...(args.includes('--report') ? [] : ['--report', 'done.csv'])]
  const environment = { DEPOSIT_HOME: daemonHome() }
  return runCli(line, { environment, folder: folder.path, ...(signal && { signal }) })
}

type ReportRow = Readonly<Record<string, string>>

async function reportIn(folder: TemporaryFolder, name = 'done.csv'): Promise<readonly ReportRow[]> {
  const text = await readFile(join(folder.path, name), 'utf8')
  const delimiter = name.endsWith('.tsv') ? '\t' : ','
  return parse<ReportRow>(text, { columns: true, delimiter })
}

const rows = 'key,title,note\na,"One, ""two""",\nb,Three,"of\ntwo lines"\n'

describe('the report of a batch', () => {
  it('has the columns of the table, and id, url, status and message of each row', async () => {
    await using folder = await temporaryFolder({ 'rows.csv': rows })

    const { status, stderr } = await batch(folder, ['rows.csv', '--publish'])

    expect(status).toBe(0)
    expect(stderr).toContain('Wrote done.csv\n')
    const [one, two] = await reportIn(folder)
    expect(Object.keys(one ?? {})).toEqual([
      'key',
      'title',
      'note',
      'id',
      'url',
      'status',
      'message',
    ])
    expect(one).toMatchObject({ key: 'a', title: 'One, "two"', status: 'published', message: '' })
    expect(two).toMatchObject({ note: 'of\ntwo lines', status: 'published' })
    expect(one?.['url']).toMatch(/^http.*\/records\//)
    expect(one?.['id']).toMatch(/^[\da-f]{32}$/)
  })

  it('names every address when the batch is run again, and rows that --update changed', async () => {
    await using folder = await temporaryFolder({ 'rows.csv': rows })
    await batch(folder, ['rows.csv', '--publish'])
    const first = await reportIn(folder)

    expect((await batch(folder, ['rows.csv', '--publish'])).status).toBe(0)
    expect(await reportIn(folder)).toEqual(first.map((row) => ({ ...row, status: 'already done' })))
    await writeFile(join(folder.path, 'rows.csv'), rows.replace('Three', 'Four'))
    expect((await batch(folder, ['rows.csv', '--publish'])).status).toBe(7)
    expect((await reportIn(folder)).map(({ status }) => status)).toEqual([
      'already done',
      'changed',
    ])
    expect((await batch(folder, ['rows.csv', '--publish', '--update'])).status).toBe(0)
    const [, changed] = await reportIn(folder)
    expect(changed).toMatchObject({ title: 'Four', status: 'updated', url: first[1]?.['url'] })
  })

  it('has a column for each field of JSON Lines, and tabs in a .tsv', async () => {
    const lines = [
      { title: 'x', keywords: ['a', 'b'] },
      { key: 7, metadata: { title: 'y' } },
    ]
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    await using folder = await temporaryFolder({ 'rows.jsonl': text })

    expect((await batch(folder, ['rows.jsonl', '--report', 'done.tsv'])).status).toBe(0)
    expect(await reportIn(folder, 'done.tsv')).toMatchObject([
      { title: 'x', keywords: '["a","b"]', metadata: '', key: '', status: 'draft' },
      { title: '', keywords: '', metadata: '{"title":"y"}', key: '7', status: 'draft' },
    ])
  })

  it('gives its own columns other names if the table has them', async () => {
    await using folder = await temporaryFolder({ 'rows.csv': 'title,status\nOne,mine\n' })
    await batch(folder, ['rows.csv'])
    expect(await reportIn(folder)).toMatchObject([{ status: 'mine', deposit_status: 'draft' }])
    expect((await batch(folder, ['rows.csv'])).status).toBe(0)
  })

  it('names the faults of rows where nothing is sent', async () => {
    const faulty = 'title,publication_date\nOne,2024\nTwo,1.5.2024\n'
    await using folder = await temporaryFolder({ 'rows.csv': faulty })

    expect((await batch(folder, ['rows.csv', '--publish'])).status).toBe(1)
    const [one, two] = await reportIn(folder)
    expect(one).toMatchObject({ title: 'One', id: '', status: 'not done', message: '' })
    expect(two).toMatchObject({ title: 'Two', id: '', status: 'failed' })
    expect(two?.['message']).toContain('/publication_date: ')
  })

  it('is written where the batch is interrupted, with the deposits of earlier runs', async () => {
    await using folder = await temporaryFolder({ 'rows.csv': 'key,title\na,One\n' })
    await batch(folder, ['rows.csv', '--publish'])
    const [first] = await reportIn(folder)
    await writeFile(join(folder.path, 'rows.csv'), 'key,title\na,One\nb,Two\n')

    const { status, stderr } = await batch(folder, ['rows.csv', '--publish'], AbortSignal.abort())

    expect(status).toBe(130)
    expect(stderr).toContain(
      'run `deposit batch rows.csv --publish --report done.csv` for the rest',
    )
    expect(await reportIn(folder)).toEqual([
      { ...first, status: 'already done' },
      { key: 'b', title: 'Two', id: '', url: '', status: 'not done', message: '' },
    ])
  })

  it('replaces nothing but an earlier report', async () => {
    await using folder = await temporaryFolder({
      'rows.csv': 'title,folder\nOne,data\n',
      'data/a.csv': '1',
      'mine.csv': 'title\nTwo\n',
      'empty.csv': '',
    })
    await symlink('rows.csv', join(folder.path, 'link.csv'))
    await mkdir(join(folder.path, 'sub'))
    for (const [file, said] of [
      ['rows.csv', 'it is the table of the batch'],
      ['link.csv', 'it is the table of the batch'],
      ['rows.csv.journal', 'it is the journal of the batch'],
      ['mine.csv', 'there is a file of that name, which is no report of a batch'],
      ['data/done.csv', 'it would be uploaded with row 1'],
      ['sub', 'no report of a batch'],
      ['done.xlsx', 'a report is written as .csv or .tsv, not as .xlsx'],
    ] as const)
      for (const more of [[], ['--dry-run']])
        expectFailure(await batch(folder, ['rows.csv', '--report', file, ...more]), 2, said)
    expect(await readFile(join(folder.path, 'mine.csv'), 'utf8')).toBe('title\nTwo\n')
    expectFailure(await batch(folder, ['rows.csv', '--report', 'none/a.csv']), 1, 'no such folder')

    const dry = await batch(folder, ['rows.csv', '--report', 'empty.csv', '--dry-run'])
    expect(dry.stderr).toContain('Would write empty.csv\n')
    expect(await readFile(join(folder.path, 'empty.csv'), 'utf8')).toBe('')
    expect((await batch(folder, ['rows.csv', '--report', 'empty.csv'])).status).toBe(0)
    expect(await reportIn(folder, 'empty.csv')).toMatchObject([{ title: 'One', status: 'draft' }])
  })
})

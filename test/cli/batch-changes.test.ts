import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { batchFolder, rowsOf } from '../support/batch-rows.ts'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

describe('changed rows of a batch that is run again', () => {
  const head = 'key,title,folder\n'

  it('are listed, and applied to their deposits with --update', async () => {
    await using folder = await batchFolder(`${head}a,Draft,one\nb,Same,\n`)
    const file = join(folder.path, 'rows.csv')
    const [first] = rowsOf(await deposit(['batch', file]))
    await writeFile(file, `${head}a,Corrected,one\nb,Same,\n`)
    await writeFile(join(folder.path, 'one/new.csv'), 'new')

    const told = await deposit(['batch', file])
    const rehearsed = await deposit(['batch', file, '-n'])
    const updated = await deposit(['batch', file, '--update'])

    expect(told).toMatchObject({ status: 7 })
    expect(told.stdout).toMatch(/^row 1\tchanged\t\w+\tthe row was changed .*\nrow 2\talready done/)
    expect(rehearsed.status).toBe(7)
    expect(rehearsed.stderr).toContain('Would leave 1 changed, keep 1')
    expect(updated).toMatchObject({ status: 0 })
    expect(updated.stdout).toMatch(/^row 1\tupdated\t\w+\t\tline 2, a\nrow 2\talready done/)
    expect(await read(first?.[2] ?? '')).toMatchObject({ metadata: { title: 'Corrected' } })
    expect(await namesOf(first?.[2] ?? '')).toEqual(['a.csv', 'new.csv', 'sub/b.csv'])
    expect((await deposit(['batch', file])).status).toBe(0)
  })

  it('are recognised without keys by the folder of their files', async () => {
    await using folder = await batchFolder('title,folder\nAlpah,one\nOther,\n')
    const file = join(folder.path, 'rows.csv')
    const [first] = rowsOf(await deposit(['batch', file]))
    await writeFile(file, 'title,folder\nAlpha,one\nOther,\n')
    const before = await total()

    const told = await deposit(['batch', file])
    const updated = await deposit(['batch', file, '--update'])

    expect(told).toMatchObject({ status: 7 })
    expect(told.stdout).toMatch(/^row 1\tchanged\t/)
    expect(updated).toMatchObject({ status: 0 })
    expect(await read(first?.[2] ?? '')).toMatchObject({ metadata: { title: 'Alpha' } })
    expect((await deposit(['batch', file])).stdout).toMatch(/^row 1\talready done/)
    expect(await total()).toBe(before)
  })

  it('keep their deposits and are named if they are no longer in the table', async () => {
    await using folder = await batchFolder('key,title\na,First\nb,Second\n,No key\n')
    const file = join(folder.path, 'rows.csv')
    const made = rowsOf(await deposit(['batch', file]))
    await writeFile(file, 'key,title\nb,Second\nc,Third\n')

    const rehearsed = await deposit(['batch', file, '-n'])
    const again = await deposit(['batch', file])

    const dropped = '2 rows of the journal are no longer in the table: a, No key\n'
    expect(rehearsed.stderr).toMatch(new RegExp(`${dropped}Would make 1 deposit, keep 1\n$`))
    expect(again.stderr).toContain(dropped)
    expect(await read(made[0]?.[2] ?? '')).toMatchObject({ metadata: { title: 'First' } })
    await writeFile(file, 'key,title\na,First\nb,Second\nc,Third\n,No key\n')
    expect((await deposit(['batch', file])).stderr).not.toContain('no longer in the table')
  })

  it('of a published deposit are published again, or as a new version if files differ', async () => {
    await using folder = await batchFolder(`${head}a,First,one\n`)
    const file = join(folder.path, 'rows.csv')
    const args = ['batch', file, '--publish', '--update']
    const [first] = rowsOf(await deposit(args))
    await writeFile(file, `${head}a,Corrected,one\n`)

    const updated = await deposit(args)

    expect(updated).toMatchObject({ status: 0 })
    expect(rowsOf(updated)).toEqual([['row 1', 'updated', first?.[2], first?.[3], 'line 2, a']])
    const record = await fetch(first?.[3] ?? '', { headers: { accept: 'application/json' } })
    expect(await record.json()).toMatchObject({ metadata: { title: 'Corrected' } })
    await writeFile(join(folder.path, 'one/new.csv'), 'new')
    await rm(join(folder.path, 'one/a.csv'))
    const id = first?.[2] ?? ''
    const foretold = await deposit([...args, '--dry-run'])
    expect(foretold.status).toBe(7)
    expect(foretold.stderr).toContain('Would fail 1')
    expect(foretold.stdout).toContain(
      `\tfail\t${id}\tcould not send the files of the next version of ${id}: `,
    )
    const deleting = await deposit([...args, '--delete', '--dry-run'])
    expect(deleting).toMatchObject({
      status: 0,
      stdout: `1\t2 files\tline 2, a\tmake a new version\t${id}\tits files changed: the record of the next version has a new address\n`,
    })
    const { stdout: drafts } = await deposit(['list', '--status', 'draft', '--quiet'])
    const refused = await deposit(args)
    expect(refused.status).toBe(7)
    const again = await deposit([...args, '--dry-run', '--json'])
    expect(again.status).toBe(7)
    expect(JSON.parse(again.stdout)).toMatchObject([{ would: 'fail', row: 1 }])
    expect(refused.stdout).toContain('next: add them to the row, or run the command again with --')
    expect(await deposit([...args, '-q'])).toMatchObject({ status: 7, stdout: '' })
    // No next version was opened: only a run that can finish it opens one.
    expect((await deposit(['list', '--status', 'draft', '--quiet'])).stdout).toBe(drafts)
    const next = await deposit([...args, '--delete'])
    expect(next).toMatchObject({ status: 0 })
    const [row] = rowsOf(next)
    expect(row?.[1]).toBe('new version')
    expect(row?.[5]).toBe(`the next version of ${id}; its record has a new address`)
    expect(row?.[3]).not.toBe(first?.[3])
    expect(await namesOf(row?.[2] ?? '')).toEqual(['new.csv', 'sub/b.csv'])
    expect(await namesOf(first?.[2] ?? '')).toEqual(['a.csv', 'sub/b.csv'])
    expect(rowsOf(await deposit(args))[0]?.[1]).toBe('already done')
  })

  it('make a new version immediately with --delete, and their line says so', async () => {
    await using folder = await batchFolder(`${head}a,First,one\n`)
    const file = join(folder.path, 'rows.csv')
    const args = ['batch', file, '--publish', '--update', '--delete']
    const [first] = rowsOf(await deposit(args))
    await rm(join(folder.path, 'one/a.csv'))
    const next = await deposit(args)
    expect(next.status).toBe(0)
    expect(next.stderr).toContain(
      `(the next version of ${first?.[2]}; its record has a new address)`,
    )
    const [row] = rowsOf(next)
    expect(row?.[1]).toBe('new version')
    expect(await namesOf(row?.[2] ?? '')).toEqual(['sub/b.csv'])
    expect(await namesOf(first?.[2] ?? '')).toEqual(['a.csv', 'sub/b.csv'])
  })

  it('of a published deposit are checked by the rules for publishing', async () => {
    await using folder = await batchFolder('key,title,access_right\na,First,\n')
    const file = join(folder.path, 'rows.csv')
    const url = rowsOf(await deposit(['batch', file, '--publish']))[0]?.[3] ?? ''
    await writeFile(file, 'key,title,access_right\na,Second,embargoed\n')

    expectFailure(await deposit(['batch', file, '--update']), 1, 'row 1 (line 2, a): /access_right')
    const record = await fetch(url, { headers: { accept: 'application/json' } })
    expect(await record.json()).toMatchObject({ metadata: { title: 'First' } })
  })

  it('that lost a file are refused until the file is deleted from the draft, too', async () => {
    await using folder = await batchFolder(`${head}a,Draft,one\n`)
    const file = join(folder.path, 'rows.csv')
    const id = rowsOf(await deposit(['batch', file]))[0]?.[2] ?? ''
    await rm(join(folder.path, 'one/a.csv'))

    for (const args of [['--publish'], ['--update']]) {
      const foretold = await deposit(['batch', file, ...args, '--dry-run'])
      expect(foretold.status).toBe(7)
      expect(foretold.stdout).toMatch(/\tfail\t\w+\tcould not .*: a\.csv; next: /)
      const refused = await deposit(['batch', file, ...args])
      expect(refused).toMatchObject({ status: 7 })
      expect(refused.stdout).toMatch(/\tfailed\t\w+\tcould not .*: a\.csv; next: /)
      expect(refused.stdout).toContain(`\`deposit rm ${id} a.csv\``)
      expect(await read(id)).toMatchObject({ metadata: { _deposit: { status: 'draft' } } })
    }
    const foretold = await deposit(['batch', file, '--publish', '--delete', '--dry-run'])
    expect(foretold.stderr).toContain('Would publish 1')
    expect(foretold.stdout).toContain(`\tpublish\t${id}\tits draft exists already\n`)
    expect(await namesOf(id)).toEqual(['a.csv', 'sub/b.csv'])
    expect(await deposit(['batch', file, '--publish', '--delete'])).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual(['sub/b.csv'])
  })

  it('whose draft was published by hand are refused, because files are frozen', async () => {
    await using folder = await batchFolder(`${head}a,Draft,one\n`)
    const file = join(folder.path, 'rows.csv')
    const id = rowsOf(await deposit(['batch', file]))[0]?.[2] ?? ''
    await deposit(['publish', id])
    await writeFile(join(folder.path, 'one/new.csv'), 'new')

    const told = await deposit(['batch', file, '--publish'])

    expect(told).toMatchObject({ status: 7 })
    expect(told.stdout).toMatch(/\tfailed\t.*it was published, and its row has other files now/)
  })

  it('are refused if two have the same key', async () => {
    await using folder = await batchFolder('key,title\na,One\nb,Two\na,Three\n')
    const before = await total()
    const outcome = await deposit(['batch', join(folder.path, 'rows.csv')])
    expectFailure(outcome, 2, 'rows 1 (line 2) and 3 (line 4) have the key "a"')
    expect(await total()).toBe(before)
  })

  it('without a key make a deposit each, even if they are equal', async () => {
    await using folder = await batchFolder('title\nSame\nSame\n')
    const file = join(folder.path, 'rows.csv')
    const before = await total()
    const ids = rowsOf(await deposit(['batch', file])).map((row) => row[2])
    expect(new Set(ids).size).toBe(2)
    expect(rowsOf(await deposit(['batch', file])).map((row) => row[2])).toEqual(ids)
    expect((await total()) - before).toBe(2)
  })
})

describe('rows changed after an interruption', () => {
  let token: string
  beforeAll(async () => {
    const args = ['token', 'create', '--scope', 'deposit:write deposit:actions']
    token = (await deposit(args)).stdout.trim()
  })

  const runsOf = (folder: string, url: string) => (args: readonly string[], signal: AbortSignal) =>
    runCli(['batch', 'rows.csv', ...args], {
      environment: { DEPOSIT_URL: url, DEPOSIT_TOKEN: token },
      folder,
      signal,
    })

  it('send new files of a row to its draft, also after an interrupted upload', async () => {
    await using folder = await temporaryFolder({ 'a/one.txt': '1' })
    const rows = join(folder.path, 'rows.csv')
    await writeFile(rows, 'key,title,folder\na,First,a\n')
    await using proxy = await cuttingProxy(daemonUrl())
    const run = runsOf(folder.path, proxy.url)
    const [draft] = rowsOf(await run([], new AbortController().signal))
    await writeFile(rows, 'key,title,folder\na,Corrected,a\n')
    await writeFile(join(folder.path, 'a/two.txt'), '2')
    const interruption = new AbortController()
    proxy.cut(/^PUT .*two\.txt/, 1, () => interruption.abort())

    expect(await run(['--publish'], interruption.signal)).toMatchObject({ status: 130 })
    const last = await run(['--publish'], new AbortController().signal)

    expect(last).toMatchObject({ status: 0 })
    expect(await namesOf(draft?.[2] ?? '')).toEqual(['one.txt', 'two.txt'])
  })

  it('make no second record if the row is again as published', async () => {
    await using folder = await temporaryFolder({
      'a/one.txt': '1',
      'rows.csv': 'key,title,folder\na,First,a\n',
    })
    await using proxy = await cuttingProxy(daemonUrl())
    const run = runsOf(folder.path, proxy.url)
    const [first] = rowsOf(await run(['--publish'], new AbortController().signal))
    await writeFile(join(folder.path, 'a/two.txt'), '2')
    const interruption = new AbortController()
    proxy.cut(/^PUT .*two\.txt/, 1, () => interruption.abort())
    expect(await run(['--update'], interruption.signal)).toMatchObject({ status: 130 })
    const before = await total()
    await rm(join(folder.path, 'a/two.txt'))

    const again = await run(['--publish'], new AbortController().signal)

    expect(again).toMatchObject({ status: 0 })
    expect(rowsOf(again)[0]?.slice(1, 4)).toEqual(['already done', first?.[2], first?.[3]])
    // The draft of the next version was deleted.
    expect(await total()).toBe(before - 1)
  })

  it('replace a file that changed before the row was finished', async () => {
    await using folder = await temporaryFolder({
      'a/one.txt': '1',
      'rows.csv': 'key,folder\na,a\n',
    })
    await using proxy = await cuttingProxy(daemonUrl())
    const run = runsOf(folder.path, proxy.url)
    const interruption = new AbortController()
    proxy.cut(/^PUT .*one\.txt/, 100, () => interruption.abort())
    expect(await run([], interruption.signal)).toMatchObject({ status: 130 })
    await writeFile(join(folder.path, 'a/one.txt'), 'corrected')

    const last = await run([], new AbortController().signal)

    expect(last).toMatchObject({ status: 0 })
    const { stdout } = await deposit(['files', rowsOf(last)[0]?.[2] ?? ''])
    expect(stdout).toMatch(/^one\.txt\t9 B\t/)
  })
})

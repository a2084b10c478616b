import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { batchFolder, rowsOf } from '../support/batch-rows.ts'
import {
  daemonHome,
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { forward } from '../support/forward.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

useDaemon()

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

describe('deposit batch', () => {
  it('makes a deposit of each row of a table, with its files', async () => {
    await using folder = await batchFolder()
    const outcome = await deposit(['batch', join(folder.path, 'rows.csv')])
    const [one, two, three] = rowsOf(outcome)

    expect(outcome.status).toBe(0)
    expect(outcome.stderr).toMatch(/3 draft\n$/)
    expect([one, two, three].map((row) => row?.slice(0, 2))).toEqual([
      ['row 1', 'draft'],
      ['row 2', 'draft'],
      ['row 3', 'draft'],
    ])
    expect(await read(one?.[2] ?? '')).toMatchObject({
      metadata: {
        title: 'One',
        description: 'of the folder',
        keywords: ['tide', 'wind'],
        creators: [{ name: 'Ada' }, { name: 'Grace' }],
        levels: [1, 2],
      },
    })
    expect(await namesOf(one?.[2] ?? '')).toEqual(['a.csv', 'sub/b.csv'])
    expect(await read(two?.[2] ?? '')).toMatchObject({ metadata: { title: 'Two, quoted' } })
    expect(await namesOf(two?.[2] ?? '')).toEqual(['extra/two.txt'])
  })

  it('shows each row once on a terminal, and asks once before it publishes', async () => {
    await using folder = await batchFolder()
    const args = ['batch', join(folder.path, 'rows.csv'), '--publish']
    const environment = { DEPOSIT_HOME: daemonHome(), NO_COLOR: '1' }
    const typed = { environment, isTyped: true, terminal: 300 } as const

    const refused = await runCli(args, { ...typed, stdin: 'n\n' })
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toMatch(/Publish 3 rows for good\? .*Nothing was published\.\n$/s)
    const done = await runCli(args, { ...typed, stdin: 'y\n' })
    expect(done).toMatchObject({ status: 0, stdout: '' })
    expect(done.stderr.match(/ published /g)).toHaveLength(3)
    // Nothing is left to publish.
    expect((await runCli(args, typed)).stderr).not.toContain('for good?')
  })

  it('repeats nothing when run again, and publishes the drafts of the first run', async () => {
    await using folder = await batchFolder()
    const args = ['batch', join(folder.path, 'rows.csv')]
    const first = rowsOf(await deposit(args))
    const before = await total()

    const again = await deposit(args)
    const published = await deposit([...args, '--publish'])
    const last = await deposit([...args, '--publish'])

    expect(again.stderr).toMatch(/3 already done\n$/)
    expect(published.stderr).toMatch(/3 published\n$/)
    expect(published.stdout).toMatch(
      /^row 1\tpublished\t\w+\thttp:\S+\/records\/\S+\tline 2, One\n/,
    )
    expect(last.stdout).toBe(published.stdout.replaceAll('published', 'already done'))
    expect(last.stderr).toMatch(/3 already done\n$/)
    for (const outcome of [again, published, last])
      expect(rowsOf(outcome).map((row) => row[2])).toEqual(first.map((row) => row[2]))
    expect(await total()).toBe(before)
  })

  it('takes JSON Lines and YAML documents', async () => {
    const lines = '{"title": "One", "folder": "one"}\n\n{"metadata": {"title": "Two"}}\n'
    const yaml = 'title: One\nfolder: one\n---\nmetadata:\n  title: Two\n  files: kept\n'
    for (const [name, rows] of [
      ['rows.jsonl', lines],
      ['rows.yaml', yaml],
    ] as const) {
      await using folder = await batchFolder(rows, name)
      const ids = rowsOf(await deposit(['batch', join(folder.path, name)])).map((row) => row[2])

      expect(ids).toHaveLength(2)
      expect(await namesOf(ids[0] ?? '')).toEqual(['a.csv', 'sub/b.csv'])
      expect(await read(ids[1] ?? '')).toMatchObject({ metadata: { title: 'Two' } })
    }
  })

  it('exits with 7 if some rows fail, with reasons, and retries only those when run again', async () => {
    const unknown = `${daemonUrl()}/schemas/deposits/none-v1.0.0.json`
    await using folder = await batchFolder(`key,title,$schema\na,Good,\nb,Bad,${unknown}\n`)
    const file = join(folder.path, 'rows.csv')
    const outcome = await deposit(['batch', file, '--publish'])

    expect(outcome.status).toBe(7)
    expect(outcome.stdout).toMatch(/^row 1\tpublished\t.*\nrow 2\tfailed\t-\tcould not .+\n$/)
    expect(outcome.stderr).toMatch(/1 published, 1 failed\n$|1 failed, 1 published\n$/)
    await writeFile(file, 'key,title,$schema\na,Good,\nb,Good now,\n')
    const again = await deposit(['batch', file, '--publish'])
    expect(again.stdout).toMatch(/^row 1\talready done\t.*\nrow 2\tpublished\t/)
  })

  it('sends nothing, with or without --dry-run, if a row would be refused', async () => {
    const rows = 'title,publication_date,resource_type\nA,2024,\nB,1.5.2024,Dataset\n"",2024,\n'
    await using folder = await batchFolder(rows)
    const before = await total()
    for (const rehearsal of [[], ['-n']]) {
      const args = ['batch', join(folder.path, 'rows.csv'), '--publish', ...rehearsal]
      const outcome = await deposit(args)
      expectFailure(outcome, 1, 'row 2 (line 3, B): /publication_date: Publication date must be')
      expect(outcome.stderr).toContain('did you mean "dataset"?')
      expect(outcome.stderr).not.toContain('row 1')
    }
    expect(await total()).toBe(before)
  })

  it('checks all rows with --dry-run, and sends nothing', async () => {
    await using folder = await batchFolder()
    const before = await total()
    const outcome = await deposit(['batch', join(folder.path, 'rows.csv'), '--dry-run'])

    expect(outcome).toMatchObject({
      status: 0,
      stdout:
        '1\t2 files\tline 2, One\n2\t1 file\tline 3, Two, quoted\n3\t0 files\tline 4, Three\n',
    })
    expect(outcome.stderr).toMatch(/Would make 3 deposits with 3 files\n$/)
    expect(outcome.stderr).toContain('row 1 (line 2, One): /levels: "levels" is not a field of')
    expect(await total()).toBe(before)
  })

  it('names every row with missing files, and every fault of the table', async () => {
    await using folder = await batchFolder('title,folder\nA,none\nB,one\nC,nothing\n')
    const path = (name: string) => join(folder.path, name)
    const missing = await deposit(['batch', path('rows.csv')])

    expectFailure(missing, 2, 'row 1 (line 2, A): there is no such file')
    expect(missing.stderr).toContain('row 3 (line 4, C): there is no such file')
    await writeFile(path('rows.csv'), 'title,folder\n"A\n')
    expectFailure(
      await deposit(['batch', path('rows.csv')]),
      2,
      'line 2: a cell begins with a quote',
    )
    await writeFile(path('rows.jsonl'), '{"title": 1}\n{"title"\n')
    expectFailure(await deposit(['batch', path('rows.jsonl')]), 2, 'line 2')
    expectFailure(await deposit(['batch', path('one')]), 2, 'it is a folder, not a file')
    expectFailure(await deposit(['batch']), 2, "missing required argument 'file'")
    expectFailure(await deposit(['batch', path('rows.jsonl'), '--jobs', '0']), 2, '--jobs')
  })
})

describe('an interrupted batch', () => {
  let token: string
  beforeAll(async () => {
    const args = ['token', 'create', '--scope', 'deposit:write deposit:actions']
    token = (await deposit(args)).stdout.trim()
  })

  it('is completed when run again, with each deposit made and each file sent once', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `row-${at}`)
    await using folder = await temporaryFolder(
      Object.fromEntries(names.map((name) => [`${name}/${name}.txt`, name])),
    )
    const rows = names.map((title) => JSON.stringify({ title, folder: title }))
    await writeFile(join(folder.path, 'rows.jsonl'), rows.join('\n'))
    await using proxy = await cuttingProxy(daemonUrl())
    const run = (signal: AbortSignal) =>
      runCli(['batch', 'rows.jsonl', '--publish', '--json'], {
        environment: { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token },
        folder: folder.path,
        signal,
      })
    const before = await total()
    for (const request of [/^POST .*deposits\/$/, /^PUT/, /^POST .*publish/]) {
      const interruption = new AbortController()
      // The answer is cut: the server has done the work, and the command does not know.
      proxy.cut(request, 100, () => interruption.abort())
      const { status, stdout, stderr } = await run(interruption.signal)
      expect(status).toBe(130)
      const table = JSON.parse(stdout) as readonly { status: string }[] | { error: object }
      // There is no table if the interruption came before the first row.
      if ('error' in table) expect(table.error).toMatchObject({ code: 'interrupted' })
      else expect(table.map((row) => row.status)).toContain('not done')
      expect(stderr).toMatch(/next: run `deposit batch rows\.jsonl --publish --json` for the rest/)
    }

    const last = await run(new AbortController().signal)

    expect(last).toMatchObject({ status: 0 })
    expect(JSON.parse(last.stdout)).toHaveLength(names.length)
    expect((await total()) - before).toBe(names.length)
    const kept = proxy.answered.filter(({ method, status }) => method === 'PUT' && status === 201)
    expect(new Set(kept.map(({ path }) => path)).size).toBe(names.length)
    expect(kept).toHaveLength(names.length)
  })

  it('continues when a publish of the interrupted run completes late', async () => {
    await using folder = await temporaryFolder({ 'rows.jsonl': '{"title": "one"}' })
    await using late = await strangeServer(async (request, response) => {
      const { url = '', headers } = request
      const owner = new User(daemonUrl(), async () => headers.authorization?.split(' ')[1])
      if (url.endsWith('/publish')) await owner.post(url)
      const { status, body } = await forward(daemonUrl(), request)
      answerJson(response, body, status)
    })
    const run = await runCli(['batch', 'rows.jsonl', '--publish', '--json', 'status'], {
      environment: { DEPOSIT_URL: late.url, DEPOSIT_TOKEN: token },
      folder: folder.path,
    })

    expect(run).toMatchObject({ status: 0 })
    expect(JSON.parse(run.stdout)).toMatchObject([{ status: 'published' }])
  })

  it('is not run by two commands at the same time', async () => {
    await using folder = await batchFolder()
    const file = join(folder.path, 'rows.csv')
    await deposit(['batch', file])
    const lock = `${file}.journal.lock`
    await writeFile(lock, `${process.pid} other`)

    expectFailure(await deposit(['batch', file]), 5, 'another command')
    // The lock of a killed command.
    await writeFile(lock, '999999999 other')
    expect(await deposit(['batch', file])).toMatchObject({ status: 0 })
  })

  it('continues at the same service under any of its names, and at no other service', async () => {
    await using folder = await batchFolder('title\nA\nB\n')
    const file = join(folder.path, 'rows.csv')
    await deposit(['batch', file])
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: token }
    const same = await runCli(['batch', file], { environment })
    expect(same.stderr).toMatch(/2 already done\n$/)

    // Journals of earlier versions do not say which local daemon they belong to.
    const journal = `${file}.journal`
    const known = (await readFile(journal, 'utf8'))
      .split('\n')
      .filter((line) => !/"server"/.test(line))
    await writeFile(journal, ['{"server":"local"}', ...known].join('\n'))
    expect((await deposit(['batch', file])).stderr).toMatch(/2 already done\n$/)
    await using other = await startDaemon()
    for (const rehearsal of [[], ['-n']]) {
      const elsewhere = await runCli(['batch', file, ...rehearsal], {
        environment: { DEPOSIT_HOME: other.home },
      })
      expectFailure(elsewhere, 5, 'this journal belongs to a different server')
    }
  })

  it('is not made a second time when its table is renamed', async () => {
    await using folder = await batchFolder('title\nA\nB\n')
    await deposit(['batch', 'rows.csv'], { folder: folder.path })
    await rename(join(folder.path, 'rows.csv'), join(folder.path, 'new.csv'))
    const before = await total()

    for (const rehearsal of [[], ['-n']]) {
      const args = ['batch', 'new.csv', '--publish', ...rehearsal]
      const refused = await deposit(args, { folder: folder.path })
      expectFailure(refused, 5, 'with the journal rows.csv.journal')
    }
    expect(await total()).toBe(before)
    const resumed = ['batch', 'new.csv', '--resume', 'rows.csv.journal']
    expect((await deposit(resumed, { folder: folder.path })).stderr).toMatch(/2 already done\n$/)
    // A table with other rows in the same folder is another batch.
    await writeFile(join(folder.path, 'other.csv'), 'title\nC\n')
    expect(await deposit(['batch', 'other.csv'], { folder: folder.path })).toMatchObject({
      status: 0,
    })
  })

  it('advises how to continue, before and after its first row', async () => {
    await using folder = await batchFolder()
    const outcome = await deposit(['batch', 'rows.csv', '--jobs', '2'], {
      folder: folder.path,
      signal: AbortSignal.abort(),
    })
    expectFailure(outcome, 130, 'interrupted')
    expect(outcome.stderr).toContain('next: run `deposit batch rows.csv --jobs 2` for the rest;')
  })

  it('advises the same when terminated, and exits with 143', async () => {
    await using folder = await batchFolder('title\nA\nB\nC\n')
    const file = join(folder.path, 'rows.csv')
    // Answers nothing: the command waits until it is terminated.
    await using silent = await strangeServer(() => terminated.kill('SIGTERM'))
    const environment = { DEPOSIT_URL: silent.url, DEPOSIT_TOKEN: token }
    using terminated = startDeposit(['batch', file, '--publish', '--jobs', '1'], environment)

    const { status, stderr } = await terminated.ended
    expect(stderr).toContain('interrupted')
    expect(stderr).toContain(`next: run \`deposit batch ${file} --publish --jobs 1\` for the rest;`)
    expect(status).toBe(143)
    expect((await deposit(['batch', file, '--publish'])).stderr).toMatch(/3 published\n$/)
  })

  it('ends immediately without a sign-in', async () => {
    await using folder = await batchFolder()
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: 'none' }
    const args = ['batch', join(folder.path, 'rows.csv')]

    expectFailure(await runCli(args, { environment }), 4, 'unauthenticated')
  })

  it('continues if the last line of its journal is incomplete', async () => {
    await using folder = await batchFolder()
    const file = join(folder.path, 'rows.csv')
    await deposit(['batch', file])
    const journal = await readFile(`${file}.journal`, 'utf8')
    await writeFile(`${file}.journal`, journal.slice(0, -20))

    const again = await deposit(['batch', file])
    expect(again).toMatchObject({ status: 0 })
    expect(again.stderr).toMatch(/2 already done/)
    expect(await newDraft('--title', 'x')).toMatch(/^\w+$/)
  })
})

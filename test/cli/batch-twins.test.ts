import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { batchFolder, rowsOf } from '../support/batch-rows.ts'
import { deposit, expectFailure, useDaemon } from '../support/cli-at-daemon.ts'
import { remoteKinds } from '../support/remote-kinds.ts'
import { runCli } from '../support/run-cli.ts'

useDaemon()

const publish = ['--publish', '--yes'] as const
const twice = 'folder,title\none,Tides\none,Tides\nextra,Tides\n'
const said =
  'row 1 (line 2, Tides) and 1 further row: rows 1 and 2 have the same files and the same title, ' +
  'and each would be a deposit of its own: give each a `key` if that is meant, or remove one'

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

it('rows of the same files and title are not published, and named', async () => {
  await using folder = await batchFolder(twice)
  const file = join(folder.path, 'rows.csv')
  const before = await total()

  for (const more of [[], ['--dry-run']])
    expectFailure(await deposit(['batch', file, ...publish, ...more]), 2, said)
  expectFailure(await deposit(['batch', file, '--strict']), 2, said)
  expect(await total()).toBe(before)
})

it('rows of the same files and title are warned of where drafts are made', async () => {
  await using folder = await batchFolder(twice)
  const file = join(folder.path, 'rows.csv')

  const planned = await deposit(['batch', file, '--dry-run'])
  expect(planned.status).toBe(0)
  expect(planned.stderr).toContain(`warning: ${said}`)

  expect((await deposit(['batch', file])).stderr).toContain(`warning: ${said}`)
  // They have their deposits.
  const again = await deposit(['batch', file])
  expect([again.status, again.stderr]).toEqual([0, expect.not.stringContaining('the same files')])
})

it.for([
  ['a key each', 'key,folder,title\na,one,Tides\nb,one,Tides\n'],
  ['one that is removed', 'folder,title\none,Tides\n'],
  ['other titles', 'folder,title\none,Tides\none,Winds\n'],
  ['other files', 'folder,files,title\none,,Tides\none,rows.csv,Tides\n'],
  ['their versions', 'folder,title,version\none,Tides,1\none,Tides,2\n'],
])('rows are told apart by %s', async ([, rows]) => {
  await using folder = await batchFolder(twice)
  const file = join(folder.path, 'rows.csv')
  await deposit(['batch', file, ...publish])
  await writeFile(file, rows ?? '')

  const outcome = await deposit(['batch', file, ...publish])

  expect(outcome).toMatchObject({ status: 0 })
  expect(new Set(rowsOf(outcome).map((row) => row[1]))).toEqual(new Set(['published']))
})

it('rows of the same files and title are not published elsewhere either', async () => {
  const kind = remoteKinds['Zenodo of today']
  if (kind === undefined) throw new Error('there is no such kind')
  await using service = await kind.start()
  const rest = ',Ada,2026,dataset,CC0-1.0,Levels'
  const head = 'title,folder,creators,publication_date,resource_type,license,description'
  await using folder = await batchFolder(`${head}\nTides,one${rest}\nTides,one${rest}\n`)
  const run = (...args: readonly string[]) =>
    runCli(args, { folder: folder.path, stdin: kind.token })
  const name = `r${randomUUID().slice(0, 8)}`
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  const push = (...args: readonly string[]) =>
    run('batch', 'rows.csv', '--to', name, '--flatten', 'dash', ...args)

  const message = 'rows 1 and 2 have the same files and the same title'
  expectFailure(await push(...publish), 2, `all rows: ${message}`)
  const planned = await push('--dry-run')
  expect(planned.status).toBe(0)
  expect(planned.stderr).toContain(`warning: ${message}`)
  expect(planned.stderr).toContain('Would make 2')
})

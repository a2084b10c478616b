import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/cli-at-daemon.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let daemon: DaemonProcess
beforeAll(async () => (daemon = await startDaemon({ DEPOSIT_QUOTA: '20000' })))
afterAll(() => daemon[Symbol.asyncDispose]())

const deposit = (args: readonly string[]): Promise<Outcome> =>
  runCli(args, { environment: { DEPOSIT_HOME: daemon.home } })

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

describe('a dry run of new deposits', () => {
  it('asks the server whether it would take them', async () => {
    await using folder = await temporaryFolder({
      'data/metadata.yaml': 'title: Tides\n',
      'data/a.csv': '1',
      'large/a.csv': 'x'.repeat(20_000),
      'schema.yaml': '$schema: none-v1.0.0.json\n',
      'rows.csv': 'title,folder\nA,data\n',
      'schemas.csv': 'title,$schema\nA,none-v1.0.0.json\n',
    })
    const tokenOf = async (...args: readonly string[]) =>
      (await deposit(['token', 'create', ...args])).stdout.trim()
    const at = (DEPOSIT_TOKEN: string, DEPOSIT_URL = daemon.url) => ({
      environment: { DEPOSIT_URL, DEPOSIT_TOKEN },
      folder: folder.path,
    })
    const writing = await tokenOf('--scope', 'deposit:write')
    const other = await tokenOf(
      '--scope',
      'deposit:write',
      '--deposit',
      (await deposit(['create', '--quiet'])).stdout.trim(),
    )
    const [create, batch] = [
      ['create', 'data', '-n'],
      ['batch', 'rows.csv', '-n'],
    ]
    for (const args of [create, batch]) {
      expect(await runCli(args, at(writing))).toMatchObject({ status: 0 })
      expectFailure(await runCli([...args, '--publish'], at(writing)), 4, 'insufficient_scope')
      expectFailure(await runCli(args, at(other)), 4, 'valid for a single deposit only')
      expectFailure(await runCli(args, at('abc')), 4, 'unauthenticated')
      expectFailure(await runCli([...args, '--endpoint', 'nope'], at(writing)), 2, 'no endpoint')
      const gone = await runCli(args, at(writing, 'http://127.0.0.1:1'))
      expectFailure(gone, 6, 'http://127.0.0.1:1')
      await using home = await temporaryFolder()
      const alone = { environment: { DEPOSIT_HOME: home.path }, folder: folder.path }
      const unasked = await runCli(args, alone)
      expect(unasked).toMatchObject({ status: 0 })
      expect(unasked.stderr).toContain('The server was not asked: the local daemon does not run\n')
      expect(await readdir(home.path)).toEqual([])
    }
    expectFailure(await runCli(['create', 'large', '-n'], at(writing)), 1, 'quota_exceeded')
    const schema = ['create', '--metadata', 'schema.yaml', '-n']
    expectFailure(await runCli(schema, at(writing)), 1, 'unknown_schema')
    const rows = await runCli(['batch', 'schemas.csv', '-n'], at(writing))
    expect(rows).toMatchObject({ status: 7 })
    expect(rows.stdout).toContain('\tfail\t-\tcould not create a deposit: ')
  })
})

describe('a batch whose token lacks a scope', () => {
  it('is refused before anything is made, and by --dry-run', async () => {
    await using folder = await temporaryFolder({
      'rows.csv': 'key,title\na,A\n',
      'new.csv': 'title\nB\n',
    })
    const as = async (scope: string) => {
      const { stdout } = await deposit(['token', 'create', '--scope', scope])
      const environment = { DEPOSIT_URL: daemon.url, DEPOSIT_TOKEN: stdout.trim() }
      return (...args: readonly string[]) => runCli(args, { environment, folder: folder.path })
    }
    const [writing, reading] = [await as('deposit:write'), await as('openid')]
    expect(await writing('batch', 'rows.csv')).toMatchObject({ status: 0 })
    const made = await total()

    // Of a draft that an earlier run made, and of a new one.
    for (const table of ['rows.csv', 'new.csv'])
      for (const rehearsal of [[], ['-n']]) {
        const refused = await writing('batch', table, '--publish', ...rehearsal)
        expectFailure(refused, 4, 'needs the scope deposit:actions')
      }
    await writeFile(join(folder.path, 'rows.csv'), 'key,title\na,Other\n')
    const unread = await reading('batch', 'rows.csv', '--update', '-n')
    expectFailure(unread, 4, 'needs the scope deposit:write')
    expect(await total()).toBe(made)
    expect(await writing('batch', 'rows.csv', '--update', '-n')).toMatchObject({ status: 0 })
  })
})

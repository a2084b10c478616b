import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atEndpoint } from '../../cli/plain.ts'
import { resumableBytes } from '../../cli/client/resumable-upload.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let daemon: DaemonProcess
let folder: TemporaryFolder

beforeAll(async () => {
  const lab = {
    item_route: '/labs/item/{pid_value}',
    file_item_route: '/labs/{pid_value}/at/{key}',
  }
  daemon = await startDaemon({ DEPOSIT_REST_ENDPOINTS: JSON.stringify({ lab }) })
  folder = await temporaryFolder({
    'data/metadata.yaml': 'title: Tide gauge\n',
    'data/levels.csv': '1,2',
    'large.bin': '',
  })
  // Large enough for an upload that can be resumed.
  await truncate(join(folder.path, 'large.bin'), resumableBytes)
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const deposit = (args: readonly string[], environment = {}): Promise<Outcome> =>
  runCli(args, {
    environment: { DEPOSIT_HOME: daemon.home, ...environment },
    folder: folder.path,
  })

const done = async (args: readonly string[], environment = {}): Promise<string> => {
  const outcome = await deposit(args, environment)
  expect([args, outcome.status, outcome.stderr]).toEqual([args, 0, expect.anything()])
  return outcome.stdout.trim()
}

describe('deposits of another endpoint', () => {
  it('are made, listed, changed and published with --endpoint', async () => {
    const there = ['--endpoint', 'lab']
    const id = await done(['create', 'data', '--new', '--quiet', ...there])
    const { links } = JSON.parse(await done(['show', id, '--json', ...there])) as DepositBody
    expect(links['self']).toBe(`${daemon.url}/api/labs/item/${id}`)
    expect(await done(['list', '--quiet', ...there])).toBe(id)
    expect(await done(['list', '--quiet'])).toBe('')
    await done(['upload', id, 'large.bin', ...there])
    await done(['rename', id, 'levels.csv', 'levels-1.csv', ...there])
    const rehearsed = await deposit(['update', id, '--set', 'title=x', '--dry-run', ...there])
    expect(rehearsed).toMatchObject({ status: 0 })
    await done(['download', id, '--output', 'back', ...there])
    const short = id.slice(0, 8)
    await done(['publish', short, ...there])
    const frozen = await deposit(['rm', short, 'levels-1.csv', ...there])
    expect(frozen.status).toBe(5)
    const [, advised = ''] = /`deposit (newversion [^`]*)`/.exec(frozen.stderr) ?? []
    expect(advised).toBe(`newversion ${id} --endpoint lab`)
    await done(advised.split(' '))
    for (const name of [id, short]) {
      const missing = await deposit(['show', name])
      expect(missing).toMatchObject({ status: 3 })
      expect(missing.stderr).toContain('the endpoint lab of the server has this deposit')
      expect(missing.stderr).toContain('next: run the command again with --endpoint lab\n')
      await done(['show', name, '--endpoint', 'lab'])
    }
    const nowhere = await deposit(['show', '0'.repeat(32)])
    expect(nowhere.stderr).toContain('There is no deposit with this id.')
    expect(await deposit(['update', id, '--set', 'title=x', '--dry-run'])).toMatchObject({
      status: 3,
    })
  })

  it('are named by an advised command before names that begin like an option', () => {
    expect(atEndpoint("run `deposit rm abc -- '-a -- b' -c` again", 'lab')).toBe(
      "run `deposit rm abc --endpoint lab -- '-a -- b' -c` again",
    )
    expect(atEndpoint("`deposit rm abc 'a -- b' && deposit publish abc`", 'lab')).toBe(
      "`deposit rm abc 'a -- b' --endpoint lab && deposit publish abc --endpoint lab`",
    )
  })

  it('are separate from those of a batch at another endpoint', async () => {
    await writeFile(join(folder.path, 'rows.csv'), 'title\nA\n')
    await done(['batch', 'rows.csv', '--endpoint', 'lab'])
    const other = await deposit(['batch', 'rows.csv'])
    expect(other).toMatchObject({ status: 5, stdout: '' })
    expect(other.stderr).toContain('the endpoint lab of the server has this deposit')
    expect(other.stderr).toContain('next: run the command again with --endpoint lab\n')
    expect(await done(['batch', 'rows.csv', '--endpoint', 'lab'])).toContain('already done')
  })

  it('are completed by the command that an interrupted create advises', async () => {
    await using proxy = await cuttingProxy(daemon.url)
    const args = ['token', 'create', '--scope', 'deposit:write deposit:actions']
    const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: await done(args) }
    const interruption = new AbortController()
    proxy.cut(/^PUT/, 0, () => interruption.abort())
    const { status, stderr } = await runCli(
      ['create', 'data', '--new', '--publish', '--endpoint', 'lab'],
      {
        environment,
        folder: folder.path,
        signal: interruption.signal,
      },
    )
    expect(status).toBe(130)
    const [, advised = ''] = /next: run `([^`]+)` to continue/.exec(stderr) ?? []
    const [upload, publish, ...more] = advised.split(' && ').map((one) => one.split(' ').slice(1))
    expect(more).toEqual([])
    await done(upload ?? [])
    expect(await done(publish ?? [])).toContain('/records/')
  })

  it('are selected by DEPOSIT_ENDPOINT, unless --endpoint names others', async () => {
    const environment = { DEPOSIT_ENDPOINT: 'lab' }
    const id = await done(['create', '--title', 'x', '--quiet'], environment)
    expect(await done(['show', id, '--json', 'id'], environment)).toContain(id)
    const plain = await done(
      ['create', '--title', 'x', '--quiet', '--endpoint', 'depid'],
      environment,
    )
    expect(await done(['list', '--quiet'])).toBe(plain)
  })

  it('are not searched at an unknown endpoint; the message names the known ones', async () => {
    const { status, stderr } = await deposit(['list', '--endpoint', 'labs'])
    expect(status).toBe(2)
    expect(stderr).toContain('no endpoint of that name')
    expect(stderr).toContain('name one of depid, lab with --endpoint or DEPOSIT_ENDPOINT')
  })
})

describe('an address as identifier', () => {
  it('may be that of a page, of a record, or of either in the REST interface', async () => {
    const record = await done(['create', 'data', '--new', '--publish'])
    const id = await done(['show', record, '--quiet'])
    const { links } = JSON.parse(await done(['show', id, '--json'])) as DepositBody
    expect(links['record_html']).toBe(record)
    const other = record.replace('127.0.0.1', 'localhost')
    for (const address of [
      links['html'],
      links['self'],
      links['record'],
      `${record}/#files`,
      other,
    ])
      expect(await done(['show', address ?? '', '--quiet'])).toBe(id)
    expect(await done(['download', record, '--output', 'copy'])).toContain('levels.csv')
    expect(await done(['diff', 'data', record])).toBe('')
    expect(await done(['edit', record, '--quiet'])).toBe(id)
    await done(['update', record, '--set', 'title=Tides'])
    await done(['check', record])
    expect(await done(['publish', record])).toBe(record)
    const narrated = await deposit(['newversion', record])
    const draft = narrated.stdout.trim()
    expect(narrated.stderr).toContain(draft)
    await done(['upload', `${daemon.url}/deposit/${draft}`, 'large.bin'])
    await done(['sync', 'data', `${daemon.url}/deposit/${draft}`])
    const page = `${daemon.url}/deposit/${draft}`
    expect(await done(['delete', page, '--yes', '--quiet'])).toBe(draft)
  })

  it('may be that of a deposit of another endpoint', async () => {
    const there = ['--endpoint', 'lab']
    const made = await done(['create', 'data', '--new', '--publish', '--json', ...there])
    const { id, links } = JSON.parse(made) as DepositBody
    const record = links['record_html'] ?? ''
    expect(await done(['show', record, '--quiet', ...there])).toBe(id)
    const missing = await deposit(['show', record])
    expect(missing.stderr).toContain('the endpoint lab of the server has this deposit')
  })

  it('is refused if it is of another service, or of no deposit', async () => {
    const refused = await deposit(['show', 'https://example.org/records/xjahe-c4x84'])
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain(
      `this is an address of https://example.org, and the command talks to ${daemon.url}; ` +
        'deposit talks only to services of its own kind, which run depositd\n',
    )
    const list = await deposit(['show', `${daemon.url}/deposit`])
    expect(list).toMatchObject({ status: 2, stdout: '' })
    expect(list.stderr).toContain('this is not the address of a deposit or a record\n')
    expect(await deposit(['show', `${daemon.url}/records/abcde-12345`])).toMatchObject({
      status: 3,
    })
  })
})

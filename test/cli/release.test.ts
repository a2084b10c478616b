import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { DepositBody } from '../../core/contract/schemas.ts'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { releasable, release } from '../support/release.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { credentialsFile } from '../support/house.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { forward } from '../support/forward.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { outline } from '../../cli/program/outline.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

useDaemon()

async function recordOf(url: string): Promise<DepositBody> {
  const reply = await fetch(url, { headers: { accept: 'application/json' } })
  return (await reply.json()) as DepositBody
}

/** The page of the version before. */
async function previousOf(url: string): Promise<string | undefined> {
  const { links } = await recordOf(url)
  const previous = links['previous_version']
  return previous && (await recordOf(previous)).links['html']
}

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

/** Environment of a pipeline, with a token and no sign-in. */
async function pipeline(server = daemonUrl()): Promise<Readonly<Record<string, string>>> {
  const scope = ['--scope', 'deposit:write deposit:actions', '--expires', '365d']
  const { stdout } = await deposit(['token', 'create', ...scope])
  return { DEPOSIT_URL: server, DEPOSIT_TOKEN: stdout.trim() }
}

describe('deposit release', () => {
  it('publishes a folder, and then each change of it as a version of the same record', async () => {
    await using folder = await temporaryFolder({ ...releasable, 'data/b.csv': '2' })
    const first = await release(folder)
    await writeFile(join(folder.path, 'data/a.csv'), 'other')
    await writeFile(join(folder.path, 'data/metadata.yaml'), 'title: Tides again\n')
    await rm(join(folder.path, 'data/b.csv'))

    const second = await release(folder)

    expect(await previousOf(second)).toBe(first)
    expect(await namesOf(second)).toEqual(['a.csv'])
    expect((await recordOf(second)).metadata).toMatchObject({ title: 'Tides again' })
    expect(await namesOf(first)).toEqual(['a.csv', 'b.csv'])
  })

  it('is done once: again, it says that the version is published, with its address', async () => {
    await using folder = await temporaryFolder(releasable)
    const first = await release(folder)
    const before = await total()

    const again = await deposit(['release', 'data'], { folder: folder.path })

    expect(again).toMatchObject({ status: 0, stdout: `${first}\n` })
    expect(again.stderr).toContain('Published already: ')
    expect(await total()).toBe(before)
  })

  it('finds the newest version from any other, in a checkout that knows none', async () => {
    await using folder = await temporaryFolder(releasable)
    const first = await release(folder)
    await writeFile(join(folder.path, 'data/a.csv'), '2')
    const second = await release(folder)
    await using checkout = await temporaryFolder({ ...releasable, 'data/a.csv': '2' })

    expect(await release(checkout, '--of', first)).toBe(second)
    await writeFile(join(checkout.path, 'data/a.csv'), '3')
    const third = await release(checkout, '--of', first)
    expect(await previousOf(third)).toBe(second)
    // A file that is left out by now is not in the next version.
    const fourth = await release(folder, '--of', third, '--exclude', 'a.csv')
    expect(await namesOf(fourth)).toEqual([])
  })

  it('publishes the draft that the folder knows', async () => {
    await using folder = await temporaryFolder(releasable)
    const { stdout: id } = await deposit(['create', 'data'], { folder: folder.path })
    await writeFile(join(folder.path, 'data/b.csv'), '2')

    const record = await release(folder)

    expect(await deposit(['show', record, '--quiet'])).toMatchObject({ stdout: id })
    expect(await namesOf(record)).toEqual(['a.csv', 'b.csv'])
  })

  it('finds the deposit of its idempotency key, with other metadata too', async () => {
    await using folder = await temporaryFolder(releasable)
    await using checkout = await temporaryFolder(releasable)
    const first = await release(folder, '--idempotency-key', 'release-1')

    expect(await release(checkout, '--idempotency-key', 'release-1')).toBe(first)
    await rm(join(checkout.path, 'data/.deposit.json'))
    await writeFile(join(checkout.path, 'data/metadata.yaml'), 'title: Later tides\n')
    const second = await release(checkout, '--idempotency-key', 'release-1')
    expect(await previousOf(second)).toBe(first)
  })

  it('tells with --dry-run which version it would publish, and changes nothing', async () => {
    await using folder = await temporaryFolder(releasable)
    const rehearse = (): Promise<Outcome> =>
      deposit(['release', 'data', '--dry-run'], { folder: folder.path })

    const outcome = await rehearse()
    expect(outcome.stderr).toContain('Would publish the first version of a record, with 1 file\n')
    expect(outcome.stdout).toBe('a.csv\n')
    const record = await release(folder)
    expect((await rehearse()).stdout).toBe(`${record}\n`)
    await writeFile(join(folder.path, 'data/b.csv'), '2')
    await writeFile(join(folder.path, 'data/metadata.yaml'), 'title: Later tides\n')
    const { status, stdout, stderr } = await rehearse()
    expect(status).toBe(0)
    const would = `publish a new version of ${record}: 1 added, 1 metadata change (title)`
    expect(stderr).toContain(`Would ${would}\n`)
    expect(stdout).toBe('added\tb.csv\nmetadata\treplace\t/title\n')
    const asJson = await deposit(['release', 'data', '--dry-run', '--json', 'would,changes'], {
      folder: folder.path,
    })
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      would,
      changes: { added: [{ filename: 'b.csv' }], metadata: [{ path: '/title' }] },
    })
    expect(await release(folder, '--of', record)).not.toBe(record)
  })

  it('finishes one version, however often it is killed', { timeout: 120_000 }, async () => {
    await using folder = await temporaryFolder(releasable)
    await using proxy = await cuttingProxy(daemonUrl())
    const environment = await pipeline(proxy.url)
    const options = { environment, folder: folder.path }
    const before = await total()
    const kill = async (request: RegExp, bytes: number): Promise<void> => {
      using child = startDeposit(['release', 'data'], environment, options)
      proxy.cut(request, bytes, () => child.kill('SIGKILL'))
      expect(await child.ended).toMatchObject({ status: null, stdout: '' })
    }

    // Answers that are lost, and a file that breaks off.
    await kill(/^POST \S*\/deposits\/?$/, 3)
    await kill(/^(?:PUT|POST) .*(?:a\.csv|files|bundles)/, 1)
    await kill(/^POST .*\/actions\/publish$/, 0)
    const first = await runCli(['release', 'data'], options)
    expect(first).toMatchObject({ status: 0 })
    expect(await total()).toBe(before + 1)

    await writeFile(join(folder.path, 'data/a.csv'), '2')
    await kill(/^POST .*\/actions\/newversion$/, 0)
    await kill(/^POST .*\/actions\/publish$/, 0)
    const second = await runCli(['release', 'data'], options)
    expect(await previousOf(second.stdout.trim())).toBe(first.stdout.trim())
    expect(await total()).toBe(before + 2)
  })

  it('succeeds if another run has published the draft in between', async () => {
    await using folder = await temporaryFolder(releasable)
    await using busy = await strangeServer(async (request, response) => {
      const { method = '', url = '', headers } = request
      if (url.endsWith('/actions/publish') && method === 'POST') {
        const { authorization = '' } = headers
        await fetch(daemonUrl() + url, { method, headers: { authorization } })
      }
      const { status, body } = await forward(daemonUrl(), request)
      answerJson(response, body, status)
    })
    const environment = await pipeline(busy.url)
    const before = await total()

    const outcome = await runCli(['release', 'data'], { environment, folder: folder.path })

    expect(outcome.status).toBe(0)
    expect(outcome.stderr).toContain('Published already: ')
    expect(await total()).toBe(before + 1)
  })

  it('names the command that goes on after an error', async () => {
    await using folder = await temporaryFolder(releasable)
    await using proxy = await cuttingProxy(daemonUrl())
    const interruption = new AbortController()
    proxy.cut(/^POST .*\/actions\/publish$/, 0, () => interruption.abort())
    const environment = await pipeline(proxy.url)
    const options = { environment, folder: folder.path }

    const { status, stderr } = await runCli(['release', 'data', '--exclude', 'b*'], {
      ...options,
      signal: interruption.signal,
    })

    expect(status).toBe(130)
    expect(stderr).toContain("next: run `deposit release data --exclude 'b*'` to continue\n")
    const again = await runCli(['release', 'data', '--exclude', 'b*'], options)
    expect(again.status).toBe(0)
    expect(again.stdout).toContain('/records/')
  })

  it('refuses a draft as --of, an unset variable, and a folder without metadata', async () => {
    await using folder = await temporaryFolder({ ...releasable, 'bare/a.csv': '1' })
    const run = (...args: readonly string[]): Promise<Outcome> =>
      deposit(['release', ...args], { folder: folder.path })
    const { stdout } = await deposit(['create', '--title', 'x'])
    const before = await total()

    expectFailure(await run('data', '--of', stdout.trim()), 5, 'it was never published')
    expectFailure(await run('data', '--of', ''), 2, '--of is empty')
    expectFailure(await run('bare'), 2, 'it has no metadata at all')
    expect(await total()).toBe(before)
  })

  it('asks on a terminal before anything is sent', async () => {
    await using folder = await temporaryFolder(releasable)
    const typed = { folder: folder.path, isTyped: true, terminal: 200 } as const
    const before = await total()

    const refused = await deposit(['release', 'data'], { ...typed, stdin: 'n\n' })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('"Tides", 1 file (1 B)')
    expect(refused.stderr).toContain('It is the first version of a new record.')
    expect(await total()).toBe(before)
    const agreed = await deposit(['release', 'data'], { ...typed, stdin: 'y\n' })
    expect(agreed.stdout).toContain('/records/')
  })
})

async function example(name: string): Promise<string> {
  return readFile(new URL(`../../examples/ci/${name}`, import.meta.url), 'utf8')
}

interface GitHub {
  readonly jobs: { readonly publish: { readonly steps: readonly { readonly run?: string }[] } }
}
interface GitLab {
  readonly publish: { readonly script: readonly string[] }
}

/** The script of the last job. */
const scripts: Readonly<Record<string, (text: string) => string>> = {
  'github-actions.yml': (text) => (parse(text) as GitHub).jobs.publish.steps.at(-1)?.run ?? '',
  'gitlab-ci.yml': (text) => (parse(text) as GitLab).publish.script.join('\n'),
}

const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))

describe.each(Object.entries(scripts))('the example %s', (name, scriptIn) => {
  it('uses existing commands', async () => {
    const used = [...(await example(name)).matchAll(/\bdeposit (\w+) (?=data|create)/g)]

    expect(used.length).toBeGreaterThan(2)
    for (const [, command] of used) expect(outline.map(({ name }) => name)).toContain(command)
  })

  it('publishes a tag as a new version of the record, once, and without a record none', async () => {
    await using folder = await temporaryFolder(releasable)
    const first = await release(folder)
    const bin = join(folder.path, 'bin')
    await mkdir(bin)
    await symlink(program, join(bin, 'deposit'))
    const script = scriptIn(await example(name))
    const run = async (record: string): Promise<string> => {
      // A fresh checkout of the tag.
      await using checkout = await temporaryFolder({ ...releasable, 'data/b.csv': name, url: '' })
      const url = join(checkout.path, name.startsWith('gitlab') ? 'record-url.txt' : 'url')
      await promisify(execFile)('bash', ['-e', '-c', script], {
        cwd: checkout.path,
        env: {
          ...process.env,
          ...(await pipeline()),
          PATH: `${bin}:${process.env['PATH']}`,
          DEPOSIT_RECORD: record,
          GITHUB_STEP_SUMMARY: url,
        },
      })
      return (await readFile(url, 'utf8')).replace('Published ', '').trim()
    }

    const second = await run(first)

    expect(await previousOf(second)).toBe(first)
    expect(await run(first)).toBe(second)
    await expect(run('')).rejects.toThrow('--of is empty')
  })
})

describe('an example pipeline', () => {
  it('rehearses in a folder that knows the record of another server', async () => {
    await using folder = await temporaryFolder()
    await cp(join(workFolder(), 'data'), join(folder.path, 'data'), { recursive: true })
    const named = { server: 'https://deposit.example.org', id: 'f'.repeat(32) }
    await writeFile(join(folder.path, 'data/.deposit.json'), JSON.stringify(named))
    const at = { folder: folder.path }

    expect(await deposit(['check', 'data'], at)).toMatchObject({ status: 0 })
    const { stdout } = await deposit(['create', 'data', '--publish', '--no-remember'], at)
    expect(stdout).toMatch(/^http:\S+\/records\/\S+\n$/)
  })

  it('asks no question without a token', async () => {
    await rm(credentialsFile, { force: true })
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_HOME: '/nonexistent' }

    const { status, stdout } = await runCli(['create', '--title', 'x'], { environment })

    expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
  })
})

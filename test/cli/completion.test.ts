import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  daemonHome,
  deposit,
  expectFailure,
  newDraft,
  newPublished,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { completeIn, isInstalled } from '../support/completing-shell.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** What the last word may become. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await deposit(['__complete', '--', ...words])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : line.split('\t', 1)))
}

describe('a word on the command line', () => {
  it('becomes a command, a subcommand or an option', async () => {
    expect(await complete('pu')).toEqual(['publish'])
    expect(await complete('token', 'r')).toEqual(['revoke'])
    expect(await complete('create', '--ti')).toEqual(['--title'])
    expect(await complete('token', 'create', '--scope', '')).toEqual([
      'deposit:write',
      'deposit:actions',
    ])
  })

  it('becomes the id of a deposit that the command can be used on', async () => {
    const [draft, published] = [await newDraft('--title', 'x'), await newPublished()]

    expect(await complete('publish', draft.slice(0, 4))).toEqual([draft])
    expect(await complete('publish', published.slice(0, 8))).toEqual([])
    expect(await complete('edit', published.slice(0, 8))).toEqual([published])
    expect(await complete('show', '')).toEqual(expect.arrayContaining([draft, published]))
  })

  it('becomes the key of a file that is not named yet', async () => {
    const id = await newDraft('data')

    expect(await complete('rm', id, '')).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
    expect(await complete('rm', '--quiet', id, 'b/a.csv', 'b/')).toEqual(['b/empty.csv'])
    expect(await complete('upload', id, '')).toEqual([])
  })

  it('becomes an action that the server has', async () => {
    expect(await complete('action', await newDraft(), 'new')).toEqual(['newversion'])
  })

  it('stays as it is where no daemon runs: none is started', async () => {
    const environment = { DEPOSIT_HOME: '/nonexistent' }

    const { stdout, stderr } = await runCli(['__complete', '--', 'show', ''], { environment })

    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
  })
})

describe.for(['bash', 'zsh', 'fish'] as const)('a tab in %s', (shell) => {
  it('completes commands, subcommands, options, ids and keys', async ({ skip }) => {
    skip(!isInstalled(shell), `there is no ${shell} here`)
    await using folder = await temporaryFolder({ 'local.txt': '' })
    const id = await newDraft('--title', 'Tides')
    await deposit(['upload', id, 'extra.txt', '--name', 'a name: x.txt'])
    const { stdout: script } = await deposit(['completion', shell])
    const press = (line: string): Promise<string> =>
      completeIn(shell, line, { script, folder: folder.path, home: daemonHome() })

    expect(await press('deposit pub')).toMatch(/\bpublish\b/)
    expect(await press('deposit token rev')).toMatch(/\brevoke\b/)
    expect(await press('deposit create --ti')).toMatch(/--title\b/)
    expect(await press(`deposit publish ${id.slice(0, 8)}`)).toContain(id)
    expect(await press(`deposit rm ${id} a`)).toMatch(/a\\? name\\?:\\? x\.txt/)
  })
})

describe('deposit completion', () => {
  it.for(['bash', 'zsh', 'fish'])('prints a script that %s can read', async (shell, { skip }) => {
    const { status, stdout } = await deposit(['completion', shell])
    expect(status).toBe(0)
    expect(stdout).toContain('deposit __complete --')
    await using folder = await temporaryFolder({ script: stdout })

    const { error, status: read } = spawnSync(shell, ['-n', join(folder.path, 'script')])

    skip(error !== undefined, `there is no ${shell} here`)
    expect(read).toBe(0)
  })

  it('knows no other shell', async () => {
    expectFailure(await deposit(['completion', 'tcsh']), 2, 'bash, zsh and fish')
    expectFailure(await deposit(['completion']), 2, "missing required argument 'shell'")
  })
})

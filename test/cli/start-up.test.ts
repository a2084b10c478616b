import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { outline } from '../../cli/program/outline.ts'
import { topics } from '../../cli/program/topics.ts'
import { compileCache } from '../support/compile-cache.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The sources in a file that the build has put together, each after a comment with its path. */
function sourcesIn(url: string): readonly string[] {
  if (!url.includes('/dist/deposit/')) return [url]
  return readFileSync(fileURLToPath(url), 'utf8').match(/^\/\/ \S+\.\w+$/gm) ?? []
}

/** The modules that `deposit` loads: packages, its own commands, and built-in ones. */
async function loadedBy(...args: readonly string[]) {
  await using folder = await temporaryFolder()
  const report = join(folder.path, 'imports')
  const hooks = pathToFileURL(join(root, 'test/support/report-imports.mjs')).href
  const program = ['--import', hooks, join(root, 'cli/bin.mjs'), ...args]
  const env = { ...process.env, ...compileCache(), IMPORT_REPORT: report }
  const { stdout } = spawnSync(process.execPath, program, { env, encoding: 'utf8' })
  const urls = readFileSync(report, 'utf8').trim().split('\n')
  const sources = urls.flatMap(sourcesIn)
  const packages = sources.flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  )
  const commands = sources.flatMap((path) => /\/commands\/([\w-]+)\.ts$/.exec(path)?.[1] ?? [])
  const builtins = urls.filter((url) => url.startsWith('node:'))
  return { stdout, packages: [...new Set(packages)], commands, builtins }
}

describe('the code that the command line loads', () => {
  it('includes no package for --version', async () => {
    const { stdout, packages, commands } = await loadedBy('--version')

    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(packages).toEqual([])
    expect(commands).toEqual([])
  })

  it.for([[], ['--help'], ['publish', '--help'], ['help', 'upload'], ['help', 'exit']])(
    'includes only packages for commands and folders for help: %j',
    async (args) => {
      const { packages, commands, builtins } = await loadedBy(...args)

      expect(packages.toSorted()).toEqual(['commander', 'env-paths'])
      expect(commands.filter((name) => name !== 'command').length).toBeLessThan(2)
      expect(builtins).toContain('node:path')
      expect(builtins).not.toContain('node:http')
      expect(builtins).not.toContain('node:child_process')
    },
  )

  it('includes no compiler of schemas to check metadata', async () => {
    await using folder = await temporaryFolder({ 'metadata.yaml': 'title: Tides\n' })
    const { packages } = await loadedBy('check', join(folder.path, 'metadata.yaml'))

    expect(packages).toContain('yaml')
    expect(packages).not.toContain('ajv')
  })
})

describe('deposit in a removed folder', () => {
  it('is refused with the reason', async () => {
    await using folder = await temporaryFolder()
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" whoami'
    const program = [process.execPath, join(root, 'cli/bin.mjs')]
    const { status, stderr } = spawnSync('sh', ['-c', script, ...program], {
      cwd: folder.path,
      env: { ...process.env, ...compileCache() },
      encoding: 'utf8',
    })

    expect(status).toBe(2)
    expect(stderr).toContain('the current folder was removed')
  })
})

describe('deposit alone', () => {
  it('shows the commands that a new user needs', async () => {
    const { status, stdout, stderr } = await runCli([])

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.match(/^ {2}\w+ {3,}\w/gm)).toHaveLength(13)
    expect(stdout).toMatch(/\nThis folder .+\nNext: .*`deposit init.+\n$/)
  })

  it('shows all commands with --help', async () => {
    const { stdout } = await runCli(['--help'])

    for (const { name, summary } of outline)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
  })
})

describe('the overview', () => {
  it.for([[], ['--help']])('of deposit %s keeps within 80 columns', async (args) => {
    const { stdout } = await runCli(args)

    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

describe('the help of each command', () => {
  it.for(outline.map(({ name }) => name))('%s has examples, within 80 columns', async (name) => {
    const { status, stdout, stderr } = await runCli([name, '--help'])

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`$ deposit ${name}`)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

describe('a topic of the manual', () => {
  it.for(topics)('$name is shown by deposit help', async ({ name, summary, page, section }) => {
    const { status, stdout, stderr } = await runCli(['help', name])

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^NAME\n\n  ${page} - `))
    expect(stdout).not.toMatch(/^\.[A-Z]|\\f[BIPR]|\\[-&]|\\\[u/m)
    expect((await runCli(['help', page])).stdout).toBe(stdout)
    expect((await runCli(['--help'])).stdout).toContain(`  ${summary}\n`)
    const lines = readFileSync(join(root, `man/man${section}/${page}.${section}`), 'utf8')
    for (const [, title = ''] of lines.matchAll(/^\.SH (.+)$/gm))
      expect(stdout).toContain(`\n${title.replaceAll(String.raw`\-`, '-')}\n`.trimStart())
  })

  it('is each page that is not about a command', async () => {
    const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly man: readonly string[]
    }
    const pages = topics.map(({ page, section }) => `man/man${section}/${page}.${section}`)

    expect(pages.toSorted()).toEqual(man.filter((path) => !path.startsWith('man/man1/')))
  })

  it('is named by the help of the commands it is about', async () => {
    expect((await runCli(['help', 'exit'])).stdout).toContain(
      '\n  3\n      There is no such deposit',
    )
    expect((await runCli(['uploads', '--help'])).stdout).toContain('`deposit help deposit-uploads`')
    for (const { commands } of topics)
      for (const name of commands) expect(outline.map((entry) => entry.name)).toContain(name)
  })

  it('that does not exist gets a list of those there are', async () => {
    const { status, stdout, stderr } = await runCli(['help', 'frobnicate'])

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(`the topics are ${topics.map(({ name }) => name).join(', ')}\n`)
  })
})

describe('a typing mistake', () => {
  it('gets the nearest command as a hint', async () => {
    const { status, stdout, stderr } = await runCli(['pubish', 'x'])

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('Did you mean publish?')
  })

  it.for([
    ['frobnicate', '--help'],
    ['help', 'frobnicate'],
    ['token', 'frobnicate', '--help'],
  ])('%j does not show the help of another command', async (args) => {
    const { status, stdout, stderr } = await runCli(args)

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain("unknown command 'frobnicate'")
  })

  it('gets the nearest option as a hint', async () => {
    const { stderr } = await runCli(['create', '--publsh'])

    expect(stderr).toContain('Did you mean --publish?')
  })
})

describe('a command with subcommands', () => {
  it.for(['token', 'daemon'])('%s alone is a usage error', async (name) => {
    const { status, stdout, stderr } = await runCli([name])

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toBe(
      `deposit: could not run \`deposit ${name}\`\n` +
        '  it needs one of its subcommands\n' +
        `  next: see \`deposit ${name} --help\`\n`,
    )
  })
})

describe('DEPOSIT_URL', () => {
  it('is a usage error if it is no URL', async () => {
    const environment = { DEPOSIT_URL: 'example.org' }
    const { status, stderr } = await runCli(['list'], { environment })

    expect(status).toBe(2)
    expect(stderr).toContain('DEPOSIT_URL must begin with https:// or http://: "example.org"')
  })
})

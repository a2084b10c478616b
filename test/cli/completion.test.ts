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
import { shellWord } from '../../cli/plain.ts'
import { outline } from '../../cli/program/outline.ts'
import { completeIn, isInstalled, type CompletingShell } from '../support/completing-shell.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** The completions of the last word. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await deposit(['__complete', '--', ...words])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : line.split('\t', 1)))
}

describe('a completion', () => {
  it('may be a command, a subcommand or an option', async () => {
    expect(await complete('publ')).toEqual(['publish'])
    expect(await complete('token', 'r')).toEqual(['revoke'])
    expect(await complete('help', 'e')).toEqual(['edit', 'export', 'exit'])
    expect(await complete('create', '--tit')).toEqual(['--title'])
    expect(await complete('token', 'create', '--scope', '')).toEqual([
      'deposit:write',
      'deposit:actions',
    ])
    expect(await complete('export', 'ID', '--as', 'data')).toEqual([
      'datacite-xml',
      'datacite-json',
      'datapackage',
    ])
    expect(await complete('cite', 'ID', '--style', 'i')).toEqual(['ieee'])
  })

  it('may be the id of a deposit in the right status for the command', async () => {
    const [draft, published] = [await newDraft('--title', 'x'), await newPublished()]

    expect(await complete('publish', draft.slice(0, 4))).toEqual([draft])
    expect(await complete('publish', published.slice(0, 8))).toEqual([])
    expect(await complete('edit', published.slice(0, 8))).toEqual([published])
    expect(await complete('show', '')).toEqual(expect.arrayContaining([draft, published]))
  })

  it('may be the key of a file that is not on the line yet', async () => {
    const id = await newDraft('data')

    expect(await complete('rm', id, '')).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
    expect(await complete('rm', '--quiet', id, 'b/a.csv', 'b/')).toEqual(['b/empty.csv'])
    expect(await complete('upload', id, '')).toEqual([])
  })

  it('may be an action that the server has', async () => {
    expect(await complete('action', await newDraft(), 'new')).toEqual(['newversion'])
  })

  it('may be the id behind a folder', async () => {
    const id = await newDraft()

    for (const command of ['verify', 'diff', 'sync'])
      expect(await complete(command, 'data', id.slice(0, 6))).toEqual([id])
  })

  it('needs a running daemon for ids, and starts none', async () => {
    const environment = { DEPOSIT_HOME: '/nonexistent' }

    const { stdout, stderr } = await runCli(['__complete', '--', 'show', ''], { environment })

    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
  })
})

it('protects a ! in double quotes from history expansion of bash', async () => {
  const id = await newDraft('data')
  await deposit(['upload', id, 'extra.txt', '--name', 'so what!?'])

  const { stdout } = await deposit(['__complete', '--bash', `deposit rm ${id} "so`, 'so'])

  expect(stdout).toBe(`so what"'!'"?\n`)
})

describe.for(['bash', 'zsh', 'fish'] as const)('a tab in %s', (shell) => {
  it('completes commands, subcommands, options, ids and keys', async ({ skip }) => {
    skip(!isInstalled(shell), `there is no ${shell} here, or no zsh to type into it`)
    const id = await newDraft('--title', 'Tides')

    const lines = await press(shell, [
      'deposit pub',
      'deposit token rev',
      'deposit create --tit',
      `deposit publish ${id.slice(0, 8)}`,
      `deposit upload ${id} loc`,
    ])

    expect(lines).toEqual([
      'deposit publish ',
      'deposit token revoke ',
      'deposit create --title ',
      `deposit publish ${id} `,
      `deposit upload ${id} local.txt `,
    ])
  })

  it('completes keys with special characters, quoted for the shell', async ({ skip }) => {
    skip(!isInstalled(shell), `there is no ${shell} here, or no zsh to type into it`)
    await using folder = await temporaryFolder(
      Object.fromEntries(begun.map(([, key]) => [key, ''])),
    )
    const id = await newDraft(folder.path)

    const lines = await press(
      shell,
      begun.map(([word]) => `deposit rm ${id} ${word}`),
    )

    const words = lines.map((line) => readBy(shell, line))
    expect({ lines, words }).toEqual({ lines, words: begun.map(([, key]) => ['rm', id, key]) })
  })
})

const keys = {
  colons: 'data:2024:01.csv',
  others: 'time=12:00@noon.csv',
  spaces: 'a name, with spaces.txt',
  quotes: `it's "quoted".txt`,
  expanded: 'cost$HOME`x`.txt',
  wide: 'übersicht: größe.csv',
  signs: 'réf/[1] {2} (3) & ~#;|<>*?!.txt',
}

/** The part of a key that is typed before the tab. */
const begun: readonly (readonly [word: string, key: string])[] = [
  ['d', keys.colons],
  ['data:', keys.colons],
  ['data:2024:0', keys.colons],
  ['"data:20', keys.colons],
  [String.raw`data\:20`, keys.colons],
  ['time=12:00@n', keys.others],
  [String.raw`a\ na`, keys.spaces],
  ['"a na', keys.spaces],
  ["'a na", keys.spaces],
  ['it', keys.quotes],
  [`"it's `, keys.quotes],
  [String.raw`it\'s\ \"q`, keys.quotes],
  ['"cost', keys.expanded],
  ["'co", keys.expanded],
  [String.raw`cost\$H`, keys.expanded],
  ['übersicht:', keys.wide],
  [String.raw`übersicht:\ gr`, keys.wide],
  ['"übersicht: ', keys.wide],
  ['ré', keys.signs],
  ["'réf/[1] {2} (3) ", keys.signs],
]

/** The lines after a tab is typed at the end of each. */
async function press(shell: CompletingShell, lines: readonly string[]) {
  await using folder = await temporaryFolder({ 'local.txt': '' })
  const { stdout: script } = await deposit(['completion', shell])
  return await completeIn(shell, lines, { script, folder: folder.path, home: daemonHome() })
}

/** The words after `deposit`, as the shell passes them. */
function readBy(shell: CompletingShell, line: string): readonly string[] {
  const show = `printf '%s\\n' ${shell === 'fish' ? '$argv' : '"$@"'}`
  const define = shell === 'fish' ? `function deposit; ${show}; end` : `deposit() { ${show}; }`
  const { stdout } = spawnSync(shell, ['-c', `${define}\n${line}`], { encoding: 'utf8' })
  return stdout.trimEnd().split('\n')
}

/** The answer to PowerShell, with `words` behind `deposit`. */
async function answerPowerShell(...words: readonly string[]) {
  const encoded = Buffer.from(words.join('\n')).toString('base64')
  const { stdout } = await deposit(['__complete', '--powershell', encoded])
  expect(stdout).toMatch(/^[\x20-\x7e]*\n$/)
  return JSON.parse(stdout) as { typed: string; value: string; what: string }[]
}

describe('the completion of PowerShell', () => {
  it('has every command, with a text beside each that is never empty', async () => {
    const commands = await answerPowerShell('')
    expect(commands.map(({ typed }) => typed)).toEqual(outline.map(({ name }) => name))
    const shells = await answerPowerShell('completion', '')
    expect(shells.map(({ what }) => what)).toEqual(['bash', 'zsh', 'fish', 'powershell'])
  })

  it('quotes keys, also where a quote is open', async () => {
    await using folder = await temporaryFolder(
      Object.fromEntries(begun.map(([, key]) => [key, ''])),
    )
    const id = await newDraft(folder.path)
    for (const [word, typed] of [
      ['data:2024', keys.colons],
      ['"a na', `'${keys.spaces}'`],
      ["'a na", `'${keys.spaces}'`],
      ['it', `'it''s "quoted".txt'`],
      ['cost', `'${keys.expanded}'`],
      ['übersicht', `'${keys.wide}'`],
    ] as const)
      expect((await answerPowerShell('rm', id, word)).map((one) => one.typed)).toEqual([typed])
  })

  it('is a script with matching brackets', async () => {
    const { stdout } = await deposit(['completion', 'powershell'])
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName deposit,')
    const timesOf = (sign: string): number => stdout.split(sign).length
    for (const [open = '', close = ''] of ['()', '{}', '[]'].map((pair) => pair.split('')))
      expect(timesOf(open)).toBe(timesOf(close))
  })
})

it.for([
  [String.raw`C:\data\x.csv`, String.raw`C:\data\x.csv`],
  [String.raw`C:\my data\x.csv`, String.raw`"C:\my data\x.csv"`],
  ['C:\\my data\\', String.raw`"C:\my data\\"`],
  ['a,b;c&d.csv', '"a,b;c&d.csv"'],
  ["it's.csv", `"it's.csv"`],
  ['100% of $HOME.csv', `'100% of $HOME.csv'`],
  ['it’s "$5".csv', `'it’’s "$5".csv'`],
] as const)('a hint on Windows names %s as %s', ([path, word]) => {
  expect(shellWord(path, 'win32')).toBe(word)
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

  it('refuses other shells', async () => {
    expectFailure(await deposit(['completion', 'tcsh']), 2, 'bash, zsh, fish, powershell')
    expectFailure(await deposit(['completion']), 2, "missing required argument 'shell'")
  })
})

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  daemonHome,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  newPublished,
  read,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** Checks a folder of these files without a server. */
async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  await using folder = await temporaryFolder(files)
  const environment = { DEPOSIT_URL: 'http://127.0.0.1:1', DEPOSIT_HOME: join(folder.path, 'home') }
  return await runCli(['check', ...args], { folder: folder.path, environment })
}

describe('deposit check FILE', () => {
  it('shows each fault with file, line, column and pointer, for YAML', async () => {
    const yaml = 'title: [1]\ncreators:\n  - name: Ada\n    orcid: 0000-0000-0000-0000\n'

    const { status, stdout, stderr } = await check({ 'm.yaml': yaml }, 'm.yaml')

    expect(status).toBe(1)
    expect(stdout).toMatch(/^m\.yaml:1:8: \/title: Title must be text\.$/m)
    expect(stdout).toMatch(/^m\.yaml:4:12: \/creators\/0\/orcid: That is not a valid ORCID iD/m)
    expect(stderr).toContain('2 things to correct')
  })

  it('shows them for JSON, with a missing field at its parent', async () => {
    const json = '{\n  "title": "x",\n  "creators": [\n    {}\n  ]\n}\n'

    const { status, stdout } = await check({ 'm.json': json }, 'm.json')

    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: 'm.json:4:5: /creators/0/name: Name is missing. Write: "name": "Carberry, Josiah"\n',
    })
  })

  it('warns of names that Windows cannot store, or that differ only in case', async () => {
    const files = { 'd/metadata.yaml': 'title: x\n', 'd/aux.csv': '', 'd/B': '1', 'd/b': '2' }

    const { status, stderr } = await check(files, 'd')

    expect(status).toBe(0)
    expect(stderr).toContain('warning: d: "aux.csv" cannot be stored by Windows\n')
    expect(stderr).toContain('differ only in case\n')
  })

  it('uses the schema named in the document', async () => {
    const yaml = '$schema: https://example.org/schemas/deposits/dataset-v1.0.0.json\ntitle: x\n'

    const { status, stdout } = await check({ 'm.yaml': yaml }, 'm.yaml')

    expect(status).toBe(1)
    expect(stdout).toContain('/creators: Creators is missing.\n')
  })

  it('reports that it is ready to publish, and which recommended fields are missing', async () => {
    const { status, stdout, stderr } = await check({ 'm.yaml': 'title: x\n' }, 'm.yaml')

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toContain('warning: A record should have these fields: creators, ')
    expect(stderr).toMatch(/Ready to publish: m\.yaml\n$/)
  })

  it('exits with 2, line and column for invalid YAML', async () => {
    const outcome = await check({ 'm.yaml': 'title: "x\n' }, 'm.yaml')

    expect(outcome).toMatchObject({ status: 2, stdout: '' })
    expect(outcome.stderr).toMatch(/at line \d+, column \d+/)
  })
})

describe('a value in another form', () => {
  const place = '@'
  it.each([
    ['creators: Ada Lovelace', place],
    ['creators: {name: Ada}', place],
    ['creators:\n  - Ada Lovelace', `creators:\n  - ${place}`],
    ['creators:\n  - given_name: Ada', `creators:\n  - given_name: Ada\n    ${place}`],
    ['creators:\n  - name: Ada\n    affiliation: MIT', `creators:\n  - name: Ada\n    ${place}`],
    ['contributors: Ada Lovelace', place],
    ['license: [CC-BY-4.0]', place],
    ['license: {id: cc-by-4.0}', place],
    ['resource_type: {id: dataset}', place],
    ['publication_date: [2026]', place],
    ['language: [en]', place],
    ['keywords: tide, sea', place],
    ['subjects: Oceanography', place],
    ['dates: 2026-03-01', place],
    ['dates:\n  - 2026-03-01', `dates:\n  - ${place}`],
    ['dates:\n  - type: collected', `dates:\n  - type: collected\n    ${place}`],
    ['related_identifiers: 10.1234/x', place],
    ['related_identifiers:\n  - 10.1234/x', `related_identifiers:\n  - ${place}`],
    [
      'related_identifiers:\n  - identifier: 10.1234/x',
      `related_identifiers:\n  - identifier: 10.1234/x\n    ${place}`,
    ],
    ['references: Pugh 1987', place],
    ['alternate_identifiers: HO-17', place],
    ['funding: DFG', place],
  ])('is refused with a line that is valid in its place: %j', async (wrong, mended) => {
    const { status, stdout } = await check({ 'm.yaml': `title: x\n${wrong}\n` }, 'm.yaml')
    expect(status).toBe(1)
    const [, line = ''] = / Write: (.+)$/m.exec(stdout) ?? []
    expect(line).not.toBe('')

    const right = `title: x\n${mended.replace(place, line)}\n`
    expect(await check({ 'm.yaml': right }, 'm.yaml')).toMatchObject({ status: 0, stdout: '' })
    if (mended !== place) return
    const json = `{"title": "x", ${line}}`
    expect(await check({ 'm.json': json }, 'm.json')).toMatchObject({ status: 0, stdout: '' })
  })

  it.each([
    ['title: x\nauthor: Ada', 'creators'],
    ['title: x\nauthors: [Ada]', 'creators'],
    ['creators: [{name: Ada}]\nname: x', 'title'],
  ])('is refused under the name of others: %j', async (yaml, name) => {
    const { status, stdout } = await check({ 'm.yaml': `${yaml}\n` }, 'm.yaml')
    expect(status).toBe(1)
    expect(stdout).toContain(`and "${name}" is missing; did you mean "${name}"?`)
  })

  it.each([
    ['rights: CC-BY-4.0', 'license'],
    ['date: 2026-03-01', 'publication_date'],
  ])('%s is told the name of our field', async (line, name) => {
    const { stderr } = await check({ 'm.yaml': `title: x\n${line}\n` }, 'm.yaml')
    expect(stderr).toContain(`is not a field of the schema; did you mean "${name}"?`)
  })
})

describe('deposit check DIR', () => {
  it('shows faults of the metadata and names that collide', async () => {
    const files = { 'd/metadata.yaml': 'keywords: tide\n', 'd/a\\b.txt': '1', 'd/a/b.txt': '2' }

    const { status, stdout } = await check(files, 'd')

    // The same status as for publishing, which checks the names first.
    expect(status).toBe(2)
    expect(stdout).toContain('d/metadata.yaml:1:11: /keywords: Keywords must be a list.')
    expect(stdout).toContain('would both be "a/b.txt"')
  })

  it('prints the findings as JSON', async () => {
    const files = { 'd/metadata.json': '{"title": 1}' }

    const { stdout } = await check(files, 'd', '--json', 'publishable,errors')

    expect(JSON.parse(stdout)).toEqual({
      publishable: false,
      errors: [
        {
          field: '/title',
          message: 'Title must be text.',
          file: 'd/metadata.json',
          line: 1,
          column: 11,
        },
      ],
    })
  })
})

describe('deposit check ID', () => {
  it('rehearses publishing, and changes nothing', async () => {
    const id = await newDraft('--title', 'x')

    const { status, stderr } = await deposit(['check', id.slice(0, 8)])

    expect(status).toBe(0)
    expect(stderr).toContain('Ready to publish')
    const { stdout } = await deposit(['show', id, '--json', 'revision'])
    expect(JSON.parse(stdout)).toEqual({ revision: 0 })
  })

  it('shows the faults found by the server', async () => {
    const { status, stdout } = await deposit(['check', await newPublished()])

    expect(status).toBe(5)
    expect(stdout).not.toBe('')
  })

  it('exits with 3 if there is neither a file nor a deposit', async () => {
    expectFailure(await deposit(['check', 'nothing']), 3, 'There is no deposit with this id.')
  })

  it('checks the current folder without a name', async () => {
    const { status, stderr } = await deposit(['check'], { folder: join(workFolder(), 'data') })
    expect(status).toBe(0)
    expect(stderr).toContain('Ready to publish: the current folder\n')
  })
})

describe('a fault in foreign metadata', () => {
  it.for([
    ['CITATION.cff', 'title: T\ndate-released: 12.3.2024\n', 'CITATION.cff:2:16'],
    ['.zenodo.json', '{\n "publication_date": "12.3.2024"}', '.zenodo.json:2:22'],
  ] as const)('in %s has its file and line', async ([name, text, place]) => {
    await using folder = await temporaryFolder({ [name]: text, 'a.csv': '1' })

    const { status, stdout } = await deposit(['check', '.'], { folder: folder.path })

    expect(status).toBe(1)
    expect(stdout).toContain(`${place}: /publication_date: Publication date must be a date`)
  })
})

describe('a data set with restricted access', () => {
  const embargoed = { title: 'Not yet', access_right: 'embargoed', embargo_date: '2999-01-01' }
  const files = {
    '.zenodo.json': JSON.stringify({ ...embargoed, communities: [{ identifier: 'sea' }] }),
    'CITATION.cff': 'title: Not this\n',
    'a.csv': '1',
    'rows.csv': 'folder,title\n.,Row\n',
  }

  it('is ready, and check says when its files open', async () => {
    const { status, stderr } = await check(files, '.')

    expect(status).toBe(0)
    expect(stderr).toContain('Left out, because there is no field for it: communities\n')
  })

  it.each([[['create', '.', '--publish']], [['batch', 'rows.csv', '--publish']]])(
    'is published by deposit %j with closed files',
    async (args) => {
      await using folder = await temporaryFolder(files)
      const { status, stderr } = await deposit(args, { folder: folder.path })

      expect(status).toBe(0)
      const [id = ''] = (await deposit(['list', '--quiet'])).stdout.split('\n')
      const shown = await deposit(['show', id])
      expect(shown.stdout).toContain('Access: Files open on 1 January 2999 (00:00 UTC)')
      if (args[0] === 'create') expect(stderr).toContain('Files open on 1 January 2999 (00:00 UTC)')
    },
  )

  it('is refused where its words contradict each other, with what to write', async () => {
    const metadata =
      'title: x\naccess: {files: restricted, until: 2998-01-01}\nembargo_date: 2999-01-01\n'
    const { status, stdout } = await check({ 'metadata.yaml': metadata }, '.')

    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^metadata\.yaml:3:15: \/embargo_date: .* but access opens the files on 2998-01-01\. Write until: 2999-01-01 in access, or remove the field$/m,
    )
  })

  it.each([
    ['{until: 2999-01-01}', 'write access: {files: restricted, until: 2999-01-01}'],
    ['{restricted_until: 2999-01-01}', 'access: {files: restricted, until: 2999-01-01}'],
    [
      '{files: restricted, restricted_until: 2999-01-01}',
      'access: {files: restricted, until: 2999-01-01}',
    ],
    ['{files: embargoed}', 'write access: {files: restricted}'],
    ['{files: restricted, until: soon}', 'write the first day'],
    ['{files: public, until: 2999-01-01}', 'write files: restricted, or remove until'],
  ])('is refused where access is malformed, with what to write: %s', async (access, words) => {
    const { status, stdout } = await check(
      { 'metadata.yaml': `title: x\naccess: ${access}\n` },
      '.',
    )

    expect(status).toBe(1)
    expect(stdout).toContain(words)
  })
})

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

describe('--strict', () => {
  /** With a warning about a field that is not there. */
  const files = { 'data/metadata.yaml': 'title: Tides\n', 'data/a.csv': '1' }
  const warning = 'A record should have these fields: creators, '

  it.for([[[]], [['--dry-run']]] as const)(
    'refuses a command that would warn, and lists the warnings: %j',
    async ([more]) => {
      await using folder = await temporaryFolder({ ...files, 'rows.csv': 'title\nTides\n' })
      const id = await newDraft('data')
      const before = await total()
      for (const args of [
        ['create', 'data', '--publish'],
        ['batch', 'rows.csv', '--publish'],
        ['publish', id],
      ]) {
        const options = { environment: { DEPOSIT_HOME: daemonHome() }, folder: folder.path }
        const outcome = await runCli([...args, '--strict', ...more], options)
        expectFailure(outcome, 1, 'next: correct that, or leave out --strict')
        expect(outcome.stderr).toContain(warning)
      }
      expect(await total()).toBe(before)
      expect(await read(id)).toMatchObject({ metadata: { _deposit: { status: 'draft' } } })
    },
  )

  it('refuses names that would be warned of, and fields of a draft', async () => {
    await using folder = await temporaryFolder({ 'd/metadata.yaml': 'titel: x\n', 'd/aux.csv': '' })
    const id = await newDraft()
    const options = { environment: { DEPOSIT_HOME: daemonHome() }, folder: folder.path }
    for (const args of [
      ['create', 'd'],
      ['sync', 'd', id],
    ]) {
      const outcome = await runCli([...args, '--strict'], options)
      expectFailure(outcome, 1, '"aux.csv" cannot be stored by Windows')
      expect(outcome.stderr).toContain('did you mean "title"?')
    }
    const update = await runCli(['update', id, '--set', 'titel=x', '--strict'], options)
    expectFailure(update, 1, 'did you mean "title"?')
    expect(await namesOf(id)).toEqual([])
  })

  it('turns the warnings of check into errors', async () => {
    await using folder = await temporaryFolder({ ...files, 'm.yaml': 'titel: x\n' })
    const options = { environment: { DEPOSIT_HOME: daemonHome() }, folder: folder.path }
    const { status, stdout } = await runCli(['check', 'data', '--strict'], options)
    expect(status).toBe(1)
    expect(stdout).toContain(warning)
    const checked = await runCli(['check', 'data', '--strict', '--json'], options)
    expect(JSON.parse(checked.stdout)).toMatchObject({ publishable: false, warnings: [] })
    expect((await runCli(['create', 'data', '--strict'], options)).status).toBe(0)
  })
})

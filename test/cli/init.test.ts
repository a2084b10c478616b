import { execFileSync } from 'node:child_process'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { deposit, expectFailure, newDraft, useDaemon } from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** Runs `deposit init` without a daemon. */
function init(folder: TemporaryFolder, ...args: readonly string[]): Promise<Outcome> {
  const environment = { DEPOSIT_HOME: join(folder.path, '.home') }
  return runCli(['init', ...args], { folder: folder.path, environment })
}

/** Runs `deposit init` and types these lines as answers. */
function answer(folder: TemporaryFolder, ...lines: readonly string[]): Promise<Outcome> {
  const stdin = lines.map((line) => `${line}\n`).join('')
  const typed = { folder: folder.path, stdin, isTyped: true, terminal: 100 } as const
  return runCli(['init'], { ...typed, environment: { DEPOSIT_HOME: join(folder.path, '.home') } })
}

async function written({ path }: TemporaryFolder): Promise<unknown> {
  return parse(await readFile(join(path, 'metadata.yaml'), 'utf8'))
}

const today = new Date().toISOString().slice(0, 10)

describe('deposit init --yes', () => {
  it('writes every field of the schema, names the empty ones, and check finds them', async () => {
    await using folder = await temporaryFolder({ 'data/a.csv': '1' })

    const { status, stdout, stderr } = await init(folder, 'data', '--yes')

    expect({ status, stdout }).toEqual({ status: 0, stdout: 'data/metadata.yaml\n' })
    const text = await readFile(join(folder.path, 'data/metadata.yaml'), 'utf8')
    for (const name of Object.keys(fields.properties))
      expect(text).toMatch(RegExp(`^#?${name}:`, 'm'))
    const lineOf = (line: string): number => text.split('\n').indexOf(line) + 1
    expect(stderr).toBe(
      'Wrote data/metadata.yaml\n' +
        `Still empty: title (line ${lineOf('title: ""')}), creators (line ${lineOf('  - name: ""')}), ` +
        `description (line ${lineOf('description: ""')}), license (line ${lineOf('license: ""')})\n` +
        'next: fill in the empty fields with an editor, and run `deposit check data`\n',
    )
    const { stdout: faults } = await runCli(['check', 'data'], { folder: folder.path })
    for (const field of ['title', 'creators/0/name', 'license'])
      expect(faults).toContain(`: /${field}: `)
  })

  it('passes deposit check once the empty fields are filled in', async () => {
    await using folder = await temporaryFolder()
    await init(folder, '--yes')
    const path = join(folder.path, 'metadata.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('license: ""', 'license: MIT').replaceAll('""', 'Tides'))

    const { status, stdout, stderr } = await runCli(['check'], { folder: folder.path })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(/Ready to publish: the current folder\n$/)
  })

  it('has comments that are fields once their # is removed', async () => {
    await using folder = await temporaryFolder()
    await init(folder, '--yes')
    const path = join(folder.path, 'metadata.yaml')
    const text = await readFile(path, 'utf8')
    const whole = text
      .replace('license: ""', 'license: MIT')
      .replace('description: ""', `description: ${'Water levels. '.repeat(4)}`)
      .replaceAll('""', 'Tides')
    await writeFile(path, whole.replaceAll(/^#(?! [^ ])/gm, ''))

    expect(await runCli(['check', '.'], { folder: folder.path })).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'Ready to publish: the current folder\n',
    })
    expect(Object.keys((await written(folder)) as object)).toEqual(Object.keys(fields.properties))
  })

  it('copies the fields of another metadata file, and names those left out', async () => {
    const cff =
      'cff-version: 1.2.0\ntitle: Tide tables\nauthors: [{family-names: Lovelace, given-names: Ada}]\n' +
      'license: MIT\nabstract: Of the north pier.\ncommit: abc\n'
    await using folder = await temporaryFolder({ 'CITATION.cff': cff })

    const { status, stderr } = await init(folder, '--yes')

    expect(status).toBe(0)
    expect(stderr).toContain('Took the metadata from CITATION.cff\n')
    expect(stderr).toContain('no field for it: commit')
    expect(stderr).toContain('next: run `deposit create .` to make a draft of the folder\n')
    expect(await written(folder)).toEqual({
      title: 'Tide tables',
      creators: [{ name: 'Lovelace, Ada', given_name: 'Ada', family_name: 'Lovelace' }],
      description: 'Of the north pier.',
      publication_date: today,
      resource_type: 'software',
      license: 'MIT',
    })
  })

  it('keeps a limit of access that another metadata file states', async () => {
    const json = '{"title":"x","access_right":"embargoed","embargo_date":"2999-01-01"}'
    await using folder = await temporaryFolder({ '.zenodo.json': json })

    await init(folder, '--yes')

    expect(await written(folder)).toMatchObject({
      access: { files: 'restricted', until: '2999-01-01' },
    })
  })

  it('takes the creator from git', async () => {
    await using folder = await temporaryFolder()
    const git = (...args: readonly string[]): unknown =>
      execFileSync('git', ['-C', folder.path, ...args], { stdio: 'ignore' })
    git('init')
    git('config', 'user.name', 'Ada Lovelace')

    await init(folder, '--yes')

    expect(await written(folder)).toMatchObject({ creators: [{ name: 'Lovelace, Ada' }] })
  })

  it.for(['metadata.yaml', 'metadata.yml', 'metadata.json'])('never changes %s', async (name) => {
    await using folder = await temporaryFolder({ [name]: '{"title":"mine"}' })

    expectFailure(await init(folder, '--yes'), 2, `the folder has ${name} already`)
    expect(await readFile(join(folder.path, name), 'utf8')).toBe('{"title":"mine"}')
    expect(await readdir(folder.path)).toEqual([name])
  })

  it('needs an existing folder', async () => {
    await using folder = await temporaryFolder({ 'a.csv': '1' })

    expectFailure(await init(folder, 'none', '--yes'), 2, 'there is no such folder')
    expectFailure(await init(folder, 'a.csv', '--yes'), 2, 'a.csv is a file, not a folder')
  })

  it('prints the file and writes nothing with --dry-run', async () => {
    await using folder = await temporaryFolder()

    const { stdout, stderr } = await init(folder, '--yes', '--dry-run')

    expect(stderr).toBe('Would write metadata.yaml\n')
    expect(parse(stdout)).toMatchObject({ title: '', resource_type: 'dataset' })
    expect(await readdir(folder.path)).toEqual([])
  })
})

describe('deposit init', () => {
  it('asks for the fields that a record needs most', async () => {
    await using folder = await temporaryFolder()

    const { status, stdout, stderr } = await answer(
      folder,
      'Water levels: 2026',
      'Lovelace, Ada',
      '0000-0002-1825-0097',
      'Harbour Observatory',
      '-',
      'Annie Jump Cannon',
      'Jump',
      'Jump Cannon',
      '',
      'University of the Sea',
      '',
      'Of the north pier.',
      'tide gauge; sea level,',
      'image',
      'CC0-1.0',
    )

    expect({ status, stdout }).toEqual({ status: 0, stdout: 'metadata.yaml\n' })
    expect(stderr).toContain('next: run `deposit create .` to make a draft of the folder\n')
    expect(stderr).toContain('Jump is not at the end or the beginning of Annie Jump Cannon\n')
    expect(await written(folder)).toEqual({
      title: 'Water levels: 2026',
      creators: [
        { name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' },
        { name: 'Harbour Observatory' },
        { name: 'Jump Cannon, Annie' },
        { name: 'University of the Sea' },
      ],
      description: 'Of the north pier.',
      keywords: ['tide gauge', 'sea level'],
      publication_date: today,
      resource_type: 'image',
      license: 'CC0-1.0',
    })
  })

  it('uses the answer in brackets for Enter, and asks again after an invalid one', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'Tides of 2026'))
    const inner = { ...folder, path: join(folder.path, 'Tides of 2026') } as TemporaryFolder

    const { status, stderr } = await answer(
      inner,
      '',
      'Lovelace, Ada',
      '0000-0002-1825-0098',
      '',
      '',
      '',
      '',
      'Dataset',
      '',
      'CC BY 4.0',
      '',
    )

    expect(status).toBe(0)
    expect(stderr).toContain('not a valid ORCID iD; check the last digit')
    expect(stderr).toContain('did you mean "CC-BY-4.0"?')
    expect(stderr).toContain('Still empty: description (line ')
    expect(await written(inner)).toMatchObject({
      title: 'Tides of 2026',
      creators: [{ name: 'Lovelace, Ada' }],
      resource_type: 'dataset',
      license: 'CC-BY-4.0',
    })
  })

  it('offers the creator of the last deposit of the user', async () => {
    await using folder = await temporaryFolder()
    const person = { name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' }
    await writeFile(join(folder.path, 'm.json'), JSON.stringify({ creators: [person] }))
    await newDraft('--metadata', join(folder.path, 'm.json'))

    const typed = { stdin: '\n'.repeat(7), isTyped: true, terminal: 100 } as const
    const { status } = await deposit(['init', folder.path], typed)

    expect(status).toBe(0)
    expect(await written(folder)).toMatchObject({ creators: [person] })
  })

  it('writes nothing if the questions are not all answered', async () => {
    await using folder = await temporaryFolder()

    const { status, stderr } = await answer(folder, 'Tides')

    expect(status).toBe(130)
    expect(stderr).toContain('interrupted; nothing was written\n')
    expect(await readdir(folder.path)).toEqual([])
  })

  it('needs a terminal, or --yes', async () => {
    await using folder = await temporaryFolder()

    expectFailure(await init(folder), 2, 'questions need a terminal')
  })
})

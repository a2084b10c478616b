import { execFileSync } from 'node:child_process'
import { realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { UsageFailure } from '../../cli/failure.ts'
import { findSources } from '../../cli/transfer/find-sources.ts'
import { planUpload } from '../../cli/transfer/plan-upload.ts'
import { toLocalNames } from '../../cli/transfer/local-names.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const found = (...names: readonly string[]) =>
  names.map((name) => ({ path: `/x/${name}`, name, size: 1 }))

describe('the files of a folder', () => {
  it('are named relative to it, in path order, on every machine', async () => {
    await using folder = await temporaryFolder({ 'b/z.csv': '', 'B.txt': '', 'a.txt': '' })

    const { files } = await findSources(['.'], { folder: folder.path, exclude: [] })

    expect(files.map(({ name }) => name)).toEqual(['B.txt', 'a.txt', 'b/z.csv'])
  })

  it('do not include hidden, ignored (.depositignore) and excluded ones', async () => {
    await using folder = await temporaryFolder({
      '.git/config': '',
      '.depositignore': 'build/\n*.tmp\n!.zenodo.json\n',
      '.zenodo.json': '{}',
      'a.tmp': '',
      'build/x': '',
      'Thumbs.db': '',
      'd/~$report.docx': '',
      'keep.csv': '',
      'drop.csv': '',
    })

    const sources = await findSources(['.'], { folder: folder.path, exclude: ['drop.csv'] })

    expect(sources.files.map(({ name }) => name)).toEqual(['.zenodo.json', 'keep.csv'])
    expect(sources.leftOut.ignored).toContain('.git/')
    expect(sources.leftOut.excluded).toEqual(['drop.csv'])
  })

  it('are all refused if one is a link', async () => {
    await using folder = await temporaryFolder({ 'a.csv': '1' })
    await symlink('/etc/passwd', join(folder.path, 'b.csv'))

    const search = findSources(['.'], { folder: folder.path, exclude: [] })

    await expect(search).rejects.toThrow('b.csv')
  })
})

describe('links', () => {
  const annexed = '.git/annex/objects/aa/bb/KEY/KEY'
  const files = {
    [`set/${annexed}`]: 'large',
    'set/.git/config': 'token',
    'set/data/a.csv': '1',
    'outside/secret': 'x',
  }
  const find = (folder: string, path: string, followLinks: boolean) =>
    findSources([path], { folder, exclude: [], followLinks })

  it('are followed with --follow-links, to git-annex files and to folders, under their own names', async () => {
    await using folder = await temporaryFolder(files)
    const set = join(folder.path, 'set')
    await symlink(`../${annexed}`, join(set, 'data/large.bin'))
    await symlink('data', join(set, 'again'))

    const { files: found } = await find(folder.path, 'set', true)
    const names = found.map(({ name, size }) => [name, size])
    const part = await find(folder.path, 'set/data', true)

    expect(names).toEqual([
      ['again/a.csv', 1],
      ['again/large.bin', 5],
      ['data/a.csv', 1],
      ['data/large.bin', 5],
    ])
    expect(part.files.map(({ name }) => name)).toEqual(['a.csv', 'large.bin'])
    await expect(find(folder.path, 'set', false)).rejects.toThrow('links are not followed: again')
  })

  it.for([
    ['../outside/secret', 'hidden files or files that its repository does not track: link'],
    ['.git/config', 'hidden files or files that its repository does not track: link'],
    ['.git/annex/objects/none', 'links lead to nothing: link'],
    ['link', 'links lead to nothing: link'],
    ['.', 'links lead back to a folder around them: link'],
    ['/dev/null', 'lead out of the folder'],
  ] as const)('to %s are refused', async ([target, words]) => {
    await using folder = await temporaryFolder(files)
    await symlink(target, join(folder.path, 'set/link'))

    await expect(find(folder.path, 'set', true)).rejects.toThrow(words)
  })

  it('may lead out of the folder only to files that git tracks, never to the rest of a home', async () => {
    await using folder = await temporaryFolder({
      'docs/tax.txt': 'x',
      'docs/shared.csv': '1',
      'in/set/a.csv': '1',
      [annexed]: 'large',
    })
    const set = join(folder.path, 'in/set')
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', folder.path, ...args], { stdio: 'ignore' })
    git('init')
    git('add', 'docs/shared.csv')
    await symlink('../../docs/shared.csv', join(set, 'shared.csv'))
    await symlink(`../../${annexed}`, join(set, 'large.bin'))

    const { files: taken } = await find(folder.path, 'in/set', true)

    expect(taken.map(({ name }) => name)).toEqual(['a.csv', 'large.bin', 'shared.csv'])
    expect(planUpload(taken).warnings).toEqual([
      '1 file taken from git-annex or DVC, outside the folder: "large.bin"',
      `"shared.csv" is taken from outside the folder: "${await realpath(join(folder.path, 'docs/shared.csv'))}"`,
    ])
    vi.stubEnv('HOME', folder.path)
    await expect(find(folder.path, 'in/set', true)).rejects.toThrow('large.bin, shared.csv')
    vi.unstubAllEnvs()
    for (const target of ['../../docs/tax.txt', '../../docs']) {
      await symlink(target, join(set, 'data.txt'))
      await expect(find(folder.path, 'in/set', true)).rejects.toThrow('does not track: data.txt')
      await rm(join(set, 'data.txt'))
    }
  })

  it('are listed up to ten', async () => {
    await using folder = await temporaryFolder()
    for (let at = 10; at < 50; at++) await symlink('x', join(folder.path, `l${at}`))

    await expect(find(folder.path, '.', false)).rejects.toThrow(/: l10, .*l19, and 30 more$/)
  })
})

it('are refused with a name that is not UTF-8, showing its bytes', async () => {
  await using folder = await temporaryFolder({ 'd/good.txt': '' })
  const name = Buffer.concat([Buffer.from(join(folder.path, 'd/x')), Buffer.of(0xff, 0xfe)])
  await writeFile(name, 'x')
  const find = (exclude: readonly string[]) => findSources(['.'], { folder: folder.path, exclude })

  await expect(find([])).rejects.toThrow(String.raw`names are not UTF-8: "d/x\xff\xfe"`)
  expect((await find(['d/x*'])).files.map((file) => file.name)).toEqual(['d/good.txt'])
})

describe('a file on the command line', () => {
  it('keeps its path as written, or its last part outside the folder', async () => {
    await using folder = await temporaryFolder({ 'd/a.csv': '', 'e.csv': '' })
    const options = { folder: join(folder.path, 'd'), exclude: [] }

    const paths = ['./a.csv', '../e.csv', join(folder.path, 'd/a.csv')]
    const { files } = await findSources(paths, options)

    expect(files.map(({ name }) => name)).toEqual(['a.csv', 'e.csv', 'a.csv'])
  })

  it('is a usage error if missing', async () => {
    await expect(findSources(['none'], { folder: '/', exclude: [] })).rejects.toThrow(UsageFailure)
  })
})

describe('the names of an upload', () => {
  it('become keys in NFC', () => {
    expect(planUpload(found('Pegelstände.csv'.normalize('NFD'))).files[0]?.key).toBe(
      'Pegelstände.csv'.normalize('NFC'),
    )
  })

  it('are refused, all at once, if invalid or equal', () => {
    const names = found('a.', 'a', 'x'.repeat(256), 'é'.normalize('NFC'), 'é'.normalize('NFD'))

    expect(() => planUpload(names)).toThrow(/"x+".*"\/x\/a\." and "\/x\/a" would both be "a".*é/)
  })

  it('are kept, with a warning, if Windows cannot store them', () => {
    const { files, warnings } = planUpload(found('aux.csv', 'a:b'))

    expect(files.map(({ key }) => key)).toEqual(['aux.csv', 'a:b'])
    expect(warnings).toEqual([
      '"aux.csv" cannot be stored by Windows',
      '"a:b" cannot be stored by Windows',
    ])
  })

  it('are changed by a download on Windows, without collisions', () => {
    const body = { id: '', filesize: 0, checksum: '', version_id: '', storage_class: 'S' }
    const links = { self: '', download: '' }
    const names = ['a:b.csv', 'A_b.csv', 'a?b.csv', 'c', 'D.txt', 'd.txt', 'd_2.txt']
    const files = names.map((filename) => ({
      ...body,
      links,
      filename,
    }))
    const local = toLocalNames(files, 'win32')

    expect(local.files.map(({ filename }) => filename)).toEqual([
      'a_b_2.csv',
      'A_b.csv',
      'a_b_3.csv',
      'c',
      'D.txt',
      'd_3.txt',
      'd_2.txt',
    ])
    expect(local.notes).toEqual([
      '"a:b.csv" is written as "a_b_2.csv"',
      '"a?b.csv" is written as "a_b_3.csv"',
      '"d.txt" is written as "d_3.txt"',
    ])
    expect(toLocalNames(files, 'linux')).toEqual({ files, notes: [] })
  })

  it.for(['linux', 'win32'] as const)(
    'are changed by a download on %s where programs act on them',
    (platform) => {
      const body = { id: '', filesize: 0, checksum: '', version_id: '', storage_class: 'S' }
      const links = { self: '', download: '' }
      const names = [
        '.git/config',
        'a/.GIT/hooks/x',
        '.hg/hgrc',
        'GIT~1/config',
        '.deposit.json',
        '.gitignore',
        'x.git/a',
      ]
      const files = names.map((filename) => ({ ...body, links, filename }))

      const local = toLocalNames(files, platform)
      expect(local.files.map(({ filename }) => filename)).toEqual([
        '_.git/config',
        'a/_.GIT/hooks/x',
        '_.hg/hgrc',
        '_GIT~1/config',
        '_.deposit.json',
        '.gitignore',
        'x.git/a',
      ])
      expect(local.notes[0]).toBe('".git/config" is written as "_.git/config"')
    },
  )

  it('cause a warning if they change, or differ only in case', () => {
    const { warnings } = planUpload(found('a.txt.', 'x\u202etxt', 'B', 'b'))

    expect(warnings).toEqual([
      '"a.txt." is stored as "a.txt"',
      String.raw`"x\u202etxt" is stored as "xtxt"`,
      '"/x/B" and "/x/b" differ only in case',
    ])
  })
})

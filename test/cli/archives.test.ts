import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyPackage } from '../../cli/check/verify-package.ts'
import { toPackageLine } from '../../cli/packages/contents.ts'
import { openPackage } from '../../cli/packages/open-package.ts'
import { bagOf } from '../support/bag.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { zipOf, zipOfFiles, type ZipEntry } from '../support/zip.ts'

interface Verdict {
  readonly kind: string
  readonly keys: readonly string[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

async function judge(bytes: Buffer): Promise<Verdict> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'a.zip')
  await writeFile(path, bytes)
  await using opened = await openPackage(path)
  const errors = await verifyPackage(opened, undefined)
  const keys = opened.payload.map(({ key }) => key)
  const warnings = opened.warnings.map(toPackageLine)
  return { kind: opened.kind, keys, errors: errors.map(toPackageLine), warnings }
}

describe('an archive', () => {
  it('is read with the folder that it has everything in, and without those of macOS', async () => {
    const bytes = zipOf([
      { name: 'abcde-12345/' },
      { name: 'abcde-12345/b/ø.csv', content: '1', isDeflated: true },
      { name: 'abcde-12345/a.csv', content: '2' },
      { name: '__MACOSX/._a.csv', content: '3' },
    ])

    expect(await judge(bytes)).toMatchObject({
      kind: 'zip',
      keys: ['a.csv', 'b/ø.csv'],
      errors: [],
    })
  })

  it('with names that differ only in case is taken with a warning, as a record may have them', async () => {
    const { errors, warnings } = await judge(zipOfFiles({ 'a/b.csv': '1', 'a/B.csv': '2' }))

    expect({ errors, warnings }).toEqual({
      errors: [],
      warnings: ['"B.csv" and "b.csv" differ only in case'],
    })
  })

  it('is read as Python writes it, into a file and into a pipe', async () => {
    const script = `
import io, sys, zipfile
to = sys.stdout.buffer if sys.argv[1] == 'pipe' else io.BytesIO()
with zipfile.ZipFile(to, 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('ø.txt', 'a' * 100_000)
    archive.writestr('b', '')
if sys.argv[1] != 'pipe':
    sys.stdout.buffer.write(to.getvalue())
`
    for (const to of ['pipe', 'file']) {
      const bytes = execFileSync('python3', ['-c', script, to])
      expect(await judge(bytes)).toMatchObject({ kind: 'zip', keys: ['b', 'ø.txt'], errors: [] })
    }
  })

  it('with a bag is verified by the manifests of the bag', async () => {
    const files = bagOf({ 'a.csv': '1' })
    const inFolder = (all: Readonly<Record<string, string>>) =>
      zipOfFiles(
        Object.fromEntries(Object.entries(all).map(([path, text]) => [`bag/${path}`, text])),
      )

    expect(await judge(inFolder(files))).toMatchObject({ kind: 'bag', keys: ['a.csv'], errors: [] })
    expect(await judge(inFolder({ ...files, 'data/a.csv': '2' }))).toMatchObject({
      kind: 'bag',
      keys: ['a.csv'],
      errors: ['data/a.csv: its sha256 differs from that in manifest-sha256.txt'],
    })
  })
})

describe('a hostile archive is refused, with every fault:', () => {
  const file: ZipEntry = { name: 'a', content: 'abc' }
  const link = { mode: 0o120777 }

  it.for<[what: string, entries: readonly ZipEntry[], ...said: readonly string[]]>([
    [
      'paths that lead elsewhere',
      ['../x', '/etc/x', 'C:\\x', 'b\\..\\x', '~/x', 'b/./x', 'b//x', ''].map((name) => ({ name })),
      '../x: the path leads out of the package',
      '/etc/x: the path is absolute',
      'C:\\x: the path begins with a Windows drive letter',
      'b\\..\\x: the path contains a backslash, which separates folders on Windows',
      '~/x: the path begins with ~, which is the home folder in a shell',
      'b/./x: the path has an empty or . segment',
      'b//x: the path has an empty or . segment',
      'the name is empty',
    ],
    [
      'links and devices',
      [
        { ...file, ...link },
        { name: 'null', mode: 0o020666 },
        { name: 'b/', mode: 0o100644 },
      ],
      'a: it is a link, and links are not followed',
      'null: it is a device, a pipe or a socket, or no file of its name',
      'b/: it is a device, a pipe or a socket, or no file of its name',
    ],
    [
      'names twice, and in two normalisations',
      [file, file, { name: 'ø\u0301' }, { name: '\u01ff' }, { name: 'b' }, { name: 'b/c' }],
      'a: the archive has it twice',
      'b: it is a file, and a folder of others',
      '"ø\u0301" and "\u01ff" differ only in Unicode normalisation',
    ],
    [
      'bytes of two entries',
      [file, { name: 'b', content: 'abc', at: 0 }],
      'b: its header differs from the list of the archive',
      'a: its bytes overlap those of "b"',
    ],
    [
      'a header that differs from the list',
      [{ ...file, localName: 'b' }],
      'a: its header differs from the list of the archive',
    ],
    [
      'encrypted entries and unknown methods',
      [
        { ...file, flags: 0x801 },
        { name: 'b', method: 12, content: 'abc' },
      ],
      'a: it is encrypted',
      'b: its compression method, 12, is not known',
    ],
    ['a stored file with two sizes', [{ ...file, size: 2 }], 'a: it is stored, but has two sizes'],
    [
      'a deflated file with more bytes than it says',
      [{ ...file, content: 'a'.repeat(1000), isDeflated: true, size: 900 }],
      'a: it has more bytes than the archive says',
    ],
    [
      'a deflated file with fewer bytes than it says, and no deflated one',
      [
        { ...file, isDeflated: true, size: 4 },
        { ...file, name: 'b', method: 8 },
      ],
      'a: it has fewer bytes than the archive says',
      'b: its bytes cannot be unpacked: unexpected end of file',
    ],
    [
      'a path longer than systems take',
      [{ ...file, name: `a/${'b/'.repeat(2100)}c` }],
      `a/${'b/'.repeat(2047)}: the path is longer than 4096 bytes`,
    ],
    ['another sum', [{ ...file, crc32: 1 }], 'a: its CRC-32 differs from that in the archive'],
    [
      'a name that is not UTF-8',
      [{ name: Buffer.from([0xff, 0x61]), content: '' }],
      '\ufffda: the name is not UTF-8',
    ],
    [
      'a bomb, whose bound is told',
      [
        { ...file, isDeflated: true, size: 4_000_000_000 },
        { ...file, name: 'b', isDeflated: true, size: 4_000_000_000 },
      ],
      '188 B would unpack to 8.0 GB; at most 1.0 GB, or 100 times its own size, is unpacked',
    ],
  ])('%s', async ([, entries, ...said]) => {
    expect((await judge(zipOf(entries))).errors.toSorted()).toEqual(said.toSorted())
  })

  it('one that lists more files than it counts, as programs without Zip64 write 65,536 of them', async () => {
    const [a, b] = [file, { ...file, name: 'b' }]
    expect((await judge(zipOf([a, b], { count: 1 }))).errors).toEqual([
      'it lists more files than it says it has',
      'a: behind it is a file that is not in the list of the archive',
    ])
  })

  it('one with two ends, of which programs take this or that', async () => {
    const [inner, outer] = [zipOf([]), [file]]
    expect((await judge(zipOf(outer, { comment: inner }))).errors).toEqual([
      'its end is not behind its list of files',
    ])
  })

  it('one with a file that is not in its list', async () => {
    const hidden = zipOf([file]).subarray(0, 34)
    const behind = 'behind it is a file that is not in the list of the archive'
    expect((await judge(zipOf([file], { hidden }))).errors).toEqual([`a: ${behind}`])
    expect((await judge(zipOf([], { hidden }))).errors).toEqual([
      'it begins with a file that is not in its list',
    ])
  })

  it('one whose header alone says that a file is encrypted', async () => {
    const bytes = zipOf([file])
    bytes.writeUInt16LE(0x801, 6)
    expect((await judge(bytes)).errors).toEqual([
      'a: its header differs from the list of the archive',
    ])
  })

  it('one of a million folders and more', async () => {
    const path = (index: number) => `${index}/${'b/'.repeat(100)}c`
    const entries = Array.from({ length: 10_000 }, (_, index) => ({ name: path(index) }))
    expect((await judge(zipOf(entries))).errors).toEqual(['it has 1000000 folders or more'])
  })

  it(
    'one that unpacks to more lines and values than memory holds',
    { timeout: 60_000 },
    async () => {
      const lines = { name: 'manifest-sha256.txt', content: 'x\n'.repeat(20_000_000) }
      const bag = [{ name: 'bagit.txt', content: bagOf({})['bagit.txt'] ?? '' }, lines]
      const { errors } = await judge(zipOf(bag.map((each) => ({ ...each, isDeflated: true }))))
      expect(errors.length).toBeLessThan(1100)
      expect(errors.join('\n')).toContain('line 1001: this line and those behind it are not read')

      const values = '[{},'.padEnd(60_000_000, '{},')
      const deep = '['.repeat(200_000)
      for (const [value, said] of [
        [`${values}{}]`, 'it has more than 20000000 values'],
        [`${deep}${']'.repeat(deep.length)}`, 'its values are nested more than 100 deep'],
      ] as const) {
        const crate = { name: 'ro-crate-metadata.json', content: `{"@graph":${value}}` }
        const found = await judge(zipOf([{ ...crate, isDeflated: true }]))
        expect(found.errors).toEqual([`ro-crate-metadata.json: ${said}`])
      }
    },
  )

  it('one that ends too early, at any byte', async () => {
    const whole = zipOfFiles({ 'a/b.txt': 'abc'.repeat(100), 'a/c.txt': '' })
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length)
      const said = await judge(cut).then(
        ({ errors }) => errors,
        (error: unknown) => [String(error)],
      )
      expect(said, String(length)).not.toEqual([])
    }
  })

  it('one whose list is another at any byte', async () => {
    const whole = zipOfFiles({ 'a/b.txt': 'abc'.repeat(100) }, false)
    for (let at = 0; at < whole.length; at += 3) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 0x55
      // The time, the comment and the like may change.
      await judge(bytes).catch((error: unknown) => expect(String(error)).toMatch(/^NoArchive/))
    }
  })
})

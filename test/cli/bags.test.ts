import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { toPackageLine } from '../../cli/packages/contents.ts'
import { checkDigests } from '../../cli/packages/digests.ts'
import { readFolderContents } from '../../cli/packages/folder-contents.ts'
import { readBag } from '../../cli/packages/read-bag.ts'
import { bagOf, manifestOf } from '../support/bag.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const suite = await unpackSuite()
afterAll(() => rm(suite, { recursive: true, force: true }))

/** The conformance suite of the Library of Congress. */
async function unpackSuite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deposit-bags-'))
  const archive = new URL('../standards/bagit-conformance-suite.tar.gz', import.meta.url)
  execFileSync('tar', ['-xzf', fileURLToPath(archive), '-C', folder, '--strip-components=1'])
  // The suite is published from a repository that ignores this empty file.
  await writeFile(join(folder, 'v0.97/warning/special-system-files/data/.DS_Store'), '')
  return folder
}

interface Verdict {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

async function judge(folder: string): Promise<Verdict> {
  await using contents = await readFolderContents(folder)
  const { errors, warnings, promised } = await readBag(contents)
  const digests = await checkDigests(contents, promised)
  return {
    errors: [...errors, ...digests.errors].map(toPackageLine),
    warnings: warnings.map(toPackageLine),
  }
}

const bags = readdirSync(suite, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name.startsWith('v'))
  .flatMap(({ name: version }) =>
    readdirSync(join(suite, version)).flatMap((kind) =>
      readdirSync(join(suite, version, kind), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => [`${version}/${kind}/${name}`, kind] as const),
    ),
  )

describe('the conformance suite of the Library of Congress', () => {
  it('is there whole', () => {
    const kinds = Map.groupBy(bags, ([, kind]) => kind)
    expect(Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]))).toEqual({
      valid: 27,
      invalid: 15,
      warning: 6,
      'linux-only': 6,
      'windows-only': 6,
    })
  })

  it.for(bags)('%s is judged as %s', async ([path, kind]) => {
    const { errors, warnings } = await judge(join(suite, path))
    if (kind === 'valid' || kind === 'warning') expect(errors).toEqual([])
    else expect(errors).not.toEqual([])
    if (kind === 'warning') expect(warnings).not.toEqual([])
  })
})

const payload = { 'a.csv': '1,2\n', 'b/c.txt': 'tide' }
const [first = '', second = ''] = manifestOf(
  'sha256',
  Object.entries(payload).map(([key, text]) => [`data/${key}`, text] as const),
).split(/(?<=\n)/)

/** Files in place of those of a bag; undefined leaves one out. */
type Changes = Readonly<Record<string, string | undefined>>

async function judgeBag(changes: Changes, declaration?: string): Promise<Verdict> {
  const files = bagOf(payload, { files: changes, ...(declaration && { declaration }) })
  const kept = Object.entries(files).filter(([path]) => !hasGone(changes, path))
  await using folder = await temporaryFolder(Object.fromEntries(kept))
  return await judge(folder.path)
}

function hasGone(changes: Changes, path: string): boolean {
  return Object.hasOwn(changes, path) && changes[path] === undefined
}

describe('a bag is refused, with every fault,', () => {
  it.for<[when: string, changes: Changes, ...said: readonly string[]]>([
    [
      'if files are missing, more, and others than its manifest and Payload-Oxum say',
      { 'data/a.csv': undefined, 'data/b/c.txt': 'TIDE', 'data/new': '' },
      'data/a.csv: manifest-sha256.txt lists it, but it is missing',
      'data/new: it is in the folder of the payload, but in no manifest',
      'bag-info.txt: Payload-Oxum is 8.2, and the payload is 4.2',
      'data/b/c.txt: its sha256 differs from that in manifest-sha256.txt',
    ],
    [
      'if it leaves a file to the network: nothing is fetched',
      { 'data/a.csv': undefined, 'fetch.txt': 'http://127.0.0.1:1/a.csv 4 data/a.csv\n' },
      'data/a.csv: manifest-sha256.txt lists it, but it is missing, and its address in fetch.txt is not fetched',
      'bag-info.txt: Payload-Oxum is 8.2, and the payload is 4.1',
    ],
    [
      'if fetch.txt leads to a file of the machine, or out of the bag: nothing is read',
      {
        'data/a.csv': undefined,
        'fetch.txt': 'file:///etc/passwd 4 data/a.csv\nfile:///etc/passwd - ../x\n',
      },
      'fetch.txt: line 2 names "../x": the path leads out of the package',
      'data/a.csv: manifest-sha256.txt lists it, but it is missing, and its address in fetch.txt is not fetched',
      'bag-info.txt: Payload-Oxum is 8.2, and the payload is 4.1',
    ],
    [
      'if fetch.txt has other lines, sizes and files',
      { 'fetch.txt': 'data/a.csv\nhttp://x.org/a 5 data/a.csv\nhttp://x.org/b - data/b\n' },
      'fetch.txt: line 1: it is not an address, a length and a path',
      'data/a.csv: it has 4 bytes, and 5 in fetch.txt',
      'data/b: fetch.txt names it, but no manifest does',
    ],
    [
      'if its manifest names files elsewhere',
      {
        'manifest-sha256.txt': [
          'data/../../x',
          '/x',
          'C:/x',
          '~/x',
          String.raw`data\x`,
          'x',
          'data//x',
        ]
          .map((path) => first.replace('data/a.csv', path))
          .concat(first, second)
          .join(''),
      },
      'manifest-sha256.txt: line 1 names "data/../../x": the path leads out of the package',
      'manifest-sha256.txt: line 2 names "/x": the path is absolute',
      'manifest-sha256.txt: line 3 names "C:/x": the path begins with a Windows drive letter',
      'manifest-sha256.txt: line 4 names "~/x": the path begins with ~, which is the home folder in a shell',
      String.raw`manifest-sha256.txt: line 5 names "data\\x": the path contains a backslash, which separates folders on Windows`,
      'manifest-sha256.txt: line 6 names "x": it is not below data/',
      'manifest-sha256.txt: line 7 names "data//x": the path has an empty or . segment',
    ],
    [
      'if one of its manifests is shorter',
      { 'manifest-md5.txt': manifestOf('md5', [['data/a.csv', '1,2\n']]) },
      'data/b/c.txt: manifest-md5.txt does not list it',
    ],
    [
      'if lines are no digests, or twice there',
      { 'manifest-sha256.txt': `${first}${second}${second}abc  data/a.csv\nlorem ipsum\n` },
      'manifest-sha256.txt: line 5: its digest is not hexadecimal',
      'data/b/c.txt: manifest-sha256.txt lists it twice',
      'manifest-sha256.txt: line 4: its digest has 3 digits, and sha256 has 64',
    ],
    [
      'if no digest can be compared',
      {
        'manifest-sha256.txt': undefined,
        'manifest-crc.txt': '1234  data/a.csv\n5678  data/b/c.txt\n',
      },
      'data: no manifest has digests of a known kind',
    ],
    [
      'if its tag files are not as their manifest says',
      {
        'tagmanifest-md5.txt':
          manifestOf('md5', [
            ['bagit.txt', ''],
            ['none.txt', ''],
          ]) + first.replace(/^\w{32}/, ''),
      },
      'tagmanifest-md5.txt: line 3 names "data/a.csv": a tag manifest lists no payload',
      'none.txt: tagmanifest-md5.txt lists it, but it is missing',
      'bagit.txt: its md5 differs from that in tagmanifest-md5.txt',
    ],
    [
      'if its tag files are in another encoding, or Payload-Oxum is no such',
      {
        'bagit.txt': 'BagIt-Version: 0.97\nTag-File-Character-Encoding: KOI-9\n',
        'bag-info.txt': 'Payload-Oxum: 8\n',
      },
      'bagit.txt: the encoding KOI-9 is not known',
      'bag-info.txt: Payload-Oxum is not two numbers with a dot between: "8"',
    ],
    [
      'if it has no manifest, and is of a version to come',
      {
        'bagit.txt': 'BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n',
        'manifest-sha256.txt': undefined,
      },
      'bagit.txt: version 2.0 is none of 0.93, 0.94, 0.95, 0.96, 0.97, 1.0',
      'manifest-sha256.txt: there is no manifest of the payload',
      'data/a.csv: it is in the folder of the payload, but in no manifest',
      'data/b/c.txt: it is in the folder of the payload, but in no manifest',
    ],
  ])('%s', async ([, changes, ...said]) => {
    expect((await judgeBag(changes)).errors).toEqual(said)
  })

  it('if links are in it', async () => {
    await using folder = await temporaryFolder(bagOf(payload))
    await symlink('/etc/passwd', join(folder.path, 'data/link'))
    await symlink('/', join(folder.path, 'data/root'))

    expect((await judge(folder.path)).errors).toEqual([
      'data/link: it is a link, and links are not followed',
      'data/root: it is a link, and links are not followed',
    ])
  })
})

describe('a bag is taken', () => {
  it.for<[what: string, changes: Changes, ...warned: readonly string[]]>([
    [
      'with several manifests',
      {
        'manifest-md5.txt': manifestOf('md5', [
          ['data/a.csv', '1,2\n'],
          ['data/b/c.txt', 'tide'],
        ]),
      },
    ],
    [
      'with digests in capitals',
      { 'manifest-sha256.txt': (first + second).replaceAll(/^\w+/gm, (hex) => hex.toUpperCase()) },
    ],
    [
      'with a byte order mark in a tag file',
      { 'bag-info.txt': '\uFEFFPayload-Oxum: 8.2\n' },
      'bag-info.txt: it begins with a byte order mark',
    ],
    [
      'with further digests of an unknown kind',
      { 'manifest-crc.txt': '12  data/a.csv\n12  data/b/c.txt\n' },
      'manifest-crc.txt: digests of the kind "crc" are not known, and not compared',
    ],
    [
      'with remarks between its elements',
      { 'bag-info.txt': 'Contact: Ada\n  Lovelace\nsee there\nPayload-Oxum: 8.2' },
      'bag-info.txt: line 3: it is not a label, a colon and a value',
    ],
  ])('%s', async ([, changes, ...warned]) => {
    expect(await judgeBag(changes)).toEqual({ errors: [], warnings: warned })
  })

  it('with names of all kinds, encoded or as other programs leave them', async () => {
    const odd = {
      'a\nb': '1',
      '100%': '2',
      'a%0Ab%25': '3',
      'ø \u202e': '4',
      ' ': '5',
      'line\u2028': '6',
    }
    for (const isEncoded of [true, false]) {
      const files = bagOf(odd)
      const path = 'manifest-sha256.txt'
      const manifest = files[path] ?? ''
      const text = isEncoded ? manifest : manifest.replaceAll('data/100%25', 'data/100%')
      await using folder = await temporaryFolder({ ...files, [path]: text })
      const warned = isEncoded ? [] : [`${path}: percent signs in paths are not encoded as %25`]
      expect(await judge(folder.path)).toEqual({ errors: [], warnings: warned })
    }
  })

  it('with a warning where its version is older', async () => {
    const twice = { 'manifest-sha256.txt': first + second + second, 'manifest-md5.txt': '' }

    expect(await judgeBag(twice, '0.97')).toEqual({
      errors: [],
      warnings: ['data/b/c.txt: manifest-sha256.txt lists it twice'],
    })
  })
})

it('a value of a million folded lines is read in the time that its bytes take', async () => {
  const folded = `Payload-Oxum: 8.2\nNote: a\n${' a\n'.repeat(1_000_000)}`
  expect(await judgeBag({ 'bag-info.txt': folded })).toEqual({ errors: [], warnings: [] })
})

it('control characters of names are shown, and do not reach a terminal', async () => {
  const name = 'data/\u001b[31m\u202ered\n'
  const { errors } = await judgeBag({ [name]: '' })

  expect(errors).toContain(
    String.raw`"data/\u001b[31m\u202ered\n": it is in the folder of the payload, but in no manifest`,
  )
})

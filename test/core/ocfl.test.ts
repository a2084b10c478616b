import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkObject } from '../../core/packages/ocfl/check-object.ts'
import { checkRootFiles } from '../../core/packages/ocfl/check-root.ts'
import { readTree } from '../../core/packages/ocfl/folder-tree.ts'
import { objectPath } from '../../core/packages/ocfl/layout.ts'
import { makeStorageRoot, openStorageRoot } from '../../core/packages/ocfl/storage-root.ts'
import { addVersions, openObject, type NewFile } from '../../core/packages/ocfl/write-object.ts'
import { faultsOfRoot } from '../support/ocfl.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const id = 'https://data.example.org/records/abcde-12345'

let place: TemporaryFolder
/** An object of two versions. */
let good: string

beforeAll(async () => {
  place = await temporaryFolder()
  const path = join(place.path, 'root')
  await makeStorageRoot(path)
  await using root = await openStorageRoot(path)
  const facts = { message: 'Published', user: { name: 'Ada', address: 'mailto:ada@example.org' } }
  const versions = async function* () {
    yield { ...facts, created: '2026-01-01T00:00:00Z', files: ['a.csv', 'x/b.csv'].map(toFile) }
    yield { ...facts, created: '2026-02-01T00:00:00Z', files: ['a.csv', 'c.csv'].map(toFile) }
  }
  await addVersions(root, id, await openObject(root, id), versions())
  good = join(path, objectPath(id))
})

afterAll(() => place[Symbol.asyncDispose]())

/** A file that holds its name. */
function toFile(name: string): NewFile {
  const digest = createHash('sha256').update(name).digest('hex')
  return { path: name, digest, writeTo: (path) => writeFile(path, name) }
}

async function codesOf(folder: string): Promise<readonly string[]> {
  const { errors } = await checkObject(await readTree(folder), { reads: true })
  return [...new Set(errors.map(({ code }) => code))].toSorted()
}

type Change = (folder: string, change: typeof rewrite) => Promise<unknown>

/** Changes the text of an inventory, with its sidecar; of the object and of its head by default. */
async function rewrite(
  folder: string,
  change: (text: string) => string,
  places: readonly string[] = ['', 'v2'],
): Promise<void> {
  for (const at of places) {
    const path = join(folder, at, 'inventory.json')
    const text = change(await readFile(path, 'utf8'))
    await writeFile(path, text)
    const digest = createHash('sha256').update(text).digest('hex')
    await writeFile(`${path}.sha256`, `${digest} inventory.json\n`)
  }
}

const replaced =
  (from: string | RegExp, to: string, places?: readonly string[]): Change =>
  (folder, change) =>
    change(folder, (text) => text.replace(from, to), places)

const added =
  (path: string, text = ''): Change =>
  (folder) =>
    writeFile(join(folder, path), text)

const removed =
  (path: string): Change =>
  (folder) =>
    rm(join(folder, path), { recursive: true })

const digestOf = (name: string): string => createHash('sha256').update(name).digest('hex')

describe('an object that is changed', () => {
  it('has no fault before', async () => {
    expect(await codesOf(good)).toEqual([])
  })

  it.for<readonly [string, string, Change]>([
    ['E001', 'a file at its top', added('notes.txt')],
    ['E001', 'a folder at its top', (folder) => mkdir(join(folder, 'notes'))],
    ['E003', 'no declaration', removed('0=ocfl_object_1.1')],
    ['E003', 'two declarations', added('0=ocfl_object_1.0', 'ocfl_object_1.0\n')],
    ['E007', 'another text in its declaration', added('0=ocfl_object_1.1', 'ocfl_object_1.1')],
    ['E010', 'a missing version', removed('v1')],
    ['E015', 'a file beside the content', added('v1/notes.txt')],
    ['E017', 'a path as contentDirectory', replaced('"content"', '"a/content"')],
    ['E018', 'contentDirectory ..', replaced('"content"', '".."')],
    ['E019', 'another contentDirectory', replaced('"content"', '"stuff"', ['v1'])],
    ['E023', 'bytes that no manifest has', added('v1/content/further.csv')],
    ['E024', 'an empty folder', (folder) => mkdir(join(folder, 'v1/content/empty'))],
    ['E025', 'another digest', replaced('"sha256"', '"md5"')],
    ['E033', 'an inventory that is cut', replaced(/\}\s*$/, '')],
    ['E036', 'no head', replaced('"head": "v2",', '')],
    ['E037', 'another id in a version', replaced(id, 'urn:other', ['v1'])],
    ['E038', 'another type', replaced('1.1/spec/#inventory', '1.9/spec/#inventory')],
    ['E040', 'a head that is not there', replaced('"head": "v2"', '"head": "v3"')],
    ['E040', 'an older head', replaced('"head": "v2"', '"head": "v1"')],
    ['E041', 'no manifest', replaced('"manifest"', '"manifests"')],
    ['E046', 'a version that the inventory lacks', (folder) => mkdir(join(folder, 'v3'))],
    ['E048', 'no time', replaced('"created": "2026-02-01T00:00:00Z",', '')],
    ['E049', 'a time without zone', replaced('02-01T00:00:00Z', '02-01T00:00:00')],
    [
      'E050',
      'a digest that no file has',
      replaced(/"[\da-f]{64}": \["c\.csv"\]/, '"00": ["c.csv"]'),
    ],
    ['E052', 'a logical path that leads out', replaced('["c.csv"]', '["../c.csv"]')],
    ['E053', 'a logical path from the root', replaced('["c.csv"]', '["/c.csv"]')],
    ['E054', 'a user without a name', replaced(/"name": "Ada"/, '"nickname": "Ada"')],
    ['E058', 'no sidecar', removed('inventory.json.sha256')],
    ['E060', 'a longer inventory', (folder) => appendFile(join(folder, 'inventory.json'), '\n')],
    ['E061', 'a sidecar of another form', added('inventory.json.sha256', digestOf('x'))],
    ['E063', 'no inventory', removed('inventory.json')],
    ['E064', 'another inventory in its head', replaced('"Published"', '"Changed"', ['v2'])],
    ['E066', 'another past', replaced('["x/b.csv"]', '["x/other.csv"]', ['v1'])],
    [
      'E067',
      'a file in extensions',
      async (folder) => {
        await mkdir(join(folder, 'extensions'))
        await writeFile(join(folder, 'extensions/a'), '')
      },
    ],
    ['E090', 'a link', (folder) => symlink('a.csv', join(folder, 'v1/content/link'))],
    ['E092', 'other bytes', added('v1/content/a.csv', 'A.csv')],
    ['E092', 'a missing file', removed('v2/content/c.csv')],
    ['E095', 'a logical path twice', replaced('["c.csv"]', '["a.csv"]')],
    ['E095', 'a file that is a folder', replaced('["c.csv"]', '["a.csv/c"]')],
    [
      'E096',
      'a digest in two cases',
      replaced(
        '"manifest": {',
        `"manifest": { "${digestOf('a.csv').toUpperCase()}": ["v1/content/x"],`,
      ),
    ],
    ['E099', 'a content path that leads out', replaced('v2/content/c.csv', 'v2/content/../c.csv')],
    ['E100', 'a content path from the root', replaced('v2/content/c.csv', '/v2/content/c.csv')],
    [
      'E101',
      'a content path twice',
      replaced('"v2/content/c.csv"', '"v2/content/c.csv", "v2/content/c.csv"'),
    ],
    ['E102', 'a key of its own', replaced('"head"', '"heads": 1, "head"')],
    [
      'E107',
      'bytes of no version',
      replaced('"manifest": {', `"manifest": { "${digestOf('x')}": ["v1/content/x"],`),
    ],
    ['E111', 'fixity that is a list', replaced('"head"', '"fixity": [], "head"')],
  ])('is refused with %s for %s', async ([code, , change]) => {
    await using copy = await temporaryFolder()
    const folder = join(copy.path, 'object')
    await cp(good, folder, { recursive: true })

    await change(folder, rewrite)

    expect(await codesOf(folder)).toContain(code)
  })
})

describe('a storage root', () => {
  it.for([
    ['object-01', '3c0/ff4/240/object-01'],
    ['..hor/rib:le-$id', '487/326/d8c/%2e%2ehor%2frib%3ale-%24id'],
    ['..Hor/rib:lè-$id', /\/%2e%2eHor%2frib%3al%c3%a8-%24id$/],
    [
      'abcdefghij'.repeat(10) + 'a',
      /\/(?:abcdefghij){10}-5cc73e648fbcff136510e330871180922ddacf193b68fdeff855683a01464220$/,
    ],
  ] as const)('has the place for "%s" that the extension gives', ([name, path]) => {
    if (typeof path === 'string') expect(objectPath(name)).toBe(path)
    else expect(objectPath(name)).toMatch(path)
  })

  it.for<readonly [string, string, (root: string) => Promise<unknown>]>([
    ['E069', 'no declaration', (root) => rm(join(root, '0=ocfl_1.1'))],
    ['E072', 'a file between objects', (root) => writeFile(join(root, objectPath(id), '../a'), '')],
    ['E073', 'an empty folder', (root) => mkdir(join(root, 'abc'))],
    ['E076', 'two declarations', (root) => writeFile(join(root, '0=ocfl_1.0'), 'ocfl_1.0\n')],
    ['E080', 'another declaration', (root) => writeFile(join(root, '0=ocfl_1.1'), 'ocfl\n')],
    ['E070', 'a layout without a name', (root) => writeFile(join(root, 'ocfl_layout.json'), '{}')],
    ['E112', 'a file in extensions', (root) => writeFile(join(root, 'extensions/a'), '')],
    [
      'E083',
      'an object in another place',
      (root) => cp(join(root, objectPath(id)), join(root, 'abc'), { recursive: true }),
    ],
  ])('has the fault %s for %s', async ([code, , change]) => {
    await using copy = await temporaryFolder()
    const root = join(copy.path, 'root')
    await cp(join(place.path, 'root'), root, { recursive: true })
    expect(await faultsOfRoot(root)).toEqual([])

    await change(root)

    const found = (await faultsOfRoot(root)).map((fault) => fault.split(' ')[0])
    expect(found).toContain(code)
    expect((await checkRootFiles(root)).hasOurLayout).toBe(code !== 'E070')
  })
})

/** The fixtures of OCFL, if they lie beside the project. */
const fixtures = fileURLToPath(
  new URL('../../../shared/data/standards/ocfl-fixtures/1.1', import.meta.url),
)
const hasFixtures = existsSync(fixtures)
if (!hasFixtures) process.stderr.write(`SKIPPED: there is no ${fixtures} to judge.\n`)
const namesOf = (kind: string): readonly string[] =>
  hasFixtures ? readdirSync(join(fixtures, kind)) : []

describe.skipIf(!hasFixtures)('the fixtures of OCFL', () => {
  it.for(namesOf('good-objects'))('%s is good', async (name) => {
    expect(await codesOf(join(fixtures, 'good-objects', name))).toEqual([])
  })

  it.for(namesOf('warn-objects'))('%s has these warnings', async (name) => {
    const tree = await readTree(join(fixtures, 'warn-objects', name))
    const { errors, warnings } = await checkObject(tree, { reads: true })
    expect(errors).toEqual([])
    const codes = warnings.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(name.match(/W\d{3}/g) ?? []))
  })

  it.for(namesOf('bad-objects'))('%s is refused', async (name) => {
    const codes = await codesOf(join(fixtures, 'bad-objects', name))
    const wanted = name.match(/E\d{3}/g) ?? []
    expect(wanted.some((code) => codes.includes(code))).toBe(true)
  })
})

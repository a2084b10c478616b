import { Findings, type OcflFindings } from './finding.ts'
import { versionNumber, type Inventory, type PathsByDigest } from './inventory.ts'

export interface ParsedInventory extends OcflFindings {
  /** Undefined if it lacks parts that the rest is judged by. */
  readonly inventory: Inventory | undefined
}

/** Reads an inventory, and finds all of its faults that can be seen without the files. */
export function parseInventory(text: string, path: string): ParsedInventory {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    const message = `it is not JSON: ${error instanceof Error ? error.message : String(error)}`
    return { inventory: undefined, errors: [{ code: 'E033', path, message }], warnings: [] }
  }
  return checkInventory(found, path)
}

type Fields = Readonly<Record<string, unknown>>

/** Lengths of digests in hexadecimal digits. @see OCFL 1.1, §3.4 */
const digestLengths: Readonly<Record<string, number>> = {
  md5: 32,
  sha1: 40,
  sha256: 64,
  sha512: 128,
  'blake2b-512': 128,
}

const keys = new Set([
  'id',
  'type',
  'digestAlgorithm',
  'head',
  'contentDirectory',
  'manifest',
  'versions',
  'fixity',
])

const versionKeys = new Set(['created', 'state', 'message', 'user'])

/** RFC 3339 to the second and with a time zone. */
const timestamp =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

const uri = /^[a-z][a-z\d+.-]*:\S+$/i

/** @see OCFL 1.1, §3.5 */
function checkInventory(found: unknown, path: string): ParsedInventory {
  const findings = new Findings()
  const add = (code: string, message: string): void => findings.add(code, path, message)
  if (!isObject(found)) {
    add('E033', 'it is not a JSON object')
    return { inventory: undefined, ...findings.all }
  }
  for (const key of Object.keys(found))
    if (!keys.has(key)) add('E102', `it has the key "${key}", which is not specified`)
  checkHead(found, add)
  const digits = digestLengths[String(found['digestAlgorithm'])]
  const manifest = checkManifest(found, digits, add)
  const versions = checkVersions(found, manifest, add)
  if (found['fixity'] !== undefined) checkFixity(found['fixity'], manifest, add)
  const isWhole = manifest !== undefined && versions && isShaped(found)
  return { inventory: isWhole ? (found as unknown as Inventory) : undefined, ...findings.all }
}

type Add = (code: string, message: string) => void

function checkHead(found: Fields, add: Add): void {
  for (const key of ['id', 'type', 'digestAlgorithm', 'head']) {
    if (found[key] === undefined) add('E036', `it has no "${key}"`)
    else if (typeof found[key] !== 'string') add(headCode[key] ?? 'E036', `"${key}" is not a text`)
  }
  const { id, type, digestAlgorithm, head, contentDirectory } = found
  if (id === '') add('E037', '"id" is empty')
  else if (typeof id === 'string' && !uri.test(id)) add('W005', `the id "${id}" is not a URI`)
  if (typeof type === 'string' && !/^https:\/\/ocfl\.io\/1\.[01]\/spec\/#inventory$/.test(type))
    add('E038', `the type "${type}" is not that of an inventory of OCFL 1.0 or 1.1`)
  if (digestAlgorithm === 'sha256') add('W004', 'it uses sha256 in place of sha512')
  else if (typeof digestAlgorithm === 'string' && digestAlgorithm !== 'sha512')
    add('E025', `the digest algorithm "${digestAlgorithm}" is neither sha512 nor sha256`)
  if (typeof head === 'string' && versionNumber(head) === undefined)
    add('E040', `the head "${head}" is not the name of a version`)
  if (contentDirectory === undefined) return
  if (typeof contentDirectory !== 'string' || contentDirectory === '')
    add('E017', '"contentDirectory" is not a name')
  else if (contentDirectory.includes('/')) add('E017', '"contentDirectory" has a slash')
  else if (['.', '..'].includes(contentDirectory))
    add('E018', `"contentDirectory" is "${contentDirectory}"`)
}

const headCode: Readonly<Record<string, string>> = {
  id: 'E037',
  type: 'E038',
  digestAlgorithm: 'E039',
  head: 'E040',
}

/** Digests of the manifest as they are written there; undefined if it cannot be read. */
function checkManifest(
  { manifest }: Fields,
  digits: number | undefined,
  add: Add,
): ReadonlySet<string> | undefined {
  if (manifest === undefined) add('E041', 'it has no "manifest"')
  else if (!isObject(manifest)) add('E106', '"manifest" is not an object')
  if (!isObject(manifest)) return undefined
  const digests = new Set<string>()
  for (const digest of Object.keys(manifest)) {
    const lower = digest.toLowerCase()
    if (digests.has(lower)) add('E096', `the manifest has the digest ${digest} twice`)
    digests.add(lower)
    if (digits !== undefined && !isDigest(digest, digits))
      add('E092', `"${digest}" in the manifest is not a digest`)
  }
  const paths = checkPathsByDigest(manifest, 'E092', 'the manifest', add)
  if (paths === undefined) return undefined
  checkContentPaths(paths, 'the manifest', add)
  for (const twice of conflictsOf(paths)) add('E101', `the manifest has ${twice}`)
  return new Set(Object.keys(manifest))
}

/** All paths; undefined if they are not lists of texts. */
function checkPathsByDigest(
  block: Fields,
  code: string,
  where: string,
  add: Add,
): readonly string[] | undefined {
  const wrong = Object.entries(block).filter(
    ([, paths]) =>
      !Array.isArray(paths) || paths.length === 0 || paths.some((each) => typeof each !== 'string'),
  )
  for (const [digest] of wrong) add(code, `the paths of ${digest} in ${where} are not a list`)
  return wrong.length > 0 ? undefined : Object.values(block as PathsByDigest).flat()
}

function checkContentPaths(paths: readonly string[], where: string, add: Add): void {
  for (const path of paths) {
    if (path.startsWith('/') || path.endsWith('/'))
      add('E100', `the path "${path}" in ${where} begins or ends with a slash`)
    if (hasBadSteps(path)) add('E099', `the path "${path}" in ${where} has an empty, . or .. part`)
    else if (versionNumber(path.split('/')[0] ?? '') === undefined)
      add('E042', `the path "${path}" in ${where} does not begin with a version`)
  }
}

function checkVersions(
  { versions, head }: Fields,
  manifest: ReadonlySet<string> | undefined,
  add: Add,
): boolean {
  if (versions === undefined) add('E043', 'it has no "versions"')
  else if (!isObject(versions)) add('E044', '"versions" is not an object')
  if (!isObject(versions)) return false
  checkNames(Object.keys(versions), head, add)
  const used = new Set<string>()
  let isWhole = true
  for (const [name, version] of Object.entries(versions)) {
    if (!isObject(version)) {
      add('E047', `the version ${name} is not an object`)
      isWhole = false
    } else if (!checkVersion(name, version, { manifest, used }, add)) isWhole = false
  }
  if (!isWhole || manifest === undefined) return isWhole
  for (const digest of manifest)
    if (!used.has(digest)) add('E107', `the digest ${digest} in the manifest is in no version`)
  return true
}

function checkNames(names: readonly string[], head: unknown, add: Add): void {
  const numbers = new Set<number>()
  for (const name of names) {
    const number = versionNumber(name)
    if (number === undefined) add('E046', `"${name}" is not the name of a version`)
    else numbers.add(number)
  }
  if (names.length === 0) add('E008', 'it has no version')
  const last = Math.max(0, ...numbers)
  for (let number = 1; number <= last; number += 1) {
    if (numbers.has(number)) continue
    add(number === 1 ? 'E009' : 'E010', `the version v${number} is missing`)
    break
  }
  const padded = names.filter((name) => name.startsWith('v0'))
  if (padded.length > 0) {
    const isOneLength = new Set(names.map(({ length }) => length)).size === 1
    if (!isOneLength) add('E012', 'names of versions are padded with zeros in different ways')
    else if (padded.length < names.length)
      add('E011', 'some names of versions begin with v0, and others do not')
    else add('W001', 'the numbers of versions are padded with zeros')
  }
  if (typeof head !== 'string' || versionNumber(head) === undefined) return
  if (!names.includes(head)) {
    // A head that names a version in another way breaks the naming of those before it.
    const isOtherName = numbers.has(versionNumber(head) ?? 0)
    add(isOtherName ? 'E011' : 'E040', `there is no version ${head}, the head`)
  } else if (versionNumber(head) !== last) add('E040', `the head ${head} is not the last version`)
}

interface Known {
  readonly manifest: ReadonlySet<string> | undefined
  /** Gets the digests of the version. */
  readonly used: Set<string>
}

function checkVersion(name: string, version: Fields, known: Known, add: Add): boolean {
  const { created, state, message, user } = version
  for (const key of Object.keys(version))
    if (!versionKeys.has(key)) add('E102', `${name} has the key "${key}", which is not specified`)
  if (created === undefined) add('E048', `${name} has no "created"`)
  else if (typeof created !== 'string' || !timestamp.test(created))
    add('E049', `"created" of ${name} is not a time of RFC 3339 with seconds and time zone`)
  if (message !== undefined && typeof message !== 'string')
    add('E094', `"message" of ${name} is not a text`)
  checkUser(name, user, add)
  if (message === undefined || user === undefined)
    add('W007', `${name} has no "message" or no "user"`)
  if (state === undefined) add('E048', `${name} has no "state"`)
  else if (!isObject(state)) add('E050', `"state" of ${name} is not an object`)
  if (!isObject(state)) return false
  const paths = checkPathsByDigest(state, 'E051', `the state of ${name}`, add)
  if (paths === undefined) return false
  for (const digest of Object.keys(state)) {
    known.used.add(digest)
    if (known.manifest?.has(digest) === false)
      add('E050', `the digest ${digest} of ${name} is not in the manifest`)
  }
  for (const path of paths) {
    if (path.startsWith('/') || path.endsWith('/'))
      add('E053', `the path "${path}" of ${name} begins or ends with a slash`)
    if (hasBadSteps(path)) add('E052', `the path "${path}" of ${name} has an empty, . or .. part`)
  }
  for (const twice of conflictsOf(paths)) add('E095', `${name} has ${twice}`)
  return true
}

function checkUser(name: string, user: unknown, add: Add): void {
  if (user === undefined) return
  if (!isObject(user) || typeof user['name'] !== 'string' || user['name'] === '') {
    add('E054', `the user of ${name} has no name`)
    return
  }
  const { address } = user
  if (address === undefined) add('W008', `the user of ${name} has no address`)
  else if (typeof address !== 'string') add('E054', `the address of the user of ${name} is no text`)
  else if (!uri.test(address)) add('W009', `the address of the user of ${name} is not a URI`)
}

function checkFixity(fixity: unknown, manifest: ReadonlySet<string> | undefined, add: Add): void {
  if (!isObject(fixity)) {
    add('E111', '"fixity" is not an object')
    return
  }
  for (const [algorithm, block] of Object.entries(fixity)) {
    const where = `the fixity block of ${algorithm}`
    if (!isObject(block)) {
      add('E057', `${where} is not an object`)
      continue
    }
    const seen = new Set<string>()
    for (const digest of Object.keys(block)) {
      const lower = digest.toLowerCase()
      if (seen.has(lower)) add('E097', `${where} has the digest ${digest} twice`)
      seen.add(lower)
    }
    const paths = checkPathsByDigest(block, 'E057', where, add)
    if (paths && manifest) checkContentPaths(paths, where, add)
  }
}

/** Paths that are there twice, or are the folder of others. */
function* conflictsOf(paths: readonly string[]): Generator<string> {
  const seen = new Set<string>()
  for (const path of paths) {
    if (seen.has(path)) yield `the path "${path}" twice`
    seen.add(path)
  }
  for (const path of seen) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      if (seen.has(folder)) yield `"${folder}" as a file, and as the folder of "${path}"`
    }
  }
}

function hasBadSteps(path: string): boolean {
  const inner = path.replace(/^\//, '').replace(/\/$/, '')
  return inner.split('/').some((step) => step === '' || step === '.' || step === '..')
}

function isDigest(text: string, digits: number): boolean {
  return text.length === digits && /^[\da-f]+$/i.test(text)
}

/** Whether the parts are there that the files are judged by. */
function isShaped({ id, digestAlgorithm, head, contentDirectory, fixity }: Fields): boolean {
  return (
    typeof id === 'string' &&
    (digestAlgorithm === 'sha256' || digestAlgorithm === 'sha512') &&
    typeof head === 'string' &&
    (contentDirectory === undefined || typeof contentDirectory === 'string') &&
    (fixity === undefined ||
      (isObject(fixity) &&
        Object.values(fixity).every(
          (block) => isObject(block) && Object.values(block).every(Array.isArray),
        )))
  )
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

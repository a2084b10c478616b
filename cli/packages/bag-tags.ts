import {
  bagDeclaration,
  parseBagDeclaration,
  parseBagInfo,
  type BagField,
} from '../../core/packages/bag-format.ts'
import type { Finding, Findings } from '../output/finding.ts'
import { about, readBytes, UnreadableFile, type Contents, type PackedFile } from './contents.ts'

/** Findings about a package, as they are made. */
export class Report implements Findings {
  readonly errors: Finding[] = []
  readonly warnings: Finding[] = []

  error(path: string, message: string): void {
    add(this.errors, about(path, message))
  }

  warn(path: string, message: string): void {
    add(this.warnings, about(path, message))
  }
}

/** Findings of one kind; a hostile package may have more than memory holds. */
const mostFindings = 10_000

function add(findings: Finding[], found: Finding): void {
  if (findings.length < mostFindings) findings.push(found)
  else if (findings.length === mostFindings) findings.push(about('', 'there are more of this kind'))
}

/** How the tag files of a bag are to be read. */
export interface BagRules {
  /** Such as `1.0`. */
  readonly version: string
  /** From version 1.0 on, some faults are no warnings any more. */
  readonly isStrict: boolean
  readonly encoding: string
}

/** Versions of the format that this program knows. */
const versions = ['0.93', '0.94', '0.95', '0.96', '0.97', '1.0']

/** Largest tag file that is read. Bytes. */
const mostBytes = 256 * 1000 * 1000

/** Of `bagit.txt` and `bag-info.txt`, which people read. Bytes. */
const mostForPeople = 4 * 1000 * 1000

const newest: BagRules = { version: '1.0', isStrict: true, encoding: 'UTF-8' }

/** Reads `bagit.txt`. After a fault, the rules are those of the newest version. */
export async function readDeclaration(contents: Contents, report: Report): Promise<BagRules> {
  const file = contents.files.find(({ path }) => path === 'bagit.txt')
  if (file === undefined) {
    report.error('bagit.txt', 'it is missing')
    return newest
  }
  const bytes = await tryRead(contents, file, { report, most: mostForPeople })
  if (bytes === undefined) return newest
  const text = decode(bytes, 'UTF-8')
  if (text?.hasMark) report.error(file.path, 'it begins with a byte order mark')
  const found = parseBagDeclaration(text?.text ?? '')
  if (found === undefined) {
    const lines = `"${bagDeclaration.trim().replace('\n', '" and "')}"`
    report.error(file.path, `it does not consist of two lines such as ${lines}`)
    return newest
  }
  const { version, encoding } = found
  if (!versions.includes(version)) {
    report.error(file.path, `version ${version} is none of ${versions.join(', ')}`)
    return newest
  }
  const isStrict = version === '1.0'
  if (decode(Buffer.of(), encoding) === undefined) {
    report.error(file.path, `the encoding ${encoding} is not known`)
    return { version, isStrict, encoding: 'UTF-8' }
  }
  if (isStrict && !/^utf-?8$/i.test(encoding)) report.warn(file.path, 'the encoding is not UTF-8')
  return { version, isStrict, encoding }
}

/** The text of a tag file; undefined where it cannot be read. */
export async function readTagFile(
  contents: Contents,
  file: PackedFile,
  { rules, report }: { readonly rules: BagRules; readonly report: Report },
): Promise<string | undefined> {
  const bytes = await tryRead(contents, file, { report, most: mostBytes })
  if (bytes === undefined) return undefined
  const found = decode(bytes, rules.encoding)
  if (found === undefined) report.error(file.path, `it is not ${rules.encoding}`)
  else if (found.hasMark && /^utf-?8$/i.test(rules.encoding))
    report.warn(file.path, 'it begins with a byte order mark')
  return found?.text
}

/** The elements of `bag-info.txt`, which was `package-info.txt` before version 0.96. */
export async function readBagInfo(
  contents: Contents,
  to: { readonly rules: BagRules; readonly report: Report },
): Promise<readonly BagField[]> {
  const names = ['bag-info.txt', 'package-info.txt']
  const file = names.flatMap((name) => contents.files.find(({ path }) => path === name) ?? [])[0]
  if (file === undefined || file.size > mostForPeople) return []
  const { entries, faults } = parseBagInfo((await readTagFile(contents, file, to)) ?? '')
  for (const { line, said } of faults) to.report.warn(file.path, `line ${line}: ${said}`)
  return entries
}

interface Reading {
  readonly report: Report
  readonly most: number
}

async function tryRead(
  contents: Contents,
  file: PackedFile,
  { report, most }: Reading,
): Promise<Buffer | undefined> {
  try {
    return await readBytes(contents, file, most)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    report.error(file.path, error.message)
    return undefined
  }
}

interface Decoded {
  readonly text: string
  /** It began with a byte order mark. */
  readonly hasMark: boolean
}

/** Undefined for an unknown encoding, and for bytes that are not in it. */
function decode(bytes: Uint8Array, encoding: string): Decoded | undefined {
  // Without a mark, UTF-16 is big-endian. @see RFC 2781, §4.3
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  const label = /^utf-?16$/i.test(encoding) ? `utf-16${isLittle ? 'le' : 'be'}` : encoding
  try {
    const text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes)
    const hasMark = text.startsWith('\uFEFF')
    return { text: hasMark ? text.slice(1) : text, hasMark }
  } catch {
    return undefined
  }
}

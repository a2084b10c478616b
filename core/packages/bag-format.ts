/**
 * The text files of a bag: how their lines are written and read. Bags are
 * described in RFC 8493 (BagIt 1.0): `bagit.txt` in §2.1.1, manifests in §2.1.3
 * and §2.2.1, `bag-info.txt` in §2.2.2, `fetch.txt` in §2.2.3.
 *
 * Only the grammar is judged here. Whether a path is safe, is listed twice or is
 * there at all is for those who have the whole bag.
 */

/** A line that does not follow the grammar. */
export interface LineFault {
  /** From 1. */
  readonly line: number
  readonly said: string
}

/** A text that was read: the entries of its good lines, and the other lines. */
export interface ParsedLines<Entry> {
  readonly entries: readonly Entry[]
  readonly faults: readonly LineFault[]
}

/** The bytes of `bagit.txt` in bags that are written here. */
export const bagDeclaration = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

export interface BagDeclaration {
  /** Such as `1.0` or `0.97`. */
  readonly version: string
  /** Encoding of all other tag files, as it is written there. */
  readonly encoding: string
}

/**
 * Reads `bagit.txt`.
 *
 * @returns `undefined` where it has not exactly the two lines in their order, or begins with a byte
 *   order mark
 * @see RFC 8493, §2.1.1
 */
export function parseBagDeclaration(text: string): BagDeclaration | undefined {
  const [, version, encoding] = declarationPattern.exec(text) ?? []
  if (version === undefined || encoding === undefined) return undefined
  return { version, encoding }
}

const declarationPattern =
  /^BagIt-Version: (\d+\.\d+)(?:\r\n|\r|\n)Tag-File-Character-Encoding: (\S+)(?:\r\n|\r|\n)*$/

/** A file in a manifest, and its digest. */
export interface ManifestEntry {
  /** From the folder of the bag, with slashes, decoded. */
  readonly path: string
  /** Lower case, hexadecimal. */
  readonly digest: string
}

/** A line of a manifest. */
export interface ManifestLine extends ManifestEntry {
  /** From 1. */
  readonly line: number
  /** The path as it is written: some programs do not encode it. */
  readonly written: string
  /** True with an asterisk before the path. */
  readonly isStarred: boolean
}

/** Two spaces divide the parts, so that `sha256sum -c` reads the line as well. */
export function toManifestLine({ path, digest }: ManifestEntry): string {
  return `${digest}  ${encodeBagPath(path)}\n`
}

/**
 * Reads a payload or a tag manifest. An asterisk before the path, as `sha256sum --binary` writes
 * it, is no part of the path.
 *
 * @see RFC 8493, §2.1.3 and §2.2.1
 */
export function parseManifest(text: string): ParsedLines<ManifestLine> {
  return parseLines(text, (content, line) => {
    const [, digest, space, written] = manifestPattern.exec(content) ?? []
    if (digest === undefined || written === undefined) {
      const isPair = /^\S+\s+\S/.test(content)
      return isPair ? 'its digest is not hexadecimal' : 'it is not a digest and a path'
    }
    const path = decodeBagPath(written)
    return { line, digest: digest.toLowerCase(), path, written, isStarred: space === ' *' }
  })
}

const manifestPattern = /^([0-9a-fA-F]+)( \*|[ \t]+)(\S.*)$/s

/** A file that is not in the bag, but elsewhere. */
export interface FetchEntry {
  readonly url: string
  /** Bytes; `undefined` where the line does not say. */
  readonly size: number | undefined
  /** From the folder of the bag, with slashes, decoded. */
  readonly path: string
}

/** @see RFC 8493, §2.2.3 */
export function parseFetch(text: string): ParsedLines<FetchEntry & { line: number }> {
  return parseLines(text, (content, line) => {
    const [, url, size, path] = fetchPattern.exec(content) ?? []
    if (url === undefined || path === undefined) return 'it is not an address, a length and a path'
    return { line, url, size: size === '-' ? undefined : Number(size), path: decodeBagPath(path) }
  })
}

const fetchPattern = /^(\S+)[ \t]+(\d+|-)[ \t]+(\S.*)$/s

/**
 * Writes percent signs and line ends as `%25`, `%0D` and `%0A`, and nothing else.
 *
 * @see RFC 8493, §2.1.3
 */
export function encodeBagPath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Of other sequences than those of {@link encodeBagPath}, the percent sign is kept. */
export function decodeBagPath(path: string): string {
  return path.replaceAll(/%(25|0[AD])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** A line of `bag-info.txt`. Labels may come more than once, and their order is kept. */
export interface BagField {
  readonly label: string
  readonly value: string
}

/**
 * Writes `bag-info.txt`. White space in a value becomes one space: readers do not agree on the line
 * ends of a folded value.
 *
 * @see RFC 8493, §2.2.2
 */
export function toBagInfo(fields: readonly BagField[]): string {
  return fields
    .map(({ label, value }) => `${label}: ${value.replaceAll(/\s+/g, ' ').trim()}\n`)
    .join('')
}

/**
 * Reads `bag-info.txt`. The lines of a folded value are joined with a space. White space around the
 * colon, as older bags have it, is no part of the label or the value.
 *
 * @see RFC 8493, §2.2.2
 */
export function parseBagInfo(text: string): ParsedLines<BagField> {
  const fields: { readonly label: string; readonly values: string[] }[] = []
  const faults: LineFault[] = []
  for (const [line, content] of linesOf(text)) {
    const last = fields.at(-1)
    const [, label, value] = fieldPattern.exec(content) ?? []
    if (/^[ \t]/.test(content) && last) last.values.push(content.trim())
    else if (label === undefined || value === undefined)
      faults.push({ line, said: 'it is not a label, a colon and a value' })
    else fields.push({ label, values: [value.trim()] })
  }
  const entries = fields.map(({ label, values }) => ({ label, value: values.join(' ').trim() }))
  return { entries, faults }
}

const fieldPattern = /^([^\s:](?:[^:]*[^\s:])?)[ \t]*:(.*)$/s

/** `Payload-Oxum`: the bytes of all files in `data/`, and how many these are. */
export interface PayloadOxum {
  readonly bytes: number
  readonly files: number
}

export function toPayloadOxum({ bytes, files }: PayloadOxum): string {
  return `${bytes}.${files}`
}

export function parsePayloadOxum(value: string): PayloadOxum | undefined {
  const [, bytes, files] = /^(\d+)\.(\d+)$/.exec(value) ?? []
  if (bytes === undefined || files === undefined) return undefined
  return { bytes: Number(bytes), files: Number(files) }
}

/** Of a text: with more, its reading ends with a fault. */
const most = { entries: 2_000_000, faults: 1000 }

function parseLines<Entry extends object>(
  text: string,
  parse: (content: string, line: number) => Entry | string,
): ParsedLines<Entry> {
  const entries: Entry[] = []
  const faults: LineFault[] = []
  for (const [line, content] of linesOf(text)) {
    if (entries.length === most.entries || faults.length === most.faults) {
      faults.push({ line, said: 'this line and those behind it are not read: there are too many' })
      break
    }
    const entry = parse(content, line)
    if (typeof entry === 'string') faults.push({ line, said: entry })
    else entries.push(entry)
  }
  return { entries, faults }
}

/** Those that are not blank, with their numbers from 1; a text may have more than memory holds. */
function* linesOf(text: string): Iterable<readonly [number, string]> {
  let [line, start] = [0, 0]
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n|$/g)) {
    const content = text.slice(start, index)
    start = index + end.length
    line += 1
    if (content.trim() !== '') yield [line, content]
  }
}

import { advice } from '../advice.ts'
import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Document, Pair, Scalar } from 'yaml'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { isOfCrate } from '../packages/recognise.ts'
import { plain } from '../plain.ts'
import { reasonOf } from '../reason.ts'
import { decodeText } from '../text-file.ts'
import { sayTwin } from './json-text.ts'
import { translate } from './foreign/foreign-files.ts'

export interface Input {
  /** Relative paths start here. */
  readonly folder: string
  readonly stdin: NodeJS.ReadableStream
  /**
   * False for a file that the user did not name: a folder from elsewhere may link to our secrets.
   */
  readonly followsLinks?: boolean
}

/** A metadata file. */
export interface MetadataFile {
  /** Its name, as given. */
  readonly file: string
  readonly metadata: Metadata
  /** Its text, unless it was converted from a foreign format. */
  readonly text?: string
  /** The text of a foreign format in YAML or JSON. */
  readonly foreignText?: string
  /** Fields of a foreign file without an equivalent in our metadata. */
  readonly notTaken: readonly string[]
  /** Those of them that Zenodo has, as they are. */
  readonly ofZenodo?: Readonly<Record<string, unknown>>
  /** The record whose metadata document a foreign file carries. */
  readonly origin?: { readonly service: string; readonly record: string }
  /** It carries one as well, and was changed since: fields of that document that it does not have. */
  readonly lacking?: readonly string[]
}

/**
 * A metadata document in YAML or JSON (which is YAML) from a file, or from standard input for `-`.
 *
 * @throws {UsageFailure} with line and column of the fault
 */
export async function readMetadata(input: Input, file: string): Promise<MetadataFile> {
  const text = await readText(input, file)
  const document = isOfCrate(basename(file))
    ? parseJson(file, text)
    : oneOf(file, await parseYaml(file, text))
  if (!isMetadata(document))
    throw unusable(file, 'it does not hold a document: `title: …` and further fields')
  if (isAnswer(document)) throw answerOfServer(file, document)
  const translated = await translate(basename(file), document)
  if (translated !== undefined) return { file, foreignText: text, ...translated }
  return { file, metadata: document, text, notTaken: [] }
}

/** Programs write it, and of large crates it is large: a parser of YAML would take minutes. */
function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(file, `it is not JSON: ${reasonOf(error)}`, error)
  }
}

/** True for an answer of the service, whole or its `metadata`, which has more than metadata. */
function isAnswer(document: Metadata): boolean {
  const { _deposit: kept, links, metadata } = document
  if (kept !== undefined) return true
  return isMetadata(metadata) && (metadata['_deposit'] !== undefined || isMetadata(links))
}

function answerOfServer(file: string, document: Metadata): UsageFailure {
  const { id, _deposit: kept, metadata } = document
  const inner = isMetadata(metadata) ? metadata['_deposit'] : kept
  const found = id ?? (isMetadata(inner) ? inner['id'] : undefined)

  return new UsageFailure({
    tried: `take the metadata from ${nameOf(file)}`,
    said: 'it is an answer of the server, and not only the metadata',
    next: advice.writeMetadata(typeof found === 'string' ? found : 'ID'),
  })
}

/** Any YAML or JSON document, such as a patch. */
export async function readDocument(input: Input, file: string): Promise<unknown> {
  return oneOf(file, await parseYaml(file, await readText(input, file)))
}

function oneOf(file: string, documents: readonly unknown[]): unknown {
  if (documents.length < 2) return documents[0]
  throw unusable(file, `it holds ${documents.length} documents; it may hold only one`)
}

/**
 * The documents of a YAML text, with `---` between; JSON is one of them.
 *
 * @throws {UsageFailure} with line and column of the fault
 */
export async function parseYaml(file: string, source: string): Promise<readonly unknown[]> {
  return (await parseParts(file, source)).map(({ value }) => value)
}

/** A document of a YAML text. */
interface Part {
  readonly value: unknown
  /** Its first line, or the first line of each item of a list; from 1. */
  readonly lines: readonly number[]
}

/** As {@link parseYaml}, with lines. */
export async function parseParts(file: string, source: string): Promise<readonly Part[]> {
  const { isNode, isSeq, LineCounter, parseAllDocuments, visit } = await import('yaml')
  const lineCounter = new LineCounter()
  // No merge keys and few aliases: the result is what a person reads.
  const options = { lineCounter, prettyErrors: true, version: '1.2' } as const
  return Array.from(parseAllDocuments(source, options), (document) => {
    const [fault] = document.errors
    if (fault !== undefined) {
      // Drop the source excerpt after the colon.
      const [text = fault.code] = fault.message.split(/:?\n/, 1)
      const said = fault.code === 'DUPLICATE_KEY' ? nameTwin(text, source, fault.pos[0]) : text
      const advice = hints[fault.code]
      throw unusable(file, advice === undefined ? said : `${said}: ${advice}`, fault)
    }
    visit(document, {
      Pair(_key, pair) {
        keepText(pair)
      },
      Scalar(_key, node) {
        // Keep the text of a date.
        if (node.value instanceof Date) node.value = node.value.toJSON()
      },
    })
    const nodes: readonly unknown[] = isSeq(document.contents)
      ? document.contents.items
      : [document.contents]
    const lines = nodes.map((node) => {
      const [start = 0] = isNode(node) ? (node.range ?? []) : []
      return lineCounter.linePos(start).line
    })
    return { value: toPlain(file, document), lines }
  })
}

/** Adds the key to `Map keys must be unique at line 3, column 1`. */
function nameTwin(said: string, source: string, at: number): string {
  const [, place = ''] = / (at line .+)$/.exec(said) ?? []
  const [key = ''] = /^(?:"[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(source.slice(at)) ?? []
  return `${sayTwin(key.trim())}, the second time ${place}`
}

/** Hints for YAML errors. */
const hints: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY:
    'put text that contains a colon in quotes, as in title: "Tides: a history"',
  TAB_AS_INDENT: 'indent with spaces',
}

function toPlain(file: string, document: Document): unknown {
  try {
    const plain: unknown = document.toJS({ maxAliasCount: 100 })
    return plain
  } catch (error) {
    throw unusable(file, reasonOf(error), error)
  }
}

/** Text fields that people write without quotation marks, like numbers. */
const textFields = new Set<unknown>(['publication_date', 'version', 'date', 'award'])

/** Keeps the text of `publication_date: 2020` and `version: 1.0`. */
function keepText({ key, value }: Pair): void {
  if (!isScalar(key) || !textFields.has(key.value) || !isScalar(value)) return
  if (typeof value.value === 'number' && value.source !== undefined) value.value = value.source
}

/** True for a scalar. The library's own test is only loaded when a file is read. */
function isScalar(node: unknown): node is Scalar {
  return typeof node === 'object' && node !== null && 'value' in node && !('key' in node)
}

/**
 * The text of a metadata file, or of standard input for `-`.
 *
 * @throws {UsageFailure} it cannot be read, or is not text
 */
export async function readText(input: Input, file: string): Promise<string> {
  const { folder, stdin, followsLinks = true } = input
  const flag = constants.O_RDONLY | (followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0))
  const bytes = file === '-' ? buffer(stdin) : readFile(resolve(folder, file), { flag })
  return decodeText(await bytes.catch((error: unknown) => cannotRead(file, error)), nameOf(file))
}

function cannotRead(file: string, error: unknown): never {
  throw unusable(file, reasonOf(error), error)
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file
}

function isMetadata(document: unknown): document is Metadata {
  return typeof document === 'object' && document !== null && !Array.isArray(document)
}

function unusable(file: string, said: string, cause?: unknown): UsageFailure {
  const next = advice.correctInput()
  return new UsageFailure({ tried: `read ${nameOf(file)}`, said, next }, { cause })
}

/** Where the metadata are from, with notes about what was left out. */
export function describeSource(
  source: MetadataFile,
  passedOver: readonly string[] = [],
  isForZenodo = false,
): readonly string[] {
  const { file, origin, lacking } = source
  const others = passedOver.length === 0 ? '' : `, and none from ${passedOver.join(' and ')}`
  const from = origin && `: all that ${plain(origin.service)} has of ${plain(origin.record)}`
  const lost = describeNotTaken(source, isForZenodo)
  return [
    `Took the metadata from ${file}${from ?? ''}${others}`,
    ...(lacking === undefined ? [] : [sayChanged(file, lacking)]),
    ...(lost === undefined ? [] : [lost]),
  ]
}

function sayChanged(file: string, lacking: readonly string[]): string {
  const fields = lacking.length === 0 ? '' : `; it lacks ${lacking.join(', ')} of that`
  return (
    `${basename(file)} was changed after a deposit service wrote it: what it says now was taken, ` +
    `and not the metadata document of the record that it carries${fields}. Files stay closed as in either`
  )
}

/**
 * One line about fields of a foreign metadata file that ours do not have; undefined for none.
 *
 * @param isForZenodo it goes to a Zenodo, which has some of them
 */
export function describeNotTaken(
  { notTaken, ofZenodo = {} }: MetadataFile,
  isForZenodo = false,
): string | undefined {
  const lost = notTaken.filter((field) => !isForZenodo || !Object.hasOwn(ofZenodo, field))
  return lost.length === 0
    ? undefined
    : `Left out, because there is no field for it: ${lost.join(', ')}`
}

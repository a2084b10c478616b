import { parse } from 'csv-parse'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { extname } from 'node:path'
import { codeOf } from '../../../core/base/errno.ts'
import {
  isVocabulary,
  type Term,
  type VocabularyName,
} from '../../../core/contract/vocabularies.ts'
import { advice } from '../../advice.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { jsonElements } from './json-elements.ts'
import { isRor, toOrganization } from './ror.ts'

/** A term, and the vocabulary it belongs to. */
export interface ReadTerm {
  readonly vocabulary: VocabularyName
  readonly term: Term
}

/** Characters of an identifier, a title or another value. */
const longest = 1000

/**
 * The terms of a file: a data dump of ROR (JSON), or terms of one's own as JSON, JSON Lines or CSV.
 *
 * @param vocabulary which one they are for; a dump of ROR says so itself
 * @throws {OperatorFailure} the file cannot be read, or a term of it is wrong, with its number
 */
export async function* readTerms(
  path: string,
  vocabulary: string | undefined,
): AsyncGenerator<ReadTerm> {
  if (vocabulary !== undefined && !isVocabulary(vocabulary))
    throw new OperatorFailure(`There is no vocabulary "${vocabulary}".`, advice.seeVocabularies())
  let number = 0
  try {
    for await (const value of valuesOf(path)) {
      number += 1
      if (isRor(value)) {
        const found = toOrganization(value)
        if (!found) continue
        yield { vocabulary: 'organizations', term: found.term }
        if (found.isFunder) yield { vocabulary: 'funders', term: found.term }
        continue
      }
      if (vocabulary === undefined)
        throw new OperatorFailure(
          `${path} does not say which vocabulary it is for.`,
          advice.nameVocabulary(),
        )
      yield { vocabulary, term: toTerm(value) }
    }
  } catch (error) {
    if (error instanceof OperatorFailure) throw error
    const place = error instanceof WrongTerm ? `, term ${number}` : ''
    throw new OperatorFailure(`${path}${place}: ${reasonOf(error)}.`)
  }
  if (number === 0) throw new OperatorFailure(`${path} has no terms.`)
}

class WrongTerm extends Error {}

async function* valuesOf(path: string): AsyncGenerator<object> {
  const bytes = createReadStream(path, { highWaterMark: 256 * 1024 })
  switch (extname(path).toLowerCase()) {
    case '.csv': {
      const rows = bytes.pipe(parse({ bom: true, columns: true, skip_empty_lines: true }))
      bytes.once('error', (error) => rows.destroy(error))
      for await (const row of rows) yield row as object
      return
    }
    case '.jsonl':
    case '.ndjson':
      // Opened before it is read by lines, which would never tell that it cannot be.
      await new Promise((done, failed) => bytes.once('open', done).once('error', failed))
      for await (const line of createInterface({ input: bytes })) {
        if (line.trim() !== '') yield toObject(line)
      }
      return
    case '.json':
      bytes.setEncoding('utf8')
      for await (const text of jsonElements(bytes as AsyncIterable<string>)) yield toObject(text)
      return
    default:
      throw new OperatorFailure(`${path} has no ending that tells its form.`, advice.loadUnpacked())
  }
}

function toObject(text: string): object {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null) return value
  throw new WrongTerm('it is no object')
}

/** @throws {WrongTerm} a field is missing or of the wrong type */
function toTerm(value: object): Term {
  const { id, title, aliases, scheme, uri, note } = value as Readonly<Record<string, unknown>>
  const term = { id: textOf('id', id), title: textOf('title', title) }
  const others = aliasesOf(aliases)
  const more = Object.entries({ scheme, uri, note }).filter(
    ([, text]) => text !== undefined && text !== '',
  )
  return {
    ...term,
    ...(others.length > 0 && { aliases: others }),
    ...Object.fromEntries(more.map(([name, text]) => [name, textOf(name, text)])),
  }
}

/** In a table they are between semicolons. */
function aliasesOf(value: unknown): string[] {
  if (value === undefined || value === '') return []
  const list: unknown[] = typeof value === 'string' ? value.split(';') : [value].flat()
  return list.map((each) => textOf('aliases', each).trim()).filter((each) => each !== '')
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new WrongTerm(`it has no ${name}, which is a text`)
  if (value.length > longest)
    throw new WrongTerm(`its ${name} is longer than ${longest} characters`)
  return value
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'there is no such file'
  if (codeOf(error) === 'EISDIR') return 'it is a folder'
  if (codeOf(error) === 'EACCES') return 'you may not read it'
  return error instanceof Error ? error.message : String(error)
}

import { isOrganization, splitSpokenName } from '../person-names.ts'
import { doiOf, filled, licenseOf, textOf, toPerson, type Foreign } from '../foreign-values.ts'
import { entryStart } from './bibtex-entries.ts'
import { plainLatex } from './latex.ts'

/** An entry of a bibliography. */
interface Entry {
  readonly type: string
  /** By their names in lower case, as they are written. */
  readonly fields: ReadonlyMap<string, string>
}

const resourceTypes: Readonly<Record<string, string>> = {
  article: 'journalarticle',
  book: 'book',
  inbook: 'bookchapter',
  incollection: 'bookchapter',
  inproceedings: 'conferencepaper',
  conference: 'conferencepaper',
  proceedings: 'conferenceproceeding',
  phdthesis: 'dissertation',
  mastersthesis: 'dissertation',
  thesis: 'dissertation',
  techreport: 'report',
  report: 'report',
  dataset: 'dataset',
  data: 'dataset',
  software: 'software',
}

/**
 * Metadata from the first entry of a bibliography in BibTeX or BibLaTeX; undefined where there is none.
 *
 * @see https://ctan.org/pkg/bibtex; https://ctan.org/pkg/biblatex, "Database Guide"
 */
export function fromBibtex(text: string): Foreign | undefined {
  const entry = firstEntry(text)
  if (entry === undefined) return undefined
  const field = (name: string): string | undefined =>
    textOf(plainLatex(entry.fields.get(name) ?? ''))
  const doi = doiOf(field('doi'))
  const url = field('url')
  return filled({
    title: textOf([field('title') ?? [], field('subtitle') ?? []].flat().join(': ')),
    creators: peopleIn(entry.fields.get('author')),
    contributors: peopleIn(entry.fields.get('editor')).map((person) => ({
      ...person,
      role: 'Editor',
    })),
    description: field('abstract'),
    publication_date: dateOf(field),
    publisher: field('publisher') ?? field('institution') ?? field('school'),
    resource_type: resourceTypes[entry.type],
    license: licenseOf(field('license') ?? field('copyright')),
    keywords: (field('keywords') ?? '').split(/[;,]/).flatMap((word) => word.trim() || []),
    version: field('version'),
    doi,
    alternate_identifiers:
      url === undefined || doiOf(url) !== undefined ? [] : [{ identifier: url, scheme: 'url' }],
    notes: field('note'),
  })
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** `2024-05-01`, `2024-05` or `2024`. */
function dateOf(field: (name: string) => string | undefined): string | undefined {
  const date = field('date')
  if (date !== undefined) return /^\d{4}(?:-\d{2}){0,2}/.exec(date)?.[0]
  const year = /\d{4}/.exec(field('year') ?? '')?.[0]
  const month = months.indexOf((field('month') ?? '').slice(0, 3).toLowerCase()) + 1
  const number = month || Number(/^\d{1,2}$/.exec(field('month') ?? '')?.[0] ?? 0)
  if (year === undefined || number < 1 || number > 12) return year
  return `${year}-${String(number).padStart(2, '0')}`
}

/** People with `and` between; one in braces of its own is an organization. */
function peopleIn(names: string | undefined): readonly Foreign[] {
  return splitOutsideBraces(names ?? '').flatMap((written) => {
    const name = plainLatex(written)
    if (name === '' || name.toLowerCase() === 'others') return []
    const isWhole = /^\s*\{[^]*\}\s*$/.test(written) || isOrganization(name)
    const parts: NameParts = isWhole ? { name } : partsOf(name)
    const person = toPerson({ ...parts, affiliation: [] })
    return person === undefined ? [] : [person]
  })
}

interface NameParts {
  readonly name?: string
  readonly family?: string | undefined
  readonly given?: string | undefined
  readonly suffix?: string | undefined
}

/** `Family, Given`, `Family, Jr., Given` or `Given Family`. */
function partsOf(name: string): NameParts {
  const parts = name.split(/\s*,\s*/)
  if (parts.length >= 3) return { family: parts[0], suffix: parts[1], given: parts[2] }
  if (parts.length === 2) return { family: parts[0], given: parts[1] }
  const spoken = splitSpokenName(name)
  return spoken.family === undefined ? { name } : spoken
}

function splitOutsideBraces(text: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const piece of text.split(/([{}]|\s+and\s+)/i)) {
    depth += piece === '{' ? 1 : piece === '}' ? -1 : 0
    if (depth === 0 && /^\s+and\s+$/i.test(piece)) parts.push('')
    else parts.push((parts.pop() ?? '') + piece)
  }
  return parts
}

/** Skips comments, preambles and strings before the first entry. */
function firstEntry(text: string): Entry | undefined {
  const [first] = text.matchAll(entryStart)
  if (first === undefined) return undefined
  const [whole, type = ''] = first
  return { type: type.toLowerCase(), fields: fieldsIn(text, first.index + whole.length) }
}

const fieldName = /[\s,]*([\w-]{1,60})\s*=\s*/y

/** Reads `name = value` from `at` on, to the end of the entry. */
function fieldsIn(text: string, at: number): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  let place = at
  for (;;) {
    fieldName.lastIndex = place
    const name = fieldName.exec(text)?.[1]
    if (name === undefined) return fields
    const { value, end } = readValue(text, fieldName.lastIndex)
    fields.set(name.toLowerCase(), value)
    place = end
  }
}

/** A value: texts in braces or quotes, words and numbers, with `#` between. */
function readValue(text: string, at: number): { readonly value: string; readonly end: number } {
  const parts: string[] = []
  let end = at
  for (;;) {
    const { part, next } = readPart(text, end)
    parts.push(part)
    const joined = /\s*#\s*/y
    joined.lastIndex = next
    if (!joined.test(text)) return { value: parts.join(''), end: next }
    end = joined.lastIndex
  }
}

function readPart(text: string, at: number): { readonly part: string; readonly next: number } {
  const opening = text[at]
  if (opening !== '{' && opening !== '"') {
    const word = /[^\s,{}#"]*/y
    word.lastIndex = at
    const part = word.exec(text)?.[0] ?? ''
    return { part, next: at + part.length }
  }
  let depth = opening === '{' ? 1 : 0
  for (let place = at + 1; place < text.length; place += 1) {
    const sign = text[place]
    if (sign === '\\') place += 1
    else if (sign === '{') depth += 1
    else if (sign === '}') depth -= 1
    const isEnd = opening === '{' ? depth === 0 : sign === '"' && depth === 0
    if (isEnd) return { part: text.slice(at + 1, place), next: place + 1 }
  }
  return { part: text.slice(at + 1), next: text.length }
}

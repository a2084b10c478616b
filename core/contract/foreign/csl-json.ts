import {
  doiOf,
  filled,
  isForeign,
  licenseOf,
  listOf,
  objectsOf,
  textOf,
  toPerson,
} from '../foreign-values.ts'
import type { Foreign } from '../foreign-values.ts'
import { fromHtml } from '../html-text.ts'

const resourceTypes: Readonly<Record<string, string>> = {
  'article-journal': 'journalarticle',
  'journal-article': 'journalarticle',
  article: 'preprint',
  'posted-content': 'preprint',
  book: 'book',
  monograph: 'book',
  chapter: 'bookchapter',
  'book-chapter': 'bookchapter',
  'paper-conference': 'conferencepaper',
  'proceedings-article': 'conferencepaper',
  thesis: 'dissertation',
  dissertation: 'dissertation',
  report: 'report',
  dataset: 'dataset',
  software: 'software',
}

/**
 * Metadata from CSL JSON, which resolvers of DOIs and reference managers write.
 *
 * @see https://docs.citationstyles.org/en/stable/specification.html, "Appendix IV: Variables"
 */
export function fromCslJson(item: Foreign): Foreign {
  const abstract = textOf(item['abstract'])
  return filled({
    title: textOf(listOf(item['title'])[0]),
    creators: objectsOf(item['author']).flatMap((person) => toAgent(person) ?? []),
    contributors: objectsOf(item['editor']).flatMap((person) => {
      const editor = toAgent(person)
      return editor === undefined ? [] : [{ ...editor, role: 'Editor' }]
    }),
    description: abstract === undefined ? undefined : fromHtml(abstract),
    publication_date: dateOf(item['issued']),
    publisher: textOf(item['publisher']),
    resource_type: resourceTypes[textOf(item['type']) ?? ''],
    license: licenseOf(textOf(objectsOf(item['license'])[0]?.['URL'] ?? item['license'])),
    keywords: (textOf(item['keyword']) ?? '').split(/[;,]/).flatMap((word) => word.trim() || []),
    version: textOf(item['version']),
    language: textOf(item['language']),
    doi: doiOf(item['DOI']),
    notes: textOf(item['note']),
  })
}

function toAgent(person: Foreign): Foreign | undefined {
  const family = [textOf(person['non-dropping-particle']), textOf(person['family'])]
  return toPerson({
    name: person['literal'] ?? person['name'],
    given: person['given'],
    family: family.filter((part) => part !== undefined).join(' '),
    suffix: person['suffix'],
    orcid: person['ORCID'],
    affiliation: objectsOf(person['affiliation']).flatMap(({ name }) => textOf(name) ?? []),
  })
}

/** `{"date-parts": [[2024, 5, 1]]}`. */
function dateOf(issued: unknown): string | undefined {
  if (!isForeign(issued)) return undefined
  const [parts] = listOf(issued['date-parts'])
  const numbers = listOf(parts).map(Number).filter(Number.isInteger).slice(0, 3)
  const [year] = numbers
  if (year === undefined) return textOf(issued['raw'])
  return numbers.map((part, at) => String(part).padStart(at === 0 ? 4 : 2, '0')).join('-')
}

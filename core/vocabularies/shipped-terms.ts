import { contributorTypes, relationTypes, resourceTypes, type Terms } from '../contract/datacite.ts'
import type { Term, VocabularyName } from '../contract/vocabularies.ts'
import { fieldsOfScience } from './fields-of-science.ts'
import { inWords } from './words-of-terms.ts'

/**
 * The terms that the package has of a vocabulary; none of those that operators load. Large lists
 * are read when they are first asked for.
 */
export function shippedTerms(name: VocabularyName): Promise<readonly Term[]> {
  const known = made.get(name)
  if (known) return known
  const terms = makers[name]()
  made.set(name, terms)
  return terms
}

const made = new Map<VocabularyName, Promise<readonly Term[]>>()

const makers: Readonly<Record<VocabularyName, () => Promise<readonly Term[]>>> = {
  licenses,
  languages,
  'resource-types': async () => ofDataCite(resourceTypes, resourceTypeTitles, 'lower case'),
  relations: async () => ofDataCite(relationTypes),
  roles: async () => ofDataCite(contributorTypes),
  subjects: async () =>
    fieldsOfScience.map(([number, title]) => ({
      id: title,
      title,
      scheme: 'Fields of Science and Technology (FOS)',
      note: number,
    })),
  organizations: async () => [],
  funders: async () => [],
}

/** @see https://spdx.org/licenses/ */
async function licenses(): Promise<readonly Term[]> {
  const { default: list } = await import('spdx-license-list')
  const terms = Object.entries(list).map(([id, { name: title, url }]) => ({ id, title, uri: url }))
  const ofData = new Map(licensesOfData.map((id, at) => [id, at]))
  const placeOf = ({ id }: Term): number => ofData.get(id) ?? licensesOfData.length
  return terms.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Licenses that most data sets and programs have: they come before the others. */
const licensesOfData = [
  'CC-BY-4.0',
  'CC0-1.0',
  'CC-BY-SA-4.0',
  'CC-BY-NC-4.0',
  'CC-BY-NC-SA-4.0',
  'CC-BY-ND-4.0',
  'CC-BY-NC-ND-4.0',
  'ODbL-1.0',
  'ODC-By-1.0',
  'PDDL-1.0',
  'MIT',
  'Apache-2.0',
  'BSD-3-Clause',
  'GPL-3.0-or-later',
  'EUPL-1.2',
]

/** @see ISO 639-1 and 639-3; the shortest code, as RFC 5646 §2.2.1 demands of language tags */
async function languages(): Promise<readonly Term[]> {
  const { iso6393 } = await import('iso-639-3')
  const inEnglish = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  return iso6393
    .filter(({ type }) => type !== 'special')
    .map(({ iso6393: letters, iso6391, name }) => {
      const id = iso6391 ?? letters
      const title = (iso6391 === undefined ? undefined : inEnglish.of(id)) ?? name
      const own = iso6391 === undefined ? undefined : nameInItself(id)
      const aliases = [letters, own, name].filter(
        (each) => each !== undefined && each !== title && each !== id,
      ) as readonly string[]
      return { id, title, aliases: [...new Set(aliases)] }
    })
    .toSorted((a, b) => a.id.length - b.id.length)
}

/** `Deutsch` for `de`. */
function nameInItself(code: string): string | undefined {
  return new Intl.DisplayNames(code, { type: 'language', fallback: 'none' }).of(code)
}

/** Titles that are no words of the term itself. */
const resourceTypeTitles: ReadonlyMap<string, string> = new Map([
  ['Dataset', 'Data set'],
  ['Audiovisual', 'Video or film'],
  ['Other', 'Something else'],
])

function ofDataCite(
  terms: Terms,
  titles: ReadonlyMap<string, string> = new Map(),
  spelling?: 'lower case',
): readonly Term[] {
  return [...terms].map(([lower, term]) => {
    const title = titles.get(term) ?? inWords(term)
    const id = spelling === undefined ? term : lower
    const isSame = title.toLowerCase() === id.toLowerCase()
    return { id, title, ...(!isSame && { aliases: [term] }) }
  })
}

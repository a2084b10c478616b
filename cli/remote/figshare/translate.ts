import { licenseOf } from '../../../core/contract/foreign-values.ts'
import type { Description } from '../../../core/describe/description.ts'
import { plainHtml } from '../../../core/exports/markdown-html.ts'
import type { Finding } from '../../output/finding.ts'
import type { Translation, Work } from '../port/repository.ts'
import { textOf, type Foreign } from '../port/values.ts'

/** What figshare lets a record be. */
export interface Vocabularies {
  /** As `GET /v2/account/licenses` answers them. */
  readonly licenses: readonly Foreign[]
  /** As `GET /v2/categories` answers them. */
  readonly categories: readonly Foreign[]
}

/** Authors that come with an article. @see https://docs.figshare.com/#private_article_create */
const mostAuthors = 10

/** Our metadata as those of an article of figshare. */
export function translateForFigshare(work: Work, known: Vocabularies, group?: string): Translation {
  const { about, marker, identicalTo, hasFiles } = work
  const words = [...about.keywords, ...about.subjects.map(({ subject }) => subject)]
  const categories = known.categories.flatMap(({ id, title }) =>
    words.some((word) => word.toLowerCase() === textOf(title)?.toLowerCase()) ? [Number(id)] : [],
  )
  const license = about.rights && findLicense(about.rights, known.licenses)
  return {
    marker,
    title: about.title ?? '',
    metadata: {
      title: about.title ?? '',
      description: [about.description, about.methods, about.notes]
        .map((text) => plainHtml(text ?? ''))
        .join(''),
      // It has no place for identifiers of others; a tag is found again.
      tags: [...new Set(words), marker],
      authors: about.creators.slice(0, mostAuthors).map(({ name, orcid }) => ({
        name,
        ...(orcid !== undefined && { orcid_id: orcid.replace('https://orcid.org/', '') }),
      })),
      defined_type: types.get(about.resourceType?.general ?? '') ?? 'dataset',
      ...(categories.length > 0 && { categories }),
      ...(license !== undefined && { license }),
      ...(group !== undefined && { group_id: Number(group) }),
      funding_list: about.funding.flatMap(({ funder, award, awardTitle }) => {
        const title = [funder, awardTitle, award].filter(Boolean).join(', ')
        return title === '' ? [] : [{ title }]
      }),
      references: about.references.filter((text) => /^https?:\/\//.test(text)),
      related_materials: [
        ...about.relations.map(({ identifier, scheme, relation }) => ({
          identifier,
          identifier_type: scheme ?? 'URL',
          relation,
        })),
        ...identicalTo.map((identifier) => ({
          identifier,
          identifier_type: identifier.startsWith('10.') ? 'DOI' : 'URL',
          relation: 'IsIdenticalTo',
        })),
      ],
    },
    refused: refusedOf(about),
    missing: missingOf(about, { hasCategory: categories.length > 0, license, hasFiles }),
    lost: lostOf(about),
  }
}

function refusedOf({ title, access }: Description): Finding[] {
  const refused = (field: string, message: string): Finding => ({ field, message })
  return [
    ...(title === undefined || title.length < 3
      ? [refused('/title', 'figshare requires a title of three characters or more.')]
      : []),
    ...(access.files === 'public'
      ? []
      : [
          refused(
            '/access',
            access.until === undefined
              ? 'deposit does not restrict files on figshare: they would be public.'
              : 'deposit does not set embargoes on figshare: the files would be public.',
          ),
        ]),
  ]
}

interface Known {
  readonly hasCategory: boolean
  readonly license: number | undefined
  readonly hasFiles: boolean
}

function missingOf(about: Description, { hasCategory, license, hasFiles }: Known): Finding[] {
  const missing = (field: string, message: string): Finding => ({ field, message })
  return [
    ...(hasCategory
      ? []
      : [
          missing(
            '/keywords',
            'figshare requires one of its categories: name one, such as Oceanography, among the keywords or subjects.',
          ),
        ]),
    ...(license === undefined
      ? [missing('/license', 'figshare requires one of its own licenses.')]
      : []),
    ...(about.description === undefined ? [missing('/description', 'figshare requires it.')] : []),
    ...(about.creators.length === 0 ? [missing('/creators', 'figshare requires it.')] : []),
    ...(about.creators.length > mostAuthors
      ? [
          missing(
            '/creators',
            `figshare takes ${mostAuthors} authors with an article, and these are ${about.creators.length}: the first go over in a draft, to which the others can be added there.`,
          ),
        ]
      : []),
    ...(hasFiles ? [] : [missing('', 'figshare publishes no article without files.')]),
  ]
}

function lostOf(about: Description): Finding[] {
  const lists = {
    '/contributors': about.contributors,
    '/dates': about.dates,
    '/locations': about.locations,
    '/alternate_identifiers': about.alternateIdentifiers,
    '/references': about.references.filter((text) => !/^https?:\/\//.test(text)),
  }
  const { publisher, creators, subjects, document, resourceType } = about
  const texts = {
    '/version': about.version,
    '/language': about.language,
    '/publisher': publisher.name === '' ? undefined : publisher.name,
  }
  const losses: readonly (readonly [string, boolean, string])[] = [
    [
      '/publication_date',
      document['publication_date'] !== undefined,
      'figshare shows the day on which it is published there.',
    ],
    [
      '/creators',
      creators.some(({ affiliations }) => affiliations.length > 0),
      'figshare takes authors without their affiliations.',
    ],
    [
      '/subjects',
      subjects.some(({ scheme, url }) => scheme !== undefined || url !== undefined),
      'figshare gets subjects as words, without their schemes and addresses.',
    ],
    [
      '/resource_type',
      resourceType !== undefined &&
        resourceType.id !== 'dataset' &&
        !types.has(resourceType.general),
      'figshare has no such type, and shows it as a dataset.',
    ],
  ]
  const noPlace = [
    ...Object.entries(lists).flatMap(([field, values]) => (values.length > 0 ? [field] : [])),
    ...Object.entries(texts).flatMap(([field, value]) => (value === undefined ? [] : [field])),
  ].map((field) => ({ field, message: 'figshare has no place for it.' }))
  const lost = losses.flatMap(([field, isLost, message]) => (isLost ? [{ field, message }] : []))
  return [...noPlace, ...lost]
}

function findLicense(
  { id, url }: NonNullable<Description['rights']>,
  licenses: readonly Foreign[],
): number | undefined {
  const found = licenses.find((license) => {
    const own = textOf(license['url'])
    return own !== undefined && (own === url || licenseOf(own) === id)
  })
  return found === undefined ? undefined : Number(found['value'])
}

/** @see https://docs.figshare.com/#private_article_create */
const types: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'media'],
  ['Book', 'book'],
  ['BookChapter', 'book'],
  ['ComputationalNotebook', 'software'],
  ['ConferencePaper', 'conference contribution'],
  ['ConferenceProceeding', 'conference contribution'],
  ['DataPaper', 'journal contribution'],
  ['Dissertation', 'thesis'],
  ['Image', 'figure'],
  ['InteractiveResource', 'online resource'],
  ['JournalArticle', 'journal contribution'],
  ['Poster', 'poster'],
  ['Preprint', 'preprint'],
  ['Presentation', 'presentation'],
  ['Software', 'software'],
  ['Sound', 'media'],
])

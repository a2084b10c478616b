import type { Agent, Description } from '../../../core/describe/description.ts'
import { htmlOf } from '../../../core/exports/markdown-html.ts'
import type { Finding } from '../../output/finding.ts'
import type { Translation, Work } from '../port/repository.ts'

/** A field of the citation block. */
interface Field {
  readonly typeName: string
  readonly typeClass: 'primitive' | 'compound' | 'controlledVocabulary'
  readonly multiple: boolean
  readonly value: unknown
}

/** Dataverse's vocabulary of subjects. @see https://guides.dataverse.org/en/latest/user/appendix.html */
const subjects = [
  'Agricultural Sciences',
  'Arts and Humanities',
  'Astronomy and Astrophysics',
  'Business and Management',
  'Chemistry',
  'Computer and Information Science',
  'Earth and Environmental Sciences',
  'Engineering',
  'Law',
  'Mathematical Sciences',
  'Medicine, Health and Life Sciences',
  'Physics',
  'Social Sciences',
]

/** Agency of the marker among other identifiers. */
export const markerAgency = 'deposit'

/**
 * Our metadata as the citation block of a Dataverse.
 *
 * @param contact e-mail address of the person to ask, which every dataset has
 */
export function translateForDataverse(work: Work, contact: string | undefined): Translation {
  const { about, marker } = work
  return {
    marker,
    title: about.title ?? '',
    metadata: {
      ...licenseOf(about),
      // People can ask for files that are restricted. Without it, a dataset with such files is refused;
      // said always, files can be restricted and opened before and after the metadata are set.
      fileAccessRequest: true,
      ...(about.access.reason !== undefined && { termsOfAccess: about.access.reason }),
      metadataBlocks: {
        citation: { displayName: 'Citation Metadata', fields: fieldsOf(work, contact) },
      },
    },
    refused: refusedOf(about, contact),
    missing:
      about.rights === undefined
        ? [{ field: '/license', message: 'Dataverse would grant a license of its own choice.' }]
        : [],
    lost: lostOf(about),
  }
}

function refusedOf(about: Description, contact: string | undefined): Finding[] {
  const { title, creators, description, access } = about
  const need = (field: string): Finding => ({ field, message: 'Dataverse requires it.' })
  return [
    ...(title === undefined ? [need('/title')] : []),
    ...(creators.length === 0 ? [need('/creators')] : []),
    ...(description === undefined ? [need('/description')] : []),
    ...(contact === undefined
      ? [
          {
            field: '',
            message:
              'Dataverse requires the e-mail address of a contact, and your account there shows none: add the remote with --contact ADDRESS.',
          },
        ]
      : []),
    ...(access.until === undefined
      ? []
      : [
          {
            field: '/access',
            message: 'deposit does not set embargoes on Dataverse: the files would be public.',
          },
        ]),
  ]
}

function lostOf(about: Description): Finding[] {
  const { dates, contributors, locations, creators, subjects: terms, relations, funding } = about
  const { version, language, resourceType } = about
  const noPlace = 'Dataverse has no place for it.'
  const isOtherDate = ({ type, description }: Description['dates'][number]): boolean =>
    type !== 'Collected' || description !== undefined
  const losses: readonly (readonly [string, boolean, string])[] = [
    ['/dates', dates.some(isOtherDate), 'Dataverse takes dates of collection alone.'],
    ['/contributors', contributors.length > 0, noPlace],
    ['/locations', locations.length > 0, noPlace],
    ['/publisher', about.publisher.name !== '', 'A Dataverse is the publisher itself.'],
    ['/version', version !== undefined, 'Dataverse numbers versions itself.'],
    ['/language', language !== undefined, 'Dataverse wants one of its own names of languages.'],
    [
      '/resource_type',
      resourceType !== undefined && resourceType.id !== 'dataset',
      'Everything is a dataset there.',
    ],
    [
      '/creators',
      creators.some(({ affiliations }) => affiliations.length > 1),
      'Dataverse takes one affiliation of a person.',
    ],
    [
      '/creators',
      creators.some(({ affiliations }) => affiliations.some(({ ror }) => ror !== undefined)),
      'Dataverse takes affiliations without their identifiers.',
    ],
    [
      '/subjects',
      terms.some(({ url }) => url !== undefined),
      'Dataverse takes subjects without the addresses of their terms.',
    ],
    [
      '/related_identifiers',
      relations.length > 0,
      'Dataverse gets the identifiers, without the kinds of their relations.',
    ],
    [
      '/funding',
      funding.some(({ funderId, awardTitle, awardUrl }) =>
        [funderId, awardTitle, awardUrl].some((part) => part !== undefined),
      ),
      'Dataverse takes the names of funders and the numbers of grants alone.',
    ],
  ]
  return losses.flatMap(([field, isLost, message]) => (isLost ? [{ field, message }] : []))
}

function fieldsOf({ about, marker, identicalTo }: Work, contact: string | undefined): Field[] {
  const known = new Map(subjects.map((subject) => [subject.toLowerCase(), subject]))
  const words = [
    ...about.keywords.map((subject) => ({ subject, scheme: undefined })),
    ...about.subjects,
  ]
  const found = words.flatMap(({ subject }) => known.get(subject.toLowerCase()) ?? [])
  const keywords = words.filter(({ subject }) => !known.has(subject.toLowerCase()))
  const [creator] = about.creators
  return [
    text('title', about.title ?? ''),
    compound('otherId', [
      { otherIdAgency: markerAgency, otherIdValue: marker },
      ...about.alternateIdentifiers.map(({ identifier, scheme }) => ({
        otherIdAgency: scheme,
        otherIdValue: identifier,
      })),
    ]),
    compound('author', about.creators.map(toAuthor)),
    compound('datasetContact', [
      { datasetContactName: creator?.name, datasetContactEmail: contact },
    ]),
    compound('dsDescription', [
      { dsDescriptionValue: htmlOf(about.description) },
      ...(about.methods === undefined ? [] : [{ dsDescriptionValue: htmlOf(about.methods) }]),
    ]),
    subjectOf(found),
    compound(
      'keyword',
      keywords.map(({ subject, scheme }) => ({ keywordValue: subject, keywordVocabulary: scheme })),
    ),
    compound('publication', about.relations.map(toPublication)),
    ...(about.notes === undefined ? [] : [text('notesText', about.notes)]),
    text('productionDate', about.date),
    compound(
      'grantNumber',
      about.funding.flatMap(({ funder, award }) =>
        funder === undefined && award === undefined
          ? []
          : [{ grantNumberAgency: funder, grantNumberValue: award }],
      ),
    ),
    compound(
      'dateOfCollection',
      about.dates
        .filter(({ type }) => type === 'Collected')
        .map(({ date }) => {
          const [start, end = start] = date.split('/')
          return { dateOfCollectionStart: start, dateOfCollectionEnd: end }
        }),
    ),
    texts('otherReferences', [...about.references, ...identicalTo]),
  ].filter(({ value }) => !Array.isArray(value) || value.length > 0)
}

function subjectOf(found: readonly string[]): Field {
  const value = found.length > 0 ? [...new Set(found)] : ['Other']
  return { typeName: 'subject', typeClass: 'controlledVocabulary', multiple: true, value }
}

function toAuthor({ name, affiliations, orcid }: Agent) {
  return {
    authorName: name,
    authorAffiliation: affiliations[0]?.name,
    ...(orcid !== undefined && {
      authorIdentifierScheme: 'ORCID',
      authorIdentifier: orcid.replace('https://orcid.org/', ''),
    }),
  }
}

function toPublication({ identifier, url }: Description['relations'][number]) {
  return { publicationCitation: identifier, publicationURL: url }
}

function text(typeName: string, value: string): Field {
  return { typeName, typeClass: 'primitive', multiple: false, value }
}

function texts(typeName: string, value: readonly string[]): Field {
  return { typeName, typeClass: 'primitive', multiple: true, value }
}

const vocabularies = new Set(['authorIdentifierScheme'])

function compound(
  typeName: string,
  values: readonly Readonly<Record<string, string | undefined>>[],
): Field {
  const value = values.map((parts) =>
    Object.fromEntries(
      Object.entries(parts).flatMap(([name, part]) => {
        const typeClass = vocabularies.has(name) ? 'controlledVocabulary' : 'primitive'
        const field = { typeName: name, multiple: false, typeClass, value: part }
        return part === undefined || part === '' ? [] : [[name, field] as const]
      }),
    ),
  )
  return { typeName, typeClass: 'compound', multiple: true, value }
}

/** A license that every Dataverse may have, or terms in words. */
function licenseOf({ rights }: Description): Readonly<Record<string, unknown>> {
  if (rights === undefined) return {}
  if (rights.id === 'CC0-1.0')
    return { license: { name: 'CC0 1.0', uri: 'http://creativecommons.org/publicdomain/zero/1.0' } }
  const [, terms, version] = /^CC-(BY(?:-NC)?(?:-SA|-ND)?)-(4\.0)$/.exec(rights.id ?? '') ?? []
  if (terms === undefined)
    return { termsOfUse: [rights.name, rights.url].filter(Boolean).join(', ') }
  const uri = `http://creativecommons.org/licenses/${terms.toLowerCase()}/${version}`
  return { license: { name: `CC ${terms} ${version}`, uri } }
}

import { toZenodo } from '../../../core/exports/zenodo.ts'
import { termOf, identifierTypes } from '../../../core/contract/datacite.ts'
import type { Finding } from '../../output/finding.ts'
import type { Translation, Work } from '../port/repository.ts'
import { stays, withoutIdentifiers } from '../port/stays-here.ts'
import { listOf } from '../port/values.ts'

/** Without them, Zenodo publishes nothing. @see https://developers.zenodo.org/#representation */
const required: Readonly<Record<string, string>> = {
  title: 'title',
  creators: 'creators',
  upload_type: 'resource_type',
}

/** Its kinds of contributors. @see https://developers.zenodo.org/#representation */
const contributorKinds = new Set(
  `ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Other Producer
  ProjectLeader ProjectManager ProjectMember RegistrationAgency RegistrationAuthority RelatedPerson
  Researcher ResearchGroup RightsHolder Sponsor Supervisor WorkPackageLeader`.split(/\s+/),
)

/** Our metadata as those of Zenodo, with what it would refuse and what it loses. */
export function translateForZenodo(work: Work): Translation {
  const { about, marker, identicalTo, hasFiles, ofZenodo } = work
  const metadata = { ...ofZenodo, ...withMore(about) }
  const related = [
    ...listOf(metadata['related_identifiers']),
    ...identicalTo.map((identifier) => ({ identifier, relation: 'isIdenticalTo' })),
    { identifier: marker, relation: 'isAlternateIdentifier', scheme: 'urn' },
  ]
  const missing = Object.entries(required).flatMap(([name, ours]) =>
    metadata[name] === undefined ? [{ field: `/${ours}`, message: 'Zenodo requires it.' }] : [],
  )
  return {
    marker,
    title: about.title ?? '',
    metadata: {
      ...metadata,
      // Zenodo writes one of its own where there is none.
      description: metadata['description'] ?? about.title ?? '',
      related_identifiers: related,
    },
    refused: [],
    missing: [...missing, ...missingOf(metadata, hasFiles)],
    lost: lostOf(metadata, about),
  }
}

/** With what its exports leave out: they are read by others as well. */
function withMore(about: Work['about']): Readonly<Record<string, unknown>> {
  const metadata = toZenodo(about)
  const { publisher, keywords, subjects } = about
  // A subject has the address of its term there; another is a keyword.
  const terms = subjects.flatMap(({ subject, url }) => (url === undefined ? [subject] : []))
  const words = [...new Set([...keywords, ...terms])]
  const contributors = listOf(metadata['contributors']).map(({ type, ...person }) => ({
    ...person,
    type: contributorKinds.has(String(type)) ? type : 'Other',
  }))
  return {
    ...metadata,
    ...(publisher.name !== '' && { imprint_publisher: publisher.name }),
    ...(words.length > 0 && { keywords: words }),
    ...(contributors.length > 0 && { contributors }),
  }
}

function missingOf(metadata: Readonly<Record<string, unknown>>, hasFiles: boolean): Finding[] {
  const { title, access_right: right, license } = metadata
  const isOpen = right === 'open' || right === 'embargoed'
  return [
    ...(typeof title === 'string' && title.length < 3
      ? [{ field: '/title', message: 'Zenodo takes titles of three characters or more.' }]
      : []),
    // Without one Zenodo chooses a license, which nobody here has granted.
    ...(isOpen && license === undefined
      ? [{ field: '/license', message: 'Zenodo would grant a license of its own choice.' }]
      : []),
    ...(hasFiles ? [] : [{ field: '', message: 'Zenodo publishes no record without files.' }]),
  ]
}

function lostOf(metadata: Readonly<Record<string, unknown>>, about: Work['about']): Finding[] {
  const { funding, dates, language, locations, subjects, contributors, resourceType } = about
  const { rights, access, alternateIdentifiers } = about
  const fewer = (all: readonly unknown[], name: string): boolean =>
    all.length > listOf(metadata[name]).length
  const isUntyped = metadata['upload_type'] === 'other' && resourceType?.id !== 'other'
  const losses: readonly (readonly [string, boolean, string])[] = [
    [
      'resource_type',
      resourceType !== undefined && isUntyped,
      `Zenodo has no type for ${resourceType?.id}, and shows it as another kind of work`,
    ],
    [
      'contributors',
      contributors.some(({ role }) => !contributorKinds.has(role)),
      'Zenodo does not know every role that is named, and shows the others as Other',
    ],
    [
      'subjects',
      subjects.some(({ scheme, url }) => scheme !== undefined && url === undefined),
      'Zenodo takes subjects without an address of their term as keywords, without their scheme',
    ],
    [
      'alternate_identifiers',
      alternateIdentifiers.some(
        ({ scheme }) => termOf(identifierTypes, scheme ?? '') === undefined,
      ),
      'Zenodo takes identifiers of the kinds that it knows alone',
    ],
    [
      'funding',
      fewer(funding, 'grants'),
      'Zenodo takes grants alone whose funder has a Crossref Funder ID',
    ],
    [
      'dates',
      fewer(dates, 'dates'),
      'Zenodo takes dates of the types collected, valid and withdrawn alone',
    ],
    [
      'language',
      language !== undefined && metadata['language'] === undefined,
      'Zenodo accepts only three-letter language codes',
    ],
    [
      'locations',
      locations.some(({ box, place }) => box !== undefined || place === undefined),
      'Zenodo takes places with a name and a point alone',
    ],
    [
      'license',
      rights !== undefined && rights.id === undefined,
      'Zenodo takes licenses by their SPDX identifiers alone',
    ],
    [
      'access',
      access.reason !== undefined && metadata['access_conditions'] === undefined,
      'Zenodo has no place for the reason of an embargo',
    ],
  ]
  const lost = losses.flatMap(([field, isLost, because]) => (isLost ? [stays(field, because)] : []))
  return [...lost, ...withoutIdentifiers(about, 'Zenodo')]
}

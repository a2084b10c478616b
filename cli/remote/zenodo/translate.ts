import { toZenodo } from '../../../core/exports/zenodo.ts'
import type { Finding } from '../../output/finding.ts'
import type { Translation, Work } from '../port/repository.ts'
import { listOf } from '../port/values.ts'

/** Without them, Zenodo publishes nothing. @see https://developers.zenodo.org/#representation */
const required: Readonly<Record<string, string>> = {
  title: 'title',
  creators: 'creators',
  upload_type: 'resource_type',
}

/** Our metadata as those of Zenodo, with what it would refuse and what it loses. */
export function translateForZenodo({ about, marker, identicalTo, hasFiles }: Work): Translation {
  const metadata = toZenodo(about)
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
  const lose = (field: string, message: string): Finding => ({ field, message })
  const grants = listOf(metadata['grants']).length
  const dates = listOf(metadata['dates']).length
  const boxes = about.locations.filter(({ box, place }) => box !== undefined || place === undefined)
  return [
    ...(about.funding.length > grants
      ? [lose('/funding', 'Zenodo takes grants alone whose funder has a Crossref Funder ID.')]
      : []),
    ...(about.dates.length > dates
      ? [lose('/dates', 'Zenodo takes dates of the types collected, valid and withdrawn alone.')]
      : []),
    ...(about.language !== undefined && metadata['language'] === undefined
      ? [lose('/language', 'Zenodo accepts only three-letter language codes.')]
      : []),
    ...(boxes.length > 0
      ? [lose('/locations', 'Zenodo takes places with a name and a point alone.')]
      : []),
  ]
}

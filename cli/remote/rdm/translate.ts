import { toRdm, toRdmAccess } from '../../../core/exports/rdm.ts'
import type { Finding } from '../../output/finding.ts'
import type { Translation, Work } from '../port/repository.ts'
import { stays, withoutIdentifiers } from '../port/stays-here.ts'
import { listOf, objectOf } from '../port/values.ts'

/** Without them, InvenioRDM publishes nothing. */
const required: Readonly<Record<string, string>> = {
  title: 'title',
  creators: 'creators',
  resource_type: 'resource_type',
}

/**
 * Our metadata as those of an InvenioRDM.
 *
 * @param host named as the publisher, where the document names none
 */
export function translateForRdm(work: Work, host: string): Translation {
  const { about, marker, identicalTo, hasFiles } = work
  const metadata = toRdm(about)
  const missing = Object.entries(required).flatMap(([name, ours]) =>
    metadata[name] === undefined ? [{ field: `/${ours}`, message: 'InvenioRDM requires it.' }] : [],
  )
  const { title } = about
  return {
    marker,
    title: title ?? '',
    metadata: {
      access: toRdmAccess(about),
      files: { enabled: hasFiles },
      metadata: {
        publisher: host,
        ...metadata,
        identifiers: [...listOf(metadata['identifiers']), { identifier: marker, scheme: 'urn' }],
        related_identifiers: [
          ...listOf(metadata['related_identifiers']),
          ...identicalTo.map((identifier) => ({
            identifier,
            scheme: identifier.startsWith('10.') ? 'doi' : 'url',
            relation_type: { id: 'isidenticalto' },
          })),
        ],
      },
    },
    refused: [],
    missing: [
      ...missing,
      ...(title !== undefined && title.length < 3
        ? [{ field: '/title', message: 'InvenioRDM takes titles of three characters or more.' }]
        : []),
    ],
    lost: lostOf(work, metadata),
  }
}

function lostOf({ about }: Work, metadata: Readonly<Record<string, unknown>>): Finding[] {
  const { relations, alternateIdentifiers, language, locations, subjects, funding, access } = about
  const { resourceType } = about
  const fewer = (all: readonly unknown[], name: string): boolean =>
    all.length > listOf(metadata[name]).length
  const kinds = 'InvenioRDM takes identifiers of the kinds that it knows alone'
  const type = objectOf(metadata['resource_type'])['id']
  const losses: readonly (readonly [string, boolean, string])[] = [
    [
      'resource_type',
      type === 'other' && resourceType?.id !== 'other',
      `InvenioRDM has no type for ${resourceType?.id}, and shows it as another kind of work`,
    ],
    ['related_identifiers', fewer(relations, 'related_identifiers'), kinds],
    ['alternate_identifiers', fewer(alternateIdentifiers, 'identifiers'), kinds],
    [
      'language',
      language !== undefined && metadata['languages'] === undefined,
      'InvenioRDM does not know this language',
    ],
    [
      'locations',
      locations.some(({ box }) => box !== undefined),
      'InvenioRDM takes places and points, and no boxes',
    ],
    [
      'subjects',
      subjects.some(({ scheme, url }) => scheme !== undefined || url !== undefined),
      'InvenioRDM gets subjects as words, without their schemes and addresses',
    ],
    [
      'funding',
      funding.some(({ funder, funderId }) => funder !== undefined && funderId !== undefined),
      'InvenioRDM gets funders by their names, without their identifiers',
    ],
    [
      'access',
      access.reason !== undefined && access.until === undefined,
      'InvenioRDM has a place for the reason of an embargo alone',
    ],
  ]
  const lost = losses.flatMap(([field, isLost, because]) => (isLost ? [stays(field, because)] : []))
  return [...lost, ...withoutIdentifiers(about, 'InvenioRDM')]
}

import { toRdm, toRdmAccess } from '../../../core/exports/rdm.ts'
import type { Finding } from '../../output/finding.ts'
import type { Translation, Work } from '../port/repository.ts'
import { listOf } from '../port/values.ts'

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
  const lose = (field: string, message: string): Finding => ({ field, message })
  const fewer = (all: readonly unknown[], name: string): boolean =>
    all.length > listOf(metadata[name]).length
  return [
    ...(fewer(about.relations, 'related_identifiers')
      ? [
          lose(
            '/related_identifiers',
            'InvenioRDM takes identifiers of the kinds that it knows alone.',
          ),
        ]
      : []),
    ...(fewer(about.alternateIdentifiers, 'identifiers')
      ? [
          lose(
            '/alternate_identifiers',
            'InvenioRDM takes identifiers of the kinds that it knows alone.',
          ),
        ]
      : []),
    ...(about.language !== undefined && metadata['languages'] === undefined
      ? [lose('/language', 'InvenioRDM does not know this language.')]
      : []),
    ...(about.locations.some(({ box }) => box !== undefined)
      ? [lose('/locations', 'InvenioRDM takes places and points, and no boxes.')]
      : []),
  ]
}

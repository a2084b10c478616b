import { Type } from 'typebox'
import { defaultRevisionsSize } from '../../../core/contract/defaults.ts'
import { metadataDocument, recordBody } from '../../../core/contract/schemas.ts'
import { writeScope } from '../../../core/contract/scopes.ts'
import type { ApiRoutes } from '../../config/endpoints.ts'
import { linksetType } from '../../config/links.ts'
import { linksetBody, patches } from './bodies.ts'
import type { Listed, Operation } from './operation.ts'
import {
  conditionalChange,
  conditionalRead,
  json,
  paging,
  unchanged,
  validators,
} from './parameters.ts'

const revisionsOfPage = Type.Optional(
  Type.Integer({
    minimum: 1,
    default: defaultRevisionsSize,
    description: 'A page of more than 8 MiB ends early; follow `next` to its rest.',
  }),
)

/** The published record. */
export function recordOperations(
  routes: ApiRoutes,
  query: NonNullable<Operation['query']>,
): Listed {
  const about = { tag: 'records', needs: 'public' } as const
  const answerHeaders = [...validators, 'Link'] as const
  const read = { headers: conditionalRead, answers: unchanged, answerHeaders }
  const correct = {
    headers: conditionalChange,
    needs: [writeScope],
    answerHeaders,
  } as const
  return [
    [
      `GET ${routes.recordList}`,
      {
        ...about,
        id: 'searchRecords',
        summary: 'Search what was published',
        query,
        answerHeaders: ['Link'],
      },
    ],
    [`GET ${routes.recordItem}`, { ...about, ...read, id: 'readRecord', summary: 'Read a record' }],
    [
      `PUT ${routes.recordItem}`,
      {
        ...about,
        ...correct,
        id: 'replaceRecord',
        summary: 'Correct a record, as an administrator: makes a new revision',
        body: json(metadataDocument),
      },
    ],
    [
      `PATCH ${routes.recordItem}`,
      {
        ...about,
        ...correct,
        id: 'patchRecord',
        summary: 'Correct a record by a JSON Patch, as an administrator',
        body: patches,
      },
    ],
    [
      `GET ${routes.recordPage}`,
      {
        ...about,
        id: 'readRecordPage',
        summary: 'Read a record at the address it is cited by',
        details: 'A page for people, JSON or all its links for programs, by `Accept`.',
        headers: conditionalRead,
        answers: {
          200: {
            description: 'The record.',
            content: {
              'text/html': Type.String(),
              'application/json': recordBody,
              [linksetType]: linksetBody,
            },
          },
          ...unchanged,
        },
        answerHeaders: [...validators, 'Link', 'Cache-Control'],
      },
    ],
    [
      `GET ${routes.recordLinkset}`,
      {
        ...about,
        id: 'readLinkset',
        summary: 'Read all typed links of a record: its files, authors, license and formats',
        headers: conditionalRead,
        answers: {
          200: { description: 'The links (RFC 9264).', content: { [linksetType]: linksetBody } },
          ...unchanged,
        },
        answerHeaders: validators,
      },
    ],
    [
      `GET ${routes.revisionList}`,
      {
        ...about,
        id: 'listRevisions',
        summary: 'List the revisions of a record, oldest first; `Link` leads to the next page',
        query: { ...paging, size: revisionsOfPage },
        answerHeaders: ['Link'],
        answers: { 200: { description: 'The revisions.', content: json(Type.Array(recordBody)) } },
      },
    ],
    [
      `GET ${routes.revisionItem}`,
      { ...about, ...read, id: 'readRevision', summary: 'Read a revision of a record' },
    ],
  ]
}

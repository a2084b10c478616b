import { Type } from 'typebox'
import { fileBody, sortBody } from '../../../core/contract/schemas.ts'
import { writeScope } from '../../../core/contract/scopes.ts'
import type { ApiRoutes } from '../../config/endpoints.ts'
import { bundleForm, uploadForm } from './bodies.ts'
import type { Listed } from './operation.ts'
import {
  conditionalChange,
  conditionalRead,
  digestHeaders,
  elsewhere,
  filePaging,
  gone,
  json,
  rangeHeaders,
  repeatable,
  sentBytes,
  unchanged,
  validators,
  versionId,
} from './parameters.ts'

/** The files of a deposit. */
export function fileOperations(routes: ApiRoutes): Listed {
  const about = { tag: 'files', needs: [writeScope] } as const
  const headers = conditionalChange
  const revision = { answerHeaders: ['Deposit-Revision'] } as const
  return [
    [
      `GET ${routes.fileList}`,
      {
        ...about,
        id: 'listFiles',
        summary: 'List the files of a deposit in their order',
        needs: [],
        query: filePaging,
        answerHeaders: ['Link'],
      },
    ],
    [
      `POST ${routes.fileList}`,
      {
        ...about,
        id: 'uploadFile',
        summary: 'Add a file by a form',
        headers: { ...headers, ...repeatable },
        body: { 'multipart/form-data': uploadForm },
        answerHeaders: ['Deposit-Revision', 'Location'],
      },
    ],
    [
      `POST ${routes.bundleList}`,
      {
        ...about,
        ...revision,
        id: 'uploadBundle',
        summary: 'Add many small files by a form, all or none',
        headers: { ...headers, ...repeatable },
        body: { 'multipart/form-data': bundleForm },
      },
    ],
    [
      `PUT ${routes.fileList}`,
      {
        ...about,
        ...revision,
        id: 'sortFiles',
        summary: 'Sort the files',
        answerHeaders: ['Deposit-Revision', 'Link'],
        headers,
        body: json(sortBody),
      },
    ],
  ]
}

/** The same files as objects of a bucket. */
export function objectOperations(routes: ApiRoutes): Listed {
  const about = { tag: 'files', needs: [writeScope] } as const
  const headers = conditionalChange
  const revision = { answerHeaders: ['Deposit-Revision'] } as const
  const readBytes = {
    200: { description: 'The file.', content: sentBytes },
    206: { description: 'The range.', content: sentBytes },
    ...elsewhere,
    ...unchanged,
  }
  return [
    [
      `GET ${routes.bucket}`,
      {
        ...about,
        id: 'listObjects',
        summary: 'List the files of a bucket',
        details: 'Those of a record are public.',
        needs: 'public',
        optionalToken: true,
        query: {
          versions: Type.Optional(
            Type.String({ description: 'Empty, `true` or `1` lists every version.' }),
          ),
          ...filePaging,
        },
        answerHeaders: ['Link'],
        answers: { 200: { description: 'The files.', content: json(Type.Array(fileBody)) } },
      },
    ],
    [
      `GET ${routes.object}`,
      {
        ...about,
        id: 'readObject',
        summary: 'Read the bytes of a file',
        details: 'Those of a record are public.',
        needs: 'public',
        optionalToken: true,
        query: {
          versionId,
          ticket: Type.Optional(Type.String({ description: 'Of a link made by POST.' })),
        },
        headers: { ...conditionalRead, ...rangeHeaders },
        answers: readBytes,
        answerHeaders: [...validators, 'Accept-Ranges', 'Content-Range', 'Repr-Digest', 'Link'],
      },
    ],
    [
      `POST ${routes.object}`,
      {
        ...about,
        id: 'linkDownload',
        summary: 'Make a link that downloads the file once, within a minute, without a token',
        needs: [],
        query: { versionId },
        answerHeaders: ['Location'],
      },
    ],
    [
      `PUT ${routes.object}`,
      {
        ...about,
        ...revision,
        id: 'writeObject',
        summary: 'Write a file, or a new version of one, as a stream of bytes',
        headers: { ...headers, ...repeatable, ...digestHeaders },
        body: sentBytes,
      },
    ],
    [
      `DELETE ${routes.object}`,
      {
        ...about,
        ...revision,
        id: 'deleteObject',
        summary: 'Delete a file with its versions',
        headers,
        answers: gone,
      },
    ],
  ]
}

import { Type } from 'typebox'
import { writeScope } from '../../../core/contract/scopes.ts'
import type { ApiRoutes } from '../../config/endpoints.ts'
import type { Listed } from './operation.ts'
import { bytes, filePaging, gone } from './parameters.ts'

const tusVersion = {
  'tus-resumable': Type.String({
    enum: ['1.0.0'],
    default: '1.0.0',
    description: 'Version of the protocol.',
  }),
}

const uploadChecksum = Type.Optional(
  Type.String({
    description: 'Algorithm and Base64 of the digest of this body: `sha256 47DEQpj8…`.',
  }),
)

/** Headers of a new upload. @see https://tus.io/protocols/resumable-upload#creation */
const newUpload = {
  ...tusVersion,
  'upload-length': Type.Optional(
    Type.Integer({ minimum: 0, description: 'Bytes of the whole file; not of a concatenation.' }),
  ),
  'upload-defer-length': Type.Optional(
    Type.String({
      enum: ['1'],
      description: 'In place of `upload-length`: a later request will tell it.',
    }),
  ),
  'upload-metadata': Type.Optional(
    Type.String({
      description:
        'Pairs of a name and the Base64 of a value, with commas between: `filename` (the key), ' +
        '`checksum`, `replace`.',
      examples: ['filename ZGF0YS5jc3Y='],
    }),
  ),
  'upload-concat': Type.Optional(
    Type.String({ description: '`partial`, or `final;` and the URLs of the parts.' }),
  ),
  'upload-checksum': uploadChecksum,
}

/** Files that arrive in pieces. */
export function uploadOperations(routes: ApiRoutes): Listed {
  const about = { tag: 'uploads', needs: [writeScope] } as const
  const arrived = { 204: { description: 'The bytes have arrived.' } }
  return [
    [
      `GET ${routes.uploadList}`,
      {
        ...about,
        id: 'listUploads',
        summary: 'List the uploads that are not finished',
        needs: [],
        query: filePaging,
        answerHeaders: ['Link'],
      },
    ],
    [
      `POST ${routes.uploadList}`,
      {
        ...about,
        id: 'beginUpload',
        summary: 'Begin an upload by the tus protocol',
        details: 'Its first bytes may be sent along.',
        headers: newUpload,
        body: { 'application/offset+octet-stream': bytes },
        answers: { 201: { description: 'It has begun.' } },
        answerHeaders: ['Location', 'Upload-Offset', 'Upload-Expires', 'Tus-Resumable'],
      },
    ],
    [
      `HEAD ${routes.uploadItem}`,
      {
        ...about,
        id: 'readUpload',
        summary: 'Tell how much of an upload has arrived',
        needs: [],
        headers: tusVersion,
        answers: { 200: { description: 'The offset.' } },
        answerHeaders: [
          'Upload-Offset',
          'Upload-Length',
          'Upload-Defer-Length',
          'Upload-Expires',
          'Tus-Resumable',
        ],
      },
    ],
    [
      `PATCH ${routes.uploadItem}`,
      {
        ...about,
        id: 'continueUpload',
        summary: 'Send bytes of an upload; the last make it a file',
        headers: {
          ...tusVersion,
          'upload-offset': Type.Integer({ minimum: 0, description: 'Where these bytes begin.' }),
          'upload-length': Type.Optional(
            Type.Integer({
              minimum: 0,
              description: 'Bytes of the whole file, once, where the length was deferred.',
            }),
          ),
          'upload-checksum': uploadChecksum,
        },
        body: { 'application/offset+octet-stream': bytes },
        answers: arrived,
        answerHeaders: ['Upload-Offset', 'Upload-Expires', 'Content-Location', 'Deposit-Revision'],
      },
    ],
    [
      `DELETE ${routes.uploadItem}`,
      {
        ...about,
        id: 'giveUpUpload',
        summary: 'Give up an upload',
        headers: tusVersion,
        answers: gone,
      },
    ],
  ]
}

import { writeScope } from '../../core/contract/scopes.ts'
import type { ApiRoutes } from '../endpoints.ts'
import type { Listed } from './operation.ts'
import { bytes, gone } from './parameters.ts'

/** Files that arrive in pieces. */
export function uploadOperations(routes: ApiRoutes): Listed {
  const about = { tag: 'uploads', needs: [writeScope] } as const
  const arrived = { 204: { description: 'The bytes have arrived.' } }
  return [
    [
      `GET ${routes.uploadList}`,
      { ...about, id: 'listUploads', summary: 'List the uploads that are not finished', needs: [] },
    ],
    [
      `POST ${routes.uploadList}`,
      {
        ...about,
        id: 'beginUpload',
        summary: 'Begin an upload by the tus protocol',
        answers: { 201: { description: 'It has begun.' } },
        answerHeaders: ['Location', 'Upload-Offset'],
      },
    ],
    [
      `HEAD ${routes.uploadItem}`,
      {
        ...about,
        id: 'readUpload',
        summary: 'Tell how much of an upload has arrived',
        needs: [],
        answers: { 200: { description: 'The offset.' } },
        answerHeaders: ['Upload-Offset'],
      },
    ],
    [
      `PATCH ${routes.uploadItem}`,
      {
        ...about,
        id: 'continueUpload',
        summary: 'Send bytes of an upload; the last make it a file',
        body: { 'application/offset+octet-stream': bytes },
        answers: arrived,
        answerHeaders: ['Upload-Offset'],
      },
    ],
    [
      `DELETE ${routes.uploadItem}`,
      { ...about, id: 'giveUpUpload', summary: 'Give up an upload', answers: gone },
    ],
  ]
}

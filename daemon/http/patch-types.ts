import type { FastifyRequest } from 'fastify'
import type { PatchForm } from '../../core/index.ts'
import { essence } from './media-types.ts'

/** What a PATCH of a document may be written as; plain JSON is taken for operations. */
export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/json',
] as const

/** `Accept-Patch`: plain JSON is no format of patches, and is not offered. @see RFC 5789 §3.1 */
export const acceptPatch = patchTypes.slice(0, 2).join(', ')

/** How the patch in the body of a request is written. */
export function patchForm({ headers }: FastifyRequest): PatchForm {
  const isMerge = essence(headers['content-type']) === 'application/merge-patch+json'
  return isMerge ? 'merge' : 'operations'
}

import type { FastifyContextConfig } from 'fastify'
import { problems, type ProblemCode } from '../../../core/contract/problems.ts'
import { mostFaults } from '../rules.ts'
import { toInvenioTombstone } from '../tombstone.ts'

/** Where Zenodo answers with another status than we do. */
const statuses: Partial<Record<ProblemCode, number>> = {
  precondition_failed: 400,
  quota_exceeded: 400,
  file_too_large: 400,
  storage_full: 503,
}

/** Where clients know the words. */
const words: Partial<Record<ProblemCode, string>> = {
  invalid_document: 'Validation error.',
  unauthenticated:
    'The server could not verify that you are authorized to access the URL requested. You either supplied the wrong credentials, or your client does not know how to supply the credentials required.',
}

type WriteProblem = NonNullable<FastifyContextConfig['writeProblem']>

/**
 * A failure in the shape of Zenodo's: `{status, message, errors: [{field, message}]}`. A field of the
 * metadata is named by its path with dots.
 */
export const toZenodoProblem: WriteProblem = ({ code, message, faults, tombstone }) => {
  const status = statuses[code] ?? problems[code].status
  const said = code === 'quota_exceeded' ? `Bucket quota exceeded. ${message}` : words[code]
  return {
    status,
    message: said ?? message,
    ...(faults.length > 0 && { errors: faults.slice(0, mostFaults).map(toZenodoFault) }),
    ...(tombstone && { tombstone: toInvenioTombstone(tombstone) }),
  }
}

interface Told {
  readonly field?: string
  readonly message?: string
  /** A number of Zenodo's. */
  readonly code?: number
}

function toZenodoFault({ field = '', message, code }: Told): object {
  return {
    field: field === '' ? null : toPath(field),
    message,
    ...(code !== undefined && { code }),
  }
}

/** A JSON pointer into our document is a path in the metadata; other names are as they are. */
function toPath(field: string): string {
  if (!field.startsWith('/')) return field
  const parts = field.slice(1).split('/')
  // A body that cannot be read as JSON is named from its top.
  const path = parts[0] === 'metadata' ? parts : ['metadata', ...parts]
  return path.join('.').replaceAll('~1', '/').replaceAll('~0', '~')
}

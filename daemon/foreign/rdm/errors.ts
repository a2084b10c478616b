import type { FastifyContextConfig } from 'fastify'
import { problems, type ProblemCode } from '../../../core/contract/problems.ts'
import { mostFaults } from '../rules.ts'
import { toInvenioTombstone } from '../tombstone.ts'

/** Where InvenioRDM answers with another status than we do. */
const statuses: Partial<Record<ProblemCode, number>> = {
  precondition_failed: 400,
  quota_exceeded: 400,
  file_too_large: 400,
  storage_full: 503,
  invalid_action: 400,
  files_frozen: 403,
}

/** Where clients know the words. */
const words: Partial<Record<ProblemCode, string>> = {
  invalid_document: 'A validation error occurred.',
  deposit_not_found: 'The persistent identifier does not exist.',
  record_not_found: 'The persistent identifier does not exist.',
  permission_denied: 'Permission denied.',
  record_withdrawn: 'Record deleted',
}

type WriteProblem = NonNullable<FastifyContextConfig['writeProblem']>

/**
 * A failure in the shape of InvenioRDM's: `{status, message, errors: [{field, messages}]}`. A field of
 * the metadata is named by its path with dots.
 */
export const toRdmProblem: WriteProblem = ({ code, message, faults, tombstone }) => {
  const told: readonly Told[] = faults.slice(0, mostFaults)
  const errors = [...Map.groupBy(told, ({ field = '' }) => toPath(field))].map(([field, all]) => ({
    field,
    messages: all.flatMap((fault) => fault.message ?? []),
  }))
  return {
    status: statuses[code] ?? problems[code].status,
    message: words[code] ?? message,
    ...(errors.length > 0 && { errors }),
    ...(tombstone && { tombstone: toInvenioTombstone(tombstone) }),
  }
}

interface Told {
  readonly field?: string
  readonly message?: string
}

/** A JSON pointer into our document is a path in the metadata; other names are as they are. */
function toPath(field: string): string {
  if (!field.startsWith('/')) return field
  const parts = field.slice(1).split('/')
  // A body that cannot be read as JSON is named from its top.
  const path = parts[0] === 'metadata' ? parts : ['metadata', ...parts]
  return path.join('.').replaceAll('~1', '/').replaceAll('~0', '~')
}

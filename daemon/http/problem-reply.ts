import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import type { ProblemBody } from '../../core/contract/schemas.ts'
import type { TombstoneBody } from '../../core/contract/withdrawal.ts'
import { isProblem, type DepositError } from '../../core/index.ts'

/** The answer to a failure: its code, its message, and every fault at once. */
export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  readonly faults: readonly object[]
  /** Of a record that was withdrawn. */
  readonly tombstone?: TombstoneBody
}

/** The body of an error, in the one shape that all errors have. */
export function toProblemBody(
  { code, message, faults, tombstone }: Problem,
  requestId: string,
): ProblemBody {
  return {
    status: problems[code].status,
    message,
    code,
    ...(faults.length > 0 ? { errors: faults as ProblemBody['errors'] & object } : {}),
    ...(tombstone && { tombstone }),
    request_id: requestId,
  }
}

/** True for an answer to the caller; false where the service itself fails, and a retry may help. */
export function isRefusal(error: unknown): error is DepositError {
  return isProblem(error) && problems[error.code].status < 500
}

/** The problem that a thrown value is for a client; undefined for a bug, which clients do not see. */
export function toProblem(error: unknown): Problem | undefined {
  if (isProblem(error)) return error
  if (!isFrameworkError(error)) return undefined
  if (error.validation) return fromValidation(error)
  const code = frameworkCodes.get(error.code) ?? byStatus(error.statusCode)
  return code && { code, message: problems[code].message, faults: [] }
}

/** @see https://ajv.js.org/api.html#error-objects */
interface Violation {
  readonly instancePath: string
  readonly keyword?: string
  readonly params?: { readonly allowedValue?: unknown }
  readonly message?: string
}

/** Errors of the framework: fastify's own, and those of its validator. */
interface FrameworkError extends Error {
  readonly code: string
  readonly statusCode: number
  readonly validation?: readonly Violation[]
  readonly validationContext?: string
}

function isFrameworkError(error: unknown): error is FrameworkError {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
}

const frameworkCodes = new Map<string, ProblemCode>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'malformed_json'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'malformed_request'],
])

function byStatus(status: number): ProblemCode | undefined {
  if (status === 413) return 'body_too_large'
  if (status === 415) return 'unsupported_media_type'
  return status >= 400 && status < 500 ? 'malformed_request' : undefined
}

function fromValidation({ validation = [], validationContext = '' }: FrameworkError): Problem {
  const code = 'malformed_request'
  const faults = inWords(validation).map(({ instancePath, message = 'is wrong' }) => ({
    field: instancePath || validationContext,
    message,
  }))
  return { code, message: problems[code].message, faults }
}

/** Of a choice the validator names each value by itself, and then that none of them fits. */
function inWords(violations: readonly Violation[]): readonly Violation[] {
  const choices = new Map<string, unknown[]>()
  for (const { instancePath, keyword, params } of violations) {
    if (keyword !== 'const') continue
    choices.set(instancePath, [...(choices.get(instancePath) ?? []), params?.allowedValue])
  }
  return violations.flatMap((violation) => {
    const { instancePath, keyword } = violation
    const values = choices.get(instancePath)
    if (values === undefined || values.length < 2) return [violation]
    if (keyword === 'const') return []
    if (keyword !== 'anyOf') return [violation]
    return [{ instancePath, message: `must be one of ${values.map(String).join(', ')}` }]
  })
}

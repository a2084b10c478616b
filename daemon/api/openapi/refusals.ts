import { problems } from '../../../core/contract/problems.ts'
import { problemBody } from '../../../core/contract/schemas.ts'
import { keepNames } from './hoist-schemas.ts'
import type { Operation } from '../../http/route.ts'

// Importing the module loads the fetch of Node.js with it.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * The statuses of the problems that an operation may meet, from what it takes and needs. There is no
 * `default`: generators take it for an answer that succeeds.
 */
export function refusalsOf(operation: Operation, url: string): readonly number[] {
  const { scopes, headers = {}, tag, body, optionalToken = false } = operation
  const hasBody = body !== undefined
  const asksForToken = scopes !== 'public' || optionalToken
  const isOfDeposit = url.includes(':pid_value') || url.includes(':bucket')
  const has = (name: string): boolean => Object.hasOwn(headers, name)
  const isUpload = tag === 'uploads'
  const isOfPeople = tag === 'people'
  const found: readonly (readonly [number, boolean])[] = [
    [400, true],
    [401, asksForToken],
    [403, asksForToken],
    [404, url.includes(':') || url.includes('*')],
    [406, tag !== 'service' && !isUpload],
    [409, tag === 'actions' || isUpload || isOfPeople],
    [410, isOfDeposit],
    [412, has('if-match') || has('if-none-match') || isUpload],
    [413, hasBody || isUpload],
    [415, hasBody],
    [416, has('range')],
    [422, has('idempotency-key')],
    [423, isUpload],
    [429, asksForToken],
    [460, has('upload-checksum')],
    [500, true],
    [503, true],
    [507, asksForToken && (hasBody || isUpload || isOfPeople || has('idempotency-key'))],
  ]
  return found.flatMap(([status, isPossible]) => (isPossible ? [status] : []))
}

/** An answer with this status: which codes of the table it may have. */
export function toRefusal(status: number): object {
  const codes = Object.entries(problems).flatMap(([code, problem]) =>
    problem.status === status ? [`\`${code}\``] : [],
  )
  return {
    description: `${STATUS_CODES[status] ?? 'Problem'}: ${codes.join(', ')}.`,
    content: { 'application/json': { schema: keepNames(problemBody) } },
  }
}

import { expect } from 'vitest'
import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import type { Reply } from './http.ts'

/**
 * Expects the one body that all errors have, with the status the table of problems gives its code.
 *
 * @param message for a failure whose message is more specific than the table
 */
export function expectProblem(reply: Reply, code: ProblemCode, message?: string | RegExp): void {
  const { status, message: preset } = problems[code]
  const wanted = message ?? preset
  expect(reply.body).toMatchObject({
    status,
    code,
    message: typeof wanted === 'string' ? wanted : (expect.stringMatching(wanted) as string),
    request_id: expect.stringMatching(/\S/) as string,
  })
  expect(reply.status).toBe(status)
  expect(reply.headers.get('content-type')).toMatch(/^application\/json\b/)
}

import { describe, expect, it } from 'vitest'
import { exitCodeOf, exitCodes, ownCodes } from '../../cli/exit-codes.ts'
import { errorCodes, problems } from '../../core/contract/problems.ts'
import { exitPage } from '../../man/overview.ts'

describe('the exit status', () => {
  it.for([
    ['unauthenticated', 4],
    ['insufficient_scope', 4],
    ['permission_denied', 1],
    ['invalid_action', 5],
    ['files_frozen', 5],
    ['file_already_exists', 5],
    ['merge_conflict', 5],
    ['idempotency_key_reused', 5],
    ['stale_revision', 5],
    ['deposit_not_found', 3],
    ['file_not_found', 3],
    ['deposit_deleted', 3],
    ['invalid_document', 1],
    ['unknown_schema', 1],
    ['invalid_query', 2],
    ['invalid_paging', 2],
    ['storage_full', 1],
    ['shutting_down', 6],
  ] as const)('for %s is %i', ([code, status]) => {
    expect(exitCodeOf({ status: problems[code].status, code })).toBe(status)
  })

  it('depends on the HTTP status for an unknown code', () => {
    expect(exitCodeOf({ status: 409, code: 'of_tomorrow' })).toBe(5)
    expect(exitCodeOf({ status: 418, code: 'toString' })).toBe(1)
  })
})

describe('deposit-exit(7)', () => {
  const page = exitPage().replaceAll('\\', '')

  it('has every exit status', () => {
    for (const status of Object.values(exitCodes)) expect(page).toContain(`\nfB${status}fP\n`)
  })

  it('has every code of an error, with its exit status', () => {
    for (const [status, code] of Object.entries(ownCodes))
      expect(page).toContain(`fB${code}fP\nExit status ${status}.\n`)
    for (const [code, { status }] of errorCodes.map((name) => [name, problems[name]] as const))
      expect(page).toContain(
        `fB${code}fP\nExit status ${exitCodeOf({ code, status })}, HTTP status ${status}. `,
      )
  })
})

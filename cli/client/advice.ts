import type { ProblemBody } from '../../core/contract/schemas.ts'
import type { ProblemCode } from '../../core/contract/problems.ts'

const byCode: Partial<Record<ProblemCode, string>> = {
  malformed_request: 'correct what is named above and try again',
  invalid_document:
    'correct the metadata file, or the draft with `deposit update ID`, and try again',
  unknown_schema: 'leave out `$schema`, or name one that the server has',
  invalid_patch: 'compare the patch with `deposit show ID --json`',
  invalid_query: 'correct the query at the position named',
  invalid_paging: 'correct the option named above, or narrow the search',
  wrong_file: 'see the names and ids with `deposit files ID`',
  file_already_exists: 'give it another name, or replace the file with `deposit upload --replace`',
  precondition_failed: 'give it another name, or replace the file with `deposit upload --replace`',
  broken_upload: 'run the command again',
  upload_conflict: 'another command sends the same file; run yours again when it has ended',
  idempotency_key_reused: 'use another key for another request; `deposit list` shows what was made',
  checksum_mismatch: 'run the command again; the bytes were damaged on the way',
  unauthenticated: 'run `deposit login`, or set DEPOSIT_TOKEN',
  insufficient_scope:
    'sign in with the scope that is missing; `deposit whoami` shows what you have',
  permission_denied: 'see who you are with `deposit whoami`, or ask the owner',
  invalid_action: '`deposit show ID` tells the status; `deposit edit ID` opens a published deposit',
  files_frozen: 'a new version takes new files: `deposit action ID newversion`',
  deposit_not_found:
    'see your deposits with `deposit list`; an identifier takes its first six digits, for `delete` all',
  file_not_found: 'see the files with `deposit files ID`',
  merge_conflict: 'settle each conflict in the draft and publish again, or `deposit discard ID`',
  deposit_deleted: 'see your deposits with `deposit list`',
  stale_revision: 'look at it again with `deposit show ID`, and repeat the change',
  file_too_large: 'split the file, or ask the operator for a larger limit',
  too_many_requests: 'wait a little and run the command again',
  storage_degraded: 'tell the operator: the store has to be looked after',
  storage_unavailable: 'run the command again in a moment',
  shutting_down: 'run the command again in a moment',
  quota_exceeded: 'delete what is not needed, or ask the operator for more',
  storage_full: 'tell the operator; once there is room, run the command again',
  wrong_host: 'use the address that the server is known by in DEPOSIT_URL',
}

const unfinished =
  'run the `deposit upload` that was interrupted again, or see `deposit uploads ID`, which deletes ' +
  'what has arrived with --delete'

/** What a person does about `problem`. */
export function adviceFor(problem: ProblemBody, retryAfter: string | undefined): string {
  if (retryAfter !== undefined && /^\d+$/.test(retryAfter))
    return `run the command again in ${retryAfter} s`
  if (problem.errors?.some((fault) => 'upload' in fault)) return unfinished
  const known = new Map<string, string>(Object.entries(byCode)).get(problem.code)
  if (known !== undefined) return known
  return problem.status >= 500
    ? 'tell the operator the request above; then run the command again'
    : 'correct what is named above and try again'
}

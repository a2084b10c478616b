/**
 * Every problem of the service: its status and its default message. The names are stable: clients
 * branch on `code`, people read `message`.
 *
 * @see Specification, "Errors"
 */
export const problems = {
  moved: { status: 301, message: 'The identifier leads to another one.' },
  newest_version: { status: 302, message: 'The newest version is at another address.' },
  malformed_request: { status: 400, message: 'The request is malformed.' },
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_document: { status: 400, message: 'The document does not follow its schema.' },
  unknown_schema: { status: 400, message: 'The schema is not one of this service.' },
  invalid_patch: { status: 400, message: 'The patch could not be applied.' },
  invalid_query: { status: 400, message: 'The search query could not be understood.' },
  invalid_paging: { status: 400, message: 'A parameter of the search cannot be used.' },
  wrong_file: { status: 400, message: 'Wrong file on input.' },
  file_already_exists: { status: 400, message: 'Filename already exists.' },
  broken_upload: { status: 400, message: 'The upload ended before it was complete.' },
  checksum_mismatch: { status: 400, message: 'The bytes do not match the checksum given.' },
  unauthenticated: { status: 401, message: 'A valid access token is needed.' },
  insufficient_scope: { status: 403, message: 'The access token lacks a scope.' },
  permission_denied: { status: 403, message: 'You may not do this to this deposit.' },
  invalid_action: { status: 403, message: 'Invalid action' },
  files_restricted: { status: 403, message: 'The files of this record are not public.' },
  files_frozen: { status: 403, message: 'The files of a published deposit are frozen.' },
  cross_origin: { status: 403, message: 'Requests from other origins are refused.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  deposit_not_found: { status: 404, message: 'PID does not exist.' },
  record_not_found: { status: 404, message: 'PID does not exist.' },
  file_not_found: { status: 404, message: 'The object does not exist or was already deleted.' },
  upload_not_found: { status: 404, message: 'There is no such upload.' },
  version_not_found: { status: 404, message: 'The version does not exist.' },
  method_not_allowed: { status: 405, message: 'The method is not allowed here.' },
  not_acceptable: { status: 406, message: 'None of the accepted media types can be produced.' },
  request_timeout: { status: 408, message: 'The request made no progress.' },
  merge_conflict: {
    status: 409,
    message: 'The record and the draft changed the same fields.',
  },
  last_owner: {
    status: 409,
    message: 'A deposit has an owner: the last one cannot be removed. Add another owner first.',
  },
  upload_conflict: { status: 409, message: 'The upload is not where the request begins.' },
  upload_locked: {
    status: 423,
    message: 'Another request still works on the upload; try again in a moment.',
  },
  deposit_deleted: { status: 410, message: 'PID has been deleted.' },
  record_withdrawn: { status: 410, message: 'The record was withdrawn.' },
  link_ended: {
    status: 410,
    message:
      'The link has expired or was revoked, or the person who made it may not share the deposit any ' +
      'more. Ask the person who gave it to you for a new one.',
  },
  upload_expired: { status: 410, message: 'The upload was not finished in time.' },
  precondition_failed: { status: 412, message: 'Filename already exists.' },
  stale_revision: { status: 412, message: 'The deposit has changed since it was read.' },
  unknown_tus_version: { status: 412, message: 'This service supports version 1.0.0 of tus.' },
  body_too_large: { status: 413, message: 'The body is too large.' },
  file_too_large: { status: 413, message: 'The file is larger than this service takes.' },
  unsupported_media_type: { status: 415, message: 'The media type is not supported here.' },
  range_not_satisfiable: { status: 416, message: 'The range is outside the file.' },
  unmet_expectation: { status: 417, message: 'The only supported expectation is 100-continue.' },
  wrong_host: { status: 421, message: 'This service does not answer for that host.' },
  idempotency_key_reused: { status: 422, message: 'The key was used for another request.' },
  too_many_requests: { status: 429, message: 'Too many requests.' },
  head_too_large: { status: 431, message: 'The address and the headers are too large.' },
  upload_checksum_mismatch: {
    status: 460,
    message: 'The bytes do not match Upload-Checksum; none of them was kept.',
  },
  internal_error: { status: 500, message: 'Something went wrong here; nothing was changed.' },
  storage_failed: {
    status: 500,
    message: 'The store failed; after a restart, check whether the change was made.',
  },
  damaged_file: { status: 500, message: 'The stored file is damaged; it was not sent.' },
  not_implemented: { status: 501, message: 'This service does not know the method.' },
  storage_degraded: { status: 503, message: 'The store failed; it can be read, not written.' },
  storage_unavailable: {
    status: 503,
    message: 'The database cannot be reached now; nothing was changed.',
  },
  overloaded: { status: 503, message: 'The service is busy; try again in a moment.' },
  shutting_down: { status: 503, message: 'The service is shutting down.' },
  quota_exceeded: { status: 507, message: 'The quota is used up.' },
  storage_full: { status: 507, message: 'There is no room left on the disk.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

/** Stable name of a problem: the `code` of an error body. */
export type ProblemCode = keyof typeof problems

/** Codes that an error body may have: the others are redirects. */
export const errorCodes: readonly ProblemCode[] = Object.entries(problems)
  .filter(([, { status }]) => status >= 400)
  .map(([code]) => code as ProblemCode)

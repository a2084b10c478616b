/**
 * Defaults of the specification's configuration keys and limits.
 *
 * @see Specification, "Configuration keys" and "Limits"
 */
export const defaults = {
  DEPOSIT_DEFAULT_JSONSCHEMA: 'deposits/deposit-v1.0.0.json',
  DEPOSIT_JSONSCHEMAS_PREFIX: 'deposits/',
  DEPOSIT_DEFAULT_STORAGE_CLASS: 'S',
  DEPOSIT_FILES_API: '/api/files',
  DEPOSIT_RECORDS_API: '/api/deposits/{pid_value}',
  DEPOSIT_SEARCH_API: '/api/deposits',
  DEPOSIT_PID_MINTER: 'recid',
  DEPOSIT_REGISTER_SIGNALS: true,
  DEPOSIT_RESPONSE_MESSAGES: {},
  DEPOSIT_UI_ENDPOINT: '{scheme}://{host}/deposit/{pid_value}',
  DEPOSIT_UI_SEARCH_INDEX: 'deposits',
} as const

/** Default page size of a search. */
export const defaultPageSize = 10

/** Default page size of a list of revisions. */
export const defaultRevisionsSize = 100

/** Default page size of a list of files. */
export const filesPerPage = 10_000

/** Limit of files in one sort request. */
export const maxSortedFiles = 10_000

/** Default limit of `page * size` in a search. */
export const defaultMaxResultWindow = 10_000

/** Default port of the daemon. */
export const defaultPort = 8420

/** Version of the REST interface, answered as `Deposit-Api-Version`. */
export const apiVersion = '1'

/** Why a record is withdrawn. @see Publication, "Names that others test against" */
export const withdrawalReasons = [
  'personal-data',
  'copyright',
  'retracted',
  'duplicate',
  'spam',
  'test',
  'other',
] as const

export type WithdrawalReason = (typeof withdrawalReasons)[number]

/** Whether the files of a record are the reason of its withdrawal. */
export function isForTheBytes(reason: string): boolean {
  return reason === 'personal-data' || reason === 'copyright'
}

/** The reasons in the words of messages. */
export const reasonInWords: Readonly<Record<WithdrawalReason, string>> = {
  'personal-data': 'it has personal data',
  copyright: 'somebody else has the rights to it',
  retracted: 'its authors retracted it',
  duplicate: 'it is published twice',
  spam: 'it is spam',
  test: 'it was published as a test',
  other: 'for another reason',
}

/** Characters of a note, and of what replaces a record. */
export const mostOfNote = 2000

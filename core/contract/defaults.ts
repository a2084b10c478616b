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

/** Page size of a search that names none. */
export const defaultPageSize = 10

/** Page size of a list of revisions that names none. */
export const defaultRevisionsSize = 100

/** Files of an answer that asks for no other number. */
export const filesPerPage = 10_000

/** Largest `page * size` a search may ask for, unless the endpoint says otherwise. */
export const defaultMaxResultWindow = 10_000

/** Port the daemon listens on, unless told otherwise. */
export const defaultPort = 8420

/** Version of the REST interface, answered as `Deposit-Api-Version`. */
export const apiVersion = '1'

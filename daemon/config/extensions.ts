import { Type } from 'typebox'
import type {
  Actions,
  Description,
  Difference,
  JsonObject,
  Minter,
  Outcome,
  Receivers,
  Wanted,
} from '../../core/index.ts'
import { isActions } from './endpoint-options.ts'

/**
 * Extensions of the service in a configuration file that is a program.
 *
 * @see Contract §5; `deposit-config(5)`, EXTENSIONS
 */
export interface Extensions {
  /** Further actions of a deposit, by name; one of the package's is replaced by its namesake. */
  readonly actions?: Actions
  /** Receivers of the signals. */
  readonly signals?: Receivers
  /** Further minters of the identifiers of records, for `DEPOSIT_PID_MINTER` to name. */
  readonly minters?: Readonly<Record<string, Minter>>
  /** Providers of further identifiers, for `DEPOSIT_PID_MINTER` to name. */
  readonly providers?: Readonly<Record<string, OwnProvider>>
  /** Further formats of records, by name; one of the package's is replaced by its namesake. */
  readonly exports?: Readonly<Record<string, ExportWriter>>
  /** Sets of records for harvesters, by name, beside those of the resource types. */
  readonly sets?: Readonly<Record<string, RecordSet>>
}

/** A service that registers identifiers, such as handles, and resolves them. */
export interface OwnProvider {
  /** The kind of its identifiers: their key in `pids`; by default its name. */
  readonly scheme?: string
  /**
   * The identifier of a record: always the same for the same value, another for every other. Nothing
   * may be asked or told outside.
   *
   * @param value of the record's own identifier, or of that of its concept
   */
  readonly reserve: (value: string) => string
  /** Address that resolves an identifier; by default itself. */
  readonly toUrl?: (identifier: string) => string
  /**
   * Makes the service say what is wanted: `{is: 'done'}`, `{is: 'refused', message, field?}`, or
   * `{is: 'later', message}` to be asked again, as after a rejection. It is called until it is done,
   * again and again, perhaps twice with the same.
   */
  readonly want: (wanted: Wanted, signal: AbortSignal) => Outcome | Promise<Outcome>
  /** Compares the service with what is wanted, for `depositd doi check`; changes nothing. */
  readonly check?: (
    identifier: string,
    wanted: Wanted | null,
    signal: AbortSignal,
  ) => readonly Difference[] | Promise<readonly Difference[]>
}

/** A set of OAI-PMH. */
export interface RecordSet {
  /** Its name for people; by default the one of its key. */
  readonly title?: string
  /** Whether a record with these metadata is in it. */
  readonly has: (metadata: JsonObject) => boolean
}

/** A format of records. */
export interface ExportWriter {
  /** As it is sent, and asked for in `Accept`. */
  readonly mediaType: string
  /** With its dot. */
  readonly extension: string
  /** For menus; by default its name. */
  readonly title?: string
  /** Writes any record: fields of its document may be missing. */
  readonly write: (description: Description) => string
}

export const extensionKeys = [
  'actions',
  'signals',
  'minters',
  'providers',
  'exports',
  'sets',
] as const

const signalNames = ['postAction', 'beforeRecordUpdate', 'afterRecordUpdate'] as const

const receivers = Type.Refine(
  Type.Unsafe<unknown>({}),
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'function'),
  () => 'must be a list of functions',
)

function isMinter(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'mint' in value &&
    typeof value.mint === 'function'
  )
}

function areProviders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(([name, each]: [string, unknown]) => {
    if (typeof each !== 'object' || each === null || !/^[a-z][a-z\d-]*$/.test(name)) return false
    const { reserve, want, scheme = name } = each as Partial<OwnProvider>
    const isNamed = typeof scheme === 'string' && /^[a-z][a-z\d-]*$/.test(scheme)
    return typeof reserve === 'function' && typeof want === 'function' && isNamed
  })
}

function isWriter(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'write' in value &&
    typeof value.write === 'function' &&
    'mediaType' in value &&
    typeof value.mediaType === 'string' &&
    /^[\w.+-]+\/[\w.+-]+(?:; *[\w-]+=(?:[\w.-]+|"[^"]*"))*$/.test(value.mediaType) &&
    'extension' in value &&
    typeof value.extension === 'string' &&
    /^\.[\w.-]+$/.test(value.extension)
  )
}

function areWriters(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([name, each]) => /^[a-z][a-z\d-]*$/.test(name) && isWriter(each),
  )
}

function areSets(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(([name, each]: [string, unknown]) => {
    if (typeof each !== 'object' || each === null || !('has' in each)) return false
    const isTitled = !('title' in each) || typeof each.title === 'string'
    return /^[a-z][a-z\d-]*$/.test(name) && typeof each.has === 'function' && isTitled
  })
}

/** The shape of {@link Extensions} as far as it can be checked at the start. */
export const extensionSchemas = {
  actions: Type.Refine(
    Type.Unsafe<unknown>({}),
    isActions,
    () => 'must be functions `run` with a `summary`, by lower-case names',
  ),
  exports: Type.Refine(
    Type.Unsafe<unknown>({}),
    areWriters,
    () =>
      'must be objects with `mediaType`, `extension` (with its dot) and a function `write`, by lower-case names',
  ),
  minters: Type.Refine(
    Type.Unsafe<unknown>({}),
    (value) => typeof value === 'object' && value !== null && Object.values(value).every(isMinter),
    () => 'must be objects with a function `mint`, by name',
  ),
  providers: Type.Refine(
    Type.Unsafe<unknown>({}),
    areProviders,
    () =>
      'must be objects with functions `reserve` and `want` and perhaps a `scheme`, by names of lower-case letters, digits and hyphens',
  ),
  sets: Type.Refine(
    Type.Unsafe<unknown>({}),
    areSets,
    () =>
      'must be objects with a function `has` and perhaps a text `title`, by names of lower-case letters, digits and hyphens',
  ),
  signals: Type.Object(
    Object.fromEntries(signalNames.map((name) => [name, Type.Optional(receivers)])),
    { additionalProperties: false },
  ),
} as const satisfies Record<(typeof extensionKeys)[number], object>

import { Type } from 'typebox'
import type { Actions, Description, JsonObject, Minter, Receivers } from '../../core/index.ts'
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
  /** Further formats of records, by name; one of the package's is replaced by its namesake. */
  readonly exports?: Readonly<Record<string, ExportWriter>>
  /** Sets of records for harvesters, by name, beside those of the resource types. */
  readonly sets?: Readonly<Record<string, RecordSet>>
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

export const extensionKeys = ['actions', 'signals', 'minters', 'exports', 'sets'] as const

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

import { Type } from 'typebox'
import type { Actions, Minter, Receivers } from '../../core/index.ts'
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
}

export const extensionKeys = ['actions', 'signals', 'minters'] as const

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

/** The shape of {@link Extensions} as far as it can be checked at the start. */
export const extensionSchemas = {
  actions: Type.Refine(
    Type.Unsafe<unknown>({}),
    isActions,
    () => 'must be functions `run` with a `summary`, by lower-case names',
  ),
  minters: Type.Refine(
    Type.Unsafe<unknown>({}),
    (value) => typeof value === 'object' && value !== null && Object.values(value).every(isMinter),
    () => 'must be objects with a function `mint`, by name',
  ),
  signals: Type.Object(
    Object.fromEntries(signalNames.map((name) => [name, Type.Optional(receivers)])),
    { additionalProperties: false },
  ),
} as const satisfies Record<(typeof extensionKeys)[number], object>

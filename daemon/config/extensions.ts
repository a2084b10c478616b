import { Type } from 'typebox'
import type { Actions, Receivers } from '../../core/index.ts'
import { isActions } from './endpoint-options.ts'

/**
 * What an operator adds to the service in a configuration file that is a program.
 *
 * @see Contract §5; `deposit-config(5)`, EXTENSIONS
 */
export interface Extensions {
  /** Further actions of a deposit, by name; one of the package's is replaced by its namesake. */
  readonly actions?: Actions
  /** Receivers of the signals. */
  readonly signals?: Receivers
}

export const extensionKeys = ['actions', 'signals'] as const

const signalNames = ['postAction', 'beforeRecordUpdate', 'afterRecordUpdate'] as const

const receivers = Type.Refine(
  Type.Unsafe<unknown>({}),
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'function'),
  () => 'must be a list of functions',
)

/** The shape of {@link Extensions} as far as it can be checked at the start. */
export const extensionSchemas = {
  actions: Type.Refine(
    Type.Unsafe<unknown>({}),
    isActions,
    () => 'must be functions `run` with a `summary`, by lower-case names',
  ),
  signals: Type.Object(
    Object.fromEntries(signalNames.map((name) => [name, Type.Optional(receivers)])),
    { additionalProperties: false },
  ),
} as const satisfies Record<(typeof extensionKeys)[number], object>

import type { Actions } from './action.ts'
import { discard } from './discard.ts'
import { edit } from './edit.ts'
import { mergeAction } from './merge.ts'
import { newVersion } from './new-version.ts'
import { publish } from './publish.ts'
import { register } from './register.ts'

/** A line here is a route, a link, an entry in the API document and the name of a signal. */
export const actions = {
  publish,
  edit,
  discard,
  merge: mergeAction,
  register,
  newversion: newVersion,
} as const satisfies Actions

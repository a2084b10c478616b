import type { TextKey } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'

/** Actions on a whole deposit, beside saving it. */
export type ActionName = 'publish' | 'edit' | 'newversion' | 'register' | 'discard' | 'delete'

export interface ActionChoice {
  readonly name: ActionName
  readonly isPrimary: boolean
  readonly isDanger: boolean
  /** True if the page asks first, because the action cannot be undone. */
  readonly asks: boolean
  /** Why it cannot be done now, where that is so. */
  readonly refusal?: TextKey
}

const asked = { isPrimary: false, isDanger: true, asks: true }
const plain = { isPrimary: false, isDanger: false, asks: false }
const primary = { isPrimary: true, isDanger: false, asks: false }

/**
 * The actions that the state of a deposit allows, the most likely first.
 *
 * @see Specification, "States and transitions"
 */
export function actionsFor({ metadata, sealed }: Deposit): readonly ActionChoice[] {
  const { status, value } = metadata._deposit
  if (status === 'draft') {
    const wasPublished = typeof value === 'string'
    return [
      { ...primary, name: 'publish', asks: true },
      wasPublished ? { name: 'discard', ...asked } : { name: 'delete', ...asked },
    ]
  }
  if (sealed) {
    return [
      { ...primary, name: 'newversion' },
      { ...plain, name: 'edit', refusal: 'actions.sealed' },
      { ...plain, name: 'register', refusal: 'actions.registered' },
    ]
  }
  return [
    { ...primary, name: 'edit' },
    { ...plain, name: 'newversion' },
    { name: 'register', ...asked },
  ]
}

import type { DepositFacts } from '../api/deposits.ts'

/** What can be done with a deposit as a whole, beside saving it. */
export type ActionName = 'publish' | 'edit' | 'newversion' | 'register' | 'discard' | 'delete'

export interface ActionChoice {
  readonly name: ActionName
  readonly isPrimary: boolean
  readonly isDanger: boolean
  /** True where it is asked about first: what it does cannot be taken back. */
  readonly asks: boolean
}

const asked = { isPrimary: false, isDanger: true, asks: true }
const plain = { isPrimary: false, isDanger: false, asks: false }

/**
 * What may be done in the state a deposit is in, the most likely first.
 *
 * @see Specification, "States and transitions"
 */
export function actionsFor({ status, value }: DepositFacts): readonly ActionChoice[] {
  const wasPublished = typeof value === 'string'
  if (status === 'draft') {
    return [
      { name: 'publish', isPrimary: true, isDanger: false, asks: true },
      wasPublished ? { name: 'discard', ...asked } : { name: 'delete', ...asked },
    ]
  }
  return [
    { ...plain, name: 'edit', isPrimary: true },
    { ...plain, name: 'newversion' },
    { name: 'register', ...asked },
  ]
}

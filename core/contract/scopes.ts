/** Allows creating, changing and deleting deposits and their files, but not publishing them. */
export const writeScope = 'deposit:write'

/** Allows the actions of a deposit: publish, edit, discard and every further one. */
export const actionsScope = 'deposit:actions'

/** The scopes of this service with what each allows, in words for a consent page. */
export const scopes = {
  [writeScope]: 'Create and change drafts, upload and delete their files',
  [actionsScope]: 'Publish deposits, edit them again and discard changes',
} as const

/** Why a token that is for one deposit is refused at another. */
export const ofOtherDeposit = 'This token is only valid for a different deposit.'

/** How long a token is good for that no lifetime is named for. */
export const usualTokenLifetime = '365d'

/** @see Specification, "Authentication" */
export type Scope = keyof typeof scopes

/** True when `text` names a scope of this service. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}

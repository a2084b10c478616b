/** Allows creating, changing and deleting deposits and their files, but not publishing them. */
export const writeScope = 'deposit:write'

/**
 * Allows the actions of a deposit: publish, edit, discard and every further one; with the other scope
 * also to say who has which right, for who is given one may act.
 */
export const actionsScope = 'deposit:actions'

/** The scopes of this service. Each text stands on the consent page. */
export const scopes = {
  [writeScope]: 'Create and change drafts, upload and delete their files',
  [actionsScope]: 'Publish deposits, edit them again, discard changes, and give others access',
} as const

/** Answered to a token for one deposit that is used for anything else. */
export const ofOtherDeposit = 'This token is valid for a single deposit only.'

/** Answered to a token for one deposit that would give or take rights over it. */
export const givesNoRights =
  'A token for a single deposit changes no rights over it. Use one for all your deposits.'

/** Lifetime of a token unless another is asked for. */
export const usualTokenLifetime = '365d'

/** @see Specification, "Authentication" */
export type Scope = keyof typeof scopes

/** True when `text` names a scope of this service. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}

/** Refuses a name that is no scope. */
export function noSuchScope(name: string): string {
  return `There is no scope "${name}"; there are ${Object.keys(scopes).join(' and ')}.`
}

/** The scopes in `text`, with spaces between, without `openid`; or the first that is none. */
export function parseScopes(
  text: string,
): { readonly scopes: readonly Scope[] } | { readonly unknown: string } {
  const names = text.split(/\s+/).filter((name) => name !== '' && name !== 'openid')
  const unknown = names.find((name) => !isScope(name))
  return unknown === undefined ? { scopes: [...new Set(names.filter(isScope))] } : { unknown }
}

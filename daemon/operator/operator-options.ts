import { isScope, type Account, type Scope } from '../../core/index.ts'
import { OperatorFailure } from './operator-failure.ts'

export function requireAccount(account: Account | undefined, email: string | undefined): Account {
  if (account) return account
  throw new OperatorFailure(`There is no user ${email}; see depositd user list.`)
}

/** @throws {OperatorFailure} there is no such user, or what is made for them would be refused */
export function requireActive(account: Account | undefined, email: string | undefined): Account {
  const found = requireAccount(account, email)
  if (!found.disabled) return found
  throw new OperatorFailure(`${found.email} is disabled: what is made for them would be refused.`)
}

/** As much of a check as keeps typing mistakes out: nothing is ever sent there. */
export function parseEmail(text: string | undefined): string {
  if (text !== undefined && /^[^\s@]+@[^\s@]+$/.test(text)) return text.toLowerCase()
  throw new OperatorFailure(`"${text ?? ''}" is not an e-mail address.`)
}

export function parseScopes(text: string | undefined): readonly Scope[] {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '' && name !== 'openid')
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new OperatorFailure(`There is no scope "${unknown}".`)
  return names.filter(isScope)
}

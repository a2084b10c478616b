import { isScope, type Account, type Scope } from '../../core/index.ts'
import { isPlain, quoted } from '../../core/base/plain.ts'
import { StartFailure } from '../start-failure.ts'
import { OperatorFailure } from './operator-failure.ts'
import type { Options } from './operator-command.ts'

export function requireAccount(account: Account | undefined, email: string | undefined): Account {
  if (account) return account
  throw new OperatorFailure(`There is no user ${email}; see depositd user list.`)
}

/** @throws {OperatorFailure} there is no such user, or what is made for them would be refused */
export function requireActive(account: Account | undefined, email: string | undefined): Account {
  const found = requireAccount(account, email)
  if (!found.disabled) return found
  throw new OperatorFailure(
    `${found.email} is disabled, and what is made for them would be refused. First run depositd user enable ${found.email}`,
  )
}

/** As much of a check as keeps typing mistakes out: nothing is ever sent there. */
export function parseEmail(text: string | undefined): string {
  if (text !== undefined && /^[^\s@]+@[^\s@]+$/.test(text)) return text.toLowerCase()
  throw new OperatorFailure(`"${text ?? ''}" is not an e-mail address.`)
}

const units = ['', 'k', 'm', 'g', 't', 'p'] as const

/**
 * Bytes of a size such as `500000`, `20 GB` or `20GiB`.
 *
 * @throws {OperatorFailure} it is none
 */
export function parseSize(text: string): number {
  const found = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgtp]?)(i?)b?$/i.exec(text)
  const [, number = '', letter = '', binary = ''] = found ?? []
  const power = units.findIndex((unit) => unit === letter.toLowerCase())
  const bytes = Math.round(Number(number) * (binary === '' ? 1000 : 1024) ** power)
  if (found && Number.isSafeInteger(bytes)) return bytes
  throw new OperatorFailure(`"${text}" is not a size; write 20GB, 20GiB or a number of bytes.`)
}

export function parseScopes(text: string | undefined): readonly Scope[] {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '' && name !== 'openid')
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new OperatorFailure(`There is no scope "${unknown}".`)
  return names.filter(isScope)
}

/**
 * Looks at the name among the options before the command is carried out.
 *
 * @throws {StartFailure} it has characters that steer a terminal or turn the direction of text
 */
export async function requirePlainName(options: Options): Promise<Options> {
  const { name } = options
  if (name === undefined || isPlain(name)) return options
  throw new StartFailure(
    'usage',
    `The name ${quoted(name)} has control characters, or some that change the direction of text. Leave them out.`,
  )
}

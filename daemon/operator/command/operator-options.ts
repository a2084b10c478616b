import type { Account, Scope } from '../../../core/index.ts'
import { noSuchScope, parseScopes } from '../../../core/contract/scopes.ts'
import { parseDuration, parseSize } from '../../../core/base/amounts.ts'
import { isPlain, quoted } from '../../../core/base/plain.ts'
import { advice } from '../../advice.ts'
import { StartFailure } from '../../start-failure.ts'
import { OperatorFailure } from './operator-failure.ts'
import type { Options } from './operator-command.ts'

export function requireAccount(account: Account | undefined, email: string | undefined): Account {
  if (account) return account
  throw new OperatorFailure(`There is no user ${email}.`, advice.seeUsers())
}

/** @throws {OperatorFailure} there is no such user, or what is made for them would be refused */
export function requireActive(account: Account | undefined, email: string | undefined): Account {
  const found = requireAccount(account, email)
  if (!found.disabled) return found
  throw new OperatorFailure(
    `${found.email} is disabled: tokens and clients made for them would be refused.`,
    advice.enableUser(found.email),
  )
}

/** As much of a check as keeps typing mistakes out: nothing is ever sent there. */
export function parseEmail(text: string | undefined): string {
  if (text !== undefined && /^[^\s@]+@[^\s@]+$/.test(text)) return text.toLowerCase()
  throw new OperatorFailure(`"${text ?? ''}" is not an e-mail address.`)
}

/**
 * The address of a new user. Users that are there already are found by {@link parseEmail} alone.
 *
 * @throws {OperatorFailure} it is none, or would garble the terminal of those who read it
 */
export function parseNewEmail(text: string | undefined): string {
  if (text === undefined || isPlain(text)) return parseEmail(text)
  throw new OperatorFailure(
    `The e-mail address ${quoted(text)} has control characters, or some that change the direction of text.`,
    advice.leaveOut(),
  )
}

/** @throws {OperatorFailure} the text is no size */
export function requireSize(text: string): number {
  const bytes = parseSize(text)
  if (bytes !== undefined) return bytes
  throw new OperatorFailure(`"${text}" is not a size.`, advice.writeSize())
}

/** @throws {OperatorFailure} the text is no duration */
export function requireDuration(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw new OperatorFailure(`"${text}" is not a duration.`, advice.writeDuration())
}

/** @throws {OperatorFailure} there is no such scope */
export function requireScopes(text = ''): readonly Scope[] {
  const parsed = parseScopes(text.replaceAll(',', ' '))
  if ('scopes' in parsed) return parsed.scopes
  throw new OperatorFailure(noSuchScope(parsed.unknown))
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
    `The name ${quoted(name)} has control characters, or some that change the direction of text.`,
    { next: advice.leaveOut() },
  )
}

import { randomUUID } from 'node:crypto'
import {
  isScope,
  parseUserId,
  type Account,
  type Clock,
  type Database,
  type Scope,
} from '../../core/index.ts'
import { issueToken } from '../identity/personal-tokens.ts'
import { parseDuration } from './duration.ts'
import { OperatorFailure } from './operator-failure.ts'

/** What the operator's commands work on, in the daemon or without it. */
export interface OperatorContext {
  readonly database: Database
  readonly clock: Clock
}

/** Options of a command by name, as they were given. */
export type Options = Readonly<Record<string, string | undefined>>

/** What a command prints: lines for people on standard error, the result on standard output. */
export interface Outcome {
  readonly notes: readonly string[]
  readonly results: readonly string[]
}

type Command = (context: OperatorContext, options: Options) => Promise<Outcome>

const commands: Readonly<Record<string, Command>> = {
  'user add': addUser,
  'user list': listUsers,
  'user disable': disableUser,
  'token create': createToken,
  'token list': listTokens,
  'token revoke': revokeToken,
}

/** @throws {OperatorFailure} the command is unknown, or cannot be carried out */
export async function runOperatorCommand(
  context: OperatorContext,
  name: string,
  options: Options,
): Promise<Outcome> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new OperatorFailure(`There is no operator's command "${name}".`)
  return command(context, options)
}

async function addUser({ database, clock }: OperatorContext, options: Options): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const account = {
    id: parseUserId(randomUUID()),
    email,
    admin: options['admin'] === 'true',
    disabled: false,
    created: clock.now(),
  }
  await database.write(async (unit) => {
    if (await unit.accounts.findByEmail(email)) {
      throw new OperatorFailure(`There is a user ${email} already.`)
    }
    await unit.accounts.insert(account)
  })
  const role = account.admin ? ' as an administrator' : ''
  return { notes: [`Added ${email}${role}.`], results: [account.id] }
}

async function listUsers({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  return {
    notes: [],
    results: accounts.map(({ id, email, admin, disabled }) =>
      [id, email, admin ? 'administrator' : 'user', disabled ? 'disabled' : 'active'].join('\t'),
    ),
  }
}

async function disableUser({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const email = await database.write(async (unit) => {
    const account = await unit.accounts.findByEmail(parseEmail(options['email']))
    const known = requireAccount(account, options['email'])
    await unit.accounts.update({ ...known, disabled: true })
    return known.email
  })
  return { notes: [`Disabled ${email}; tokens of theirs are refused from now on.`], results: [] }
}

async function createToken(context: OperatorContext, options: Options): Promise<Outcome> {
  const { user: email, name = 'token', expires, deposit } = options
  const found = await context.database.read.accounts.findByEmail(parseEmail(email))
  const account = requireAccount(found, email)
  const scopes = parseScopes(options['scope'])
  const { value, grant } = await issueToken(context, {
    user: account.id,
    name,
    scopes,
    ...(deposit !== undefined && { deposit }),
    ...(expires !== undefined && { lifetimeMs: parseDuration(expires) }),
  })
  const until = grant.expires === undefined ? 'it does not expire' : `good until ${grant.expires}`
  return { notes: [`Token ${grant.id} for ${account.email}, ${until}:`], results: [value] }
}

async function listTokens({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const emails = new Map(accounts.map(({ id, email }) => [id, email]))
  const tokens = await database.read.tokens.list()
  return {
    notes: [],
    results: tokens.map((token) =>
      [
        token.id,
        emails.get(token.user) ?? token.user,
        token.name,
        token.scopes.join(' ') || 'read',
        token.deposit ?? 'all deposits',
        token.expires ?? 'never expires',
      ].join('\t'),
    ),
  }
}

async function revokeToken({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const id = options['id'] ?? ''
  const wasThere = await database.write((unit) => unit.tokens.remove(id))
  if (!wasThere) throw new OperatorFailure(`There is no token ${id}; see depositd token list.`)
  return { notes: [`Revoked ${id}.`], results: [] }
}

function requireAccount(account: Account | undefined, email: string | undefined): Account {
  if (account) return account
  throw new OperatorFailure(`There is no user ${email}; see depositd user list.`)
}

/** As much of a check as keeps typing mistakes out: nothing is ever sent there. */
function parseEmail(text: string | undefined): string {
  if (text !== undefined && /^[^\s@]+@[^\s@]+$/.test(text)) return text.toLowerCase()
  throw new OperatorFailure(`"${text ?? ''}" is not an e-mail address.`)
}

function parseScopes(text: string | undefined): readonly Scope[] {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '' && name !== 'openid')
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new OperatorFailure(`There is no scope "${unknown}".`)
  return names.filter(isScope)
}

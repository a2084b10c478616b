import { parseDepositId } from '../../../core/index.ts'
import { count } from '../../../core/base/amounts.ts'
import { usualTokenLifetime } from '../../../core/contract/scopes.ts'
import { advice } from '../../advice.ts'
import { issueToken } from '../../sign-in/identity/personal-tokens.ts'
import { listed } from '../command/operator-command.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import {
  parseEmail,
  requireScopes,
  requireActive,
  requireDuration,
  requirePlainName,
} from '../command/operator-options.ts'

/** `token create`: a personal token; its value is shown this once. */
async function createToken(context: OperatorContext, options: Options): Promise<Outcome> {
  const { user: email, name = 'token', expires = usualTokenLifetime, deposit } = options
  const found = await context.database.read.accounts.findByEmail(parseEmail(email))
  const account = requireActive(found, email)
  const scopes = requireScopes(options['scope'])
  if (
    deposit !== undefined &&
    !(await context.database.read.deposits.find(parseDepositId(deposit)))
  )
    throw new OperatorFailure(`There is no deposit ${deposit}.`, advice.giveWholeId())
  const { value, grant } = await issueToken(context, {
    user: account.id,
    name,
    scopes,
    ...(deposit !== undefined && { deposit }),
    ...(expires !== 'never' && { lifetimeMs: requireDuration(expires) }),
  })
  const until = grant.expires === undefined ? 'which never expires' : `good until ${grant.expires}`
  const notes = [`Token ${grant.id} for ${account.email}, ${until}:`]
  const data = {
    id: grant.id,
    user: account.email,
    scope: scopes.join(' '),
    expires: grant.expires ?? null,
    token: value,
  }
  return { notes, results: [value], data }
}

/** `token list` */
async function listTokens({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const emails = new Map(accounts.map(({ id, email }) => [id, email]))
  const tokens = await database.read.tokens.list()
  const rows = tokens.map((token) => ({
    id: token.id,
    user: emails.get(token.user) ?? token.user,
    name: token.name,
    scope: token.scopes.join(' '),
    deposit: token.deposit ?? null,
    expires: token.expires ?? null,
    parent: token.parent ?? null,
  }))
  return listed(rows, ({ id, user, name, scope, deposit, expires, parent }) => [
    id,
    user,
    name,
    scope || 'read',
    deposit ?? 'all deposits',
    expires ?? 'never expires',
    parent === null ? '-' : `made with ${parent}`,
  ])
}

/** `token revoke` */
async function revokeToken({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const id = options['id'] ?? ''
  const revoked = await database.write((unit) => unit.tokens.remove(id))
  if (revoked === 0) throw new OperatorFailure(`There is no token ${id}.`, advice.seeTokens())
  const others = revoked === 1 ? '' : ` and ${count(revoked - 1, 'token')} made with it`
  return { notes: [`Revoked ${id}${others}.`], results: [], data: { id, revoked: true } }
}

export const tokenCommands: readonly OperatorCommand[] = [
  {
    name: 'token create',
    summary: 'create a token; its value is the last line',
    options: [
      { flags: '--user <email>', summary: 'the user it is for', isRequired: true },
      {
        flags: '--scope <scopes>',
        summary: 'deposit:write, deposit:actions, or both; without it, reading alone',
      },
      { flags: '--name <name>', summary: 'a name for lists of tokens' },
      {
        flags: '--expires <duration>',
        summary: `its lifetime, such as 30d, or never; ${usualTokenLifetime} by default`,
      },
      { flags: '--deposit <id>', summary: 'limit it to this deposit' },
    ],
    before: requirePlainName,
    kind: 'short',
    run: createToken,
  },
  {
    name: 'token list',
    onlyReads: true,
    summary: 'list the tokens, without their values, and which ones they were made with',
    kind: 'short',
    run: listTokens,
  },
  {
    name: 'token revoke',
    summary: 'revoke a token, and those made with it',
    arguments: [{ name: 'id' }],
    kind: 'short',
    run: revokeToken,
  },
]

import { parseDepositId } from '../../core/index.ts'
import { issueToken } from '../identity/personal-tokens.ts'
import { parseDuration } from './duration.ts'
import type { OperatorContext, Options, Outcome } from './operator-command.ts'
import { OperatorFailure } from './operator-failure.ts'
import { parseEmail, parseScopes, requireActive } from './operator-options.ts'

/** `token create`: a personal token; its value is shown this once. */
export async function createToken(context: OperatorContext, options: Options): Promise<Outcome> {
  const { user: email, name = 'token', expires, deposit } = options
  const found = await context.database.read.accounts.findByEmail(parseEmail(email))
  const account = requireActive(found, email)
  const scopes = parseScopes(options['scope'])
  if (
    deposit !== undefined &&
    !(await context.database.read.deposits.find(parseDepositId(deposit)))
  )
    throw new OperatorFailure(`There is no deposit ${deposit}; give its whole id.`)
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

/** `token list` */
export async function listTokens({ database }: OperatorContext): Promise<Outcome> {
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

/** `token revoke` */
export async function revokeToken(
  { database }: OperatorContext,
  options: Options,
): Promise<Outcome> {
  const id = options['id'] ?? ''
  const wasThere = await database.write((unit) => unit.tokens.remove(id))
  if (!wasThere) throw new OperatorFailure(`There is no token ${id}; see depositd token list.`)
  return { notes: [`Revoked ${id}.`], results: [] }
}

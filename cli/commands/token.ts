import type { Command } from 'commander'
import { scopes, usualTokenLifetime } from '../../core/contract/scopes.ts'
import type { TokenBody } from '../client/bodies.ts'
import type { CliContext } from '../session/context.ts'
import { parseScope, parseSeconds } from '../options.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { newChange, newCommand, newGroup, type CommonOptions } from './command.ts'

interface CreateOptions extends CommonOptions {
  readonly scope: string
  readonly name?: string
  readonly deposit?: string
  readonly expires: string
}

/** `deposit token …`: access tokens for programs, with fewer rights than a sign-in. */
export function tokenCommand(context: CliContext): Command {
  const create = newChange('create', {
    'deposit token create --scope deposit:write --deposit 4f2a91 --expires 30d':
      'may change one draft for a month, and not publish it',
    'deposit token create --scope "deposit:write deposit:actions" --name nightly':
      'for a pipeline: set it as DEPOSIT_TOKEN there',
  })
    .summary('make one, and print only it on standard output')
    .description(
      'Make an access token and print it; it is shown only this once. Keep it where the pipeline keeps ' +
        'its secrets, and hand it over as DEPOSIT_TOKEN.',
    )
    .requiredOption('--scope <scopes>', `what it allows: ${Object.keys(scopes).join(', ')}, openid`)
    .option('--name <text>', 'what it is for; shown in lists')
    .option('--deposit <id>', 'only for this deposit')
    .option(
      '--expires <duration>',
      'how long it is good for: 30d, 12h, 15m or never',
      usualTokenLifetime,
    )
    .action((options: CreateOptions) => createToken(context, options))
  const list = newCommand('list', { 'deposit token list': 'what they allow, and for how long' })
    .summary('list your tokens, without their values')
    .action((options: CommonOptions) => listTokens(context, options))
  const revoke = newChange('revoke', { 'deposit token revoke 0b7c…': 'by its id in the list' })
    .summary('revoke one, and those made with it')
    .argument('<id...>', 'ids of tokens, as `deposit token list` shows them')
    .action((ids: readonly string[], options: CommonOptions) => revokeTokens(context, ids, options))
  return newGroup(
    'token',
    {
      'deposit token create --scope deposit:write --expires 30d': 'makes a token for a pipeline',
      'deposit token list': 'shows your tokens',
    },
    [create, list, revoke],
  ).description('Access tokens for pipelines and other programs, with limited rights.')
}

async function createToken(context: CliContext, options: CreateOptions): Promise<void> {
  const { createToken: make } = await import('../client/token-client.ts')
  const { name, deposit, expires } = options
  const wanted = {
    scope: parseScope(options.scope),
    ...(name !== undefined && { name }),
    expires_in: expires === 'never' ? null : parseSeconds('--expires', expires),
  }
  const client = await context.client(options)
  const only = deposit === undefined ? {} : { deposit: (await client.read(deposit)).id }
  const made = await make(client.connection, { ...wanted, ...only })
  const until = made.expires === null ? 'does not expire' : `is good until ${made.expires}`
  narrate(context.streams, options, `Token ${made.id} ${until}; it is shown only this once`)
  print(context.streams, options, { body: made, ids: [made.token], lines: () => [made.token] })
}

async function listTokens(context: CliContext, options: CommonOptions): Promise<void> {
  const { streams } = context
  const [{ listTokens: list }, { formatTable }] = await Promise.all([
    import('../client/token-client.ts'),
    import('../output/table.ts'),
  ])
  const client = await context.client(options)
  const tokens = await list(client.connection)
  // Short ids for a person, whole ones for a script.
  const digits = streams.isOutTerminal ? 8 : 36
  const rows = tokens.map((token) => toRow(token, digits))
  const table = tokens.length === 0 ? [] : await formatTable(streams, columns, rows)
  if (tokens.length === 0) narrate(streams, options, 'You have made no tokens')
  print(streams, options, { body: tokens, ids: tokens.map(({ id }) => id), lines: () => table })
}

const columns = [
  { title: 'ID' },
  { title: 'NAME', isFlexible: true },
  { title: 'SCOPES' },
  { title: 'DEPOSIT' },
  { title: 'EXPIRES' },
  { title: 'MADE WITH' },
] as const

function toRow({ id, name, scope, deposit, expires, parent }: TokenBody, digits: number) {
  const only = deposit?.slice(0, digits) ?? 'all'
  return [
    id.slice(0, digits),
    name,
    scope || 'reads',
    only,
    expires?.slice(0, 10) ?? 'never',
    parent?.slice(0, digits) ?? '-',
  ].map(plain)
}

async function revokeTokens(
  context: CliContext,
  ids: readonly string[],
  options: CommonOptions,
): Promise<void> {
  const { findToken, revokeToken } = await import('../client/token-client.ts')
  const { connection } = await context.client(options)
  const found: string[] = []
  // Look all of them up first, so that a mistyped id revokes nothing.
  for (const given of ids) found.push(await findToken(connection, given))
  for (const id of found) {
    await revokeToken(connection, id)
    narrate(context.streams, options, `Revoked ${id}`)
  }
  const body = found.map((id) => ({ id }))
  print(context.streams, options, { body, ids: found, lines: () => [] })
}

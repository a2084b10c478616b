import type { Command } from 'commander'
import { amountsOf } from '../../core/contract/usage.ts'
import { clientId } from '../auth/issuer.ts'
import type { MeBody } from '../client/bodies.ts'
import type { CliContext } from '../session/context.ts'
import { plain } from '../plain.ts'
import { print } from '../output/print.ts'
import { formatBytes } from '../output/units.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit whoami`: the user, and what the token allows. */
export function whoamiCommand(context: CliContext): Command {
  return newCommand('whoami', {
    'deposit whoami': 'who you are at the server, and what you may do there',
    'deposit whoami --quiet': 'only the id of the user',
  })
    .description(
      'Show who you are signed in as, where, what your access token allows, and what your quota is used by.',
    )
    .action((options: CommonOptions) => whoami(context, options))
}

async function whoami(context: CliContext, options: CommonOptions): Promise<void> {
  const client = await context.client(options)
  const me = await client.me()
  const { origin } = client.connection.server
  print(context.streams, options, {
    body: me,
    ids: [plain(me.user)],
    lines: () => describe(me, origin),
  })
}

function describe(me: MeBody, origin: string): readonly string[] {
  const isRenewed = me.token?.name === clientId
  const roles = me.roles ?? (me.admin ? ['administrator'] : [])
  const role = roles.length > 0 ? ` (${roles.join(', ')})` : ''
  return [
    `${me.email ?? me.user}${role} at ${origin}`,
    `User: ${me.user}`,
    `Scopes: ${me.scopes.join(' ') || 'none: this token reads'}`,
    ...(me.token === null || isRenewed ? [] : [`Token: ${me.token.name}`]),
    ...(me.deposit === null ? [] : [`Only for deposit: ${me.deposit}`]),
    ...describeUsage(me),
    `Until: ${me.expires ?? 'no end'}${isRenewed ? ', then renewed by itself' : ''}`,
  ].map(plain)
}

/** How much of the quota is used, by kind; no line for an older server. */
function describeUsage({ used, quota, usage }: MeBody): readonly string[] {
  if (typeof used !== 'number' || typeof quota !== 'number') return []
  const by = amountsOf(usage ?? {}).map(([bytes, kind]) => `${formatBytes(bytes)} of ${kind}`)
  const of = by.length === 0 ? '' : `: ${by.join(', ')}`
  return [`Quota: ${formatBytes(used)} of ${formatBytes(quota)} used${of}`]
}

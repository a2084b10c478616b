import type { Command } from 'commander'
import { clientId } from '../auth/issuer.ts'
import type { MeBody } from '../client/bodies.ts'
import type { CliContext } from '../session/context.ts'
import { plain } from '../plain.ts'
import { print } from '../output/print.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit whoami`: the user, and what the token allows. */
export function whoamiCommand(context: CliContext): Command {
  return newCommand('whoami', {
    'deposit whoami': 'who you are at the server, and what you may do there',
    'deposit whoami --quiet': 'only the id of the user',
  })
    .description('Show who you are signed in as, where, and what your access token allows.')
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
    `Until: ${me.expires ?? 'no end'}${isRenewed ? ', then renewed by itself' : ''}`,
  ].map(plain)
}

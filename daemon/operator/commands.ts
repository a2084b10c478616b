import { createClient, listClients, removeClient } from './client-commands.ts'
import type { Command, OperatorContext, Options, Outcome } from './operator-command.ts'
import { OperatorFailure } from './operator-failure.ts'
import { redirectPid, showPid, undelete } from './pid-commands.ts'
import { createToken, listTokens, revokeToken } from './token-commands.ts'
import { addUser, disableUser, grantAdmin, linkUser, listUsers } from './user-commands.ts'

const commands: Readonly<Record<string, Command>> = {
  'pid show': showPid,
  'pid redirect': redirectPid,
  undelete,
  'user add': addUser,
  'user link': linkUser,
  'user list': listUsers,
  'user admin': grantAdmin,
  'user disable': disableUser,
  'token create': createToken,
  'token list': listTokens,
  'token revoke': revokeToken,
  'client create': createClient,
  'client list': listClients,
  'client remove': removeClient,
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

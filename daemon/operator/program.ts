import { Command } from 'commander'
import { runOnHome } from './run-on-home.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The operator's commands, which work whether the daemon runs or not. */
export function operatorCommands(env: Environment): readonly Command[] {
  const run = (name: string, options: object): Promise<void> => runOnHome(env, name, options)
  return [
    userCommands(run),
    tokenCommands(run),
    clientCommands(run),
    pidCommands(run),
    undeleteCommand(run),
  ]
}

type Run = (name: string, options: object) => Promise<void>

function userCommands(run: Run): Command {
  const user = new Command('user').description('add, list and disable users')
  user
    .command('add')
    .description('add a user, and print the link under which they set a passphrase')
    .argument('<email>')
    .option('--admin', 'grant the permission deposit-admin-access')
    .action((email: string, { admin }: { readonly admin?: true }) =>
      run('user add', { email, ...(admin && { admin: 'true' }) }),
    )
  user
    .command('link')
    .description('print another link to set a passphrase')
    .argument('<email>')
    .action((email: string) => run('user link', { email }))
  user
    .command('list')
    .description('list the users')
    .action(() => run('user list', {}))
  user
    .command('admin')
    .description('grant the permission deposit-admin-access, or take it back')
    .argument('<email>')
    .option('--revoke', 'take it back')
    .action((email: string, { revoke }: { readonly revoke?: true }) =>
      run('user admin', { email, ...(revoke && { revoke: 'true' }) }),
    )
  user
    .command('disable')
    .description('refuse every token of a user from now on')
    .argument('<email>')
    .action((email: string) => run('user disable', { email }))
  return user
}

function tokenCommands(run: Run): Command {
  const token = new Command('token').description('create, list and revoke access tokens')
  token
    .command('create')
    .description('create a token, and print it alone on the last line')
    .requiredOption('--user <email>', 'whose token it is')
    .option('--scope <scopes>', 'deposit:write, deposit:actions, or none to read', '')
    .option('--name <name>', 'what the token is for')
    .option('--expires <duration>', 'how long it is good, such as 30d')
    .option('--deposit <id>', 'make it good for this deposit alone')
    .action((options: object) => run('token create', options))
  token
    .command('list')
    .description('list the tokens, without their values')
    .action(() => run('token list', {}))
  token
    .command('revoke')
    .description('refuse a token from now on')
    .argument('<id>')
    .action((id: string) => run('token revoke', { id }))
  return token
}

function clientCommands(run: Run): Command {
  const client = new Command('client').description('programs that sign in with a secret')
  client
    .command('create')
    .description('create a client, and print its id and its secret')
    .argument('<name>')
    .requiredOption('--owner <email>', 'whose the deposits of the client are')
    .option('--scope <scopes>', 'deposit:write, deposit:actions, or none to read', '')
    .action((name: string, options: object) => run('client create', { name, ...options }))
  client
    .command('list')
    .description('list the clients, without their secrets')
    .action(() => run('client list', {}))
  client
    .command('remove')
    .description('refuse a client and its tokens from now on')
    .argument('<id>')
    .action((id: string) => run('client remove', { id }))
  return client
}

function pidCommands(run: Run): Command {
  const pid = new Command('pid').description('show and redirect persistent identifiers')
  pid
    .command('show')
    .description('print what an identifier stands for, and its status')
    .argument('<type>', 'depid or recid')
    .argument('<value>')
    .action((type: string, value: string) => run('pid show', { type, value }))
  pid
    .command('redirect')
    .description('let an identifier lead to another of its type')
    .argument('<type>', 'depid or recid')
    .argument('<value>', 'the one that is given up')
    .argument('<target>', 'the one it leads to')
    .action((type: string, value: string, target: string) =>
      run('pid redirect', { type, value, target }),
    )
  return pid
}

function undeleteCommand(run: Run): Command {
  return new Command('undelete')
    .description('bring back a deposit that was deleted with force=false')
    .argument('<id>')
    .action((id: string) => run('undelete', { id }))
}

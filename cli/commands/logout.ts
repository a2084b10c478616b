import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { narrate } from '../output/print.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit logout`: forgets the stored sign-in. */
export function logoutCommand(context: CliContext): Command {
  return newCommand('logout', {
    'deposit logout': 'forgets the sign-in at the server of DEPOSIT_URL, or the local daemon',
  })
    .description(
      'Forget the sign-in at a server. At the local daemon the next command signs in by itself.',
    )
    .action((options: CommonOptions) => logout(context, options))
}

async function logout({ config, http, streams }: CliContext, options: CommonOptions) {
  const [{ CredentialStore }, { readDaemonFile }] = await Promise.all([
    import('../auth/credential-store.ts'),
    import('../local-daemon/find.ts'),
    http(),
  ])
  const daemon = await readDaemonFile(await config.home())
  const server = config.server() ?? (daemon && new URL(daemon.url))
  const store = new CredentialStore(await config.credentialsFile())
  const wasSignedIn = server !== undefined && (await store.remove(server.origin))
  const where = server?.origin ?? 'the local daemon'
  narrate(
    streams,
    options,
    wasSignedIn ? `Signed out of ${where}` : `You were not signed in at ${where}`,
  )
}

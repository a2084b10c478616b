import { Option, type Command } from 'commander'
import type { Credential, CredentialStore } from '../auth/credential-store.ts'
import type { CliContext } from '../session/context.ts'
import { RehearsalEnd } from '../client/rehearsal.ts'
import { Failure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import { plain } from '../plain.ts'
import { newChange, type CommonOptions } from './command.ts'

/** `deposit logout`: ends the stored sign-in. */
export function logoutCommand(context: CliContext): Command {
  return newChange('logout', {
    'deposit logout': 'signs out of the server of DEPOSIT_URL, or the local daemon',
    'deposit logout --everywhere': 'ends all sign-ins, in browsers and on other machines too',
    'deposit logout --list': 'shows where you are signed in, and signs out of nothing',
    'deposit logout --sign-in 3f9a61c2': 'ends that one, on a lost device for example',
  })
    .option('--everywhere', 'end all your sign-ins at the server, on every machine and browser')
    .addOption(
      new Option(
        '--sign-in <id>',
        'end only this one of your sign-ins, as --list shows it',
      ).conflicts('everywhere'),
    )
    .addOption(
      new Option('--list', 'list your sign-ins at the server, and end none').conflicts([
        'everywhere',
        'signIn',
      ]),
    )
    .description(
      'Remove the sign-in at a server, and revoke it there. A token that was made elsewhere is ' +
        'only removed here; to revoke it, see `deposit token revoke`. At the local daemon the ' +
        'next command signs in by itself.',
    )
    .action((options: LogoutOptions) => logout(context, options))
}

interface LogoutOptions extends CommonOptions {
  readonly everywhere?: boolean
  readonly list?: boolean
  readonly signIn?: string
}

async function logout(context: CliContext, options: LogoutOptions): Promise<void> {
  const { config, streams, signal } = context
  if (options.list) return list(context, options)
  if (options.signIn !== undefined) return endOne(context, options.signIn, options)
  if (options.everywhere) await endEverywhere(context, options)
  const [{ CredentialStore }, { readDaemonFile }] = await Promise.all([
    import('../auth/credential-store.ts'),
    import('../local-daemon/find.ts'),
  ])
  const daemon = await readDaemonFile(await config.home())
  const server = config.server() ?? (daemon && new URL(daemon.url))
  const store = new CredentialStore(await config.credentialsFile())
  const remove = options.dryRun ? rehearse : forget
  const removed = server && (await remove(store, server, signal))
  const where = server?.origin ?? 'the local daemon'
  if (server === undefined || removed === undefined) {
    narrate(streams, options, `You were not signed in at ${where}`)
  } else {
    if (removed.refresh !== undefined) await end(context, options, server, removed)
    narrate(streams, options, `Signed out of ${where}`)
  }
  const body = { url: server?.origin ?? null, signed_out: removed !== undefined }
  print(streams, options, { body, ids: [], lines: () => [] })
}

async function list(context: CliContext, options: CommonOptions): Promise<void> {
  const { streams } = context
  const [{ listSignIns }, { formatTable }] = await Promise.all([
    import('../client/token-client.ts'),
    import('../output/table.ts'),
  ])
  const { connection } = await context.client(options)
  const all = await listSignIns(connection)
  if (all.length === 0) narrate(streams, options, 'You are signed in nowhere')
  const digits = streams.isOutTerminal ? 8 : 32
  const rows = all.map(({ id, program, since, until, current }) =>
    [
      id.slice(0, digits),
      program,
      since?.slice(0, 10) ?? '-',
      until.slice(0, 10),
      current ? 'this one' : '',
    ].map(plain),
  )
  const table = all.length === 0 ? [] : await formatTable(streams, columns, rows)
  print(streams, options, { body: all, ids: all.map(({ id }) => id), lines: () => table })
}

const columns = [
  { title: 'ID' },
  { title: 'PROGRAM', isFlexible: true },
  { title: 'SINCE' },
  { title: 'UNTIL' },
  { title: '' },
] as const

async function endOne(context: CliContext, id: string, options: CommonOptions): Promise<void> {
  const { endSignIn } = await import('../client/token-client.ts')
  const { connection } = await context.client(options)
  const ended = await endSignIn(connection, id)
  const since = ended.since === undefined ? '' : ` of ${ended.since.slice(0, 10)}`
  if (ended.current) {
    const { CredentialStore } = await import('../auth/credential-store.ts')
    const store = new CredentialStore(await context.config.credentialsFile())
    await forget(store, connection.server, context.signal)
  }
  narrate(context.streams, options, `Ended the sign-in${since} in ${plain(ended.program)}`)
  const body = { url: connection.server.origin, signed_out: ended.current === true, id: ended.id }
  print(context.streams, options, { body, ids: [ended.id], lines: () => [] })
}

/** Ends all sign-ins at the server, and says so; personal tokens stay. */
async function endEverywhere(context: CliContext, options: CommonOptions): Promise<void> {
  const { endSignIns } = await import('../client/token-client.ts')
  const { connection } = await context.client(options)
  await endSignIns(connection)
  narrate(
    context.streams,
    options,
    'All your sign-ins have ended. Your access tokens stay: `deposit token list` shows them',
  )
}

function forget(store: CredentialStore, { origin }: URL, signal: AbortSignal): Promise<Removed> {
  return store.exclusively(signal, () => store.remove(origin))
}

/** Undefined without a stored sign-in. */
async function rehearse(store: CredentialStore, { origin }: URL): Promise<Removed> {
  if ((await store.find(origin)) === undefined) return undefined
  throw new RehearsalEnd(`sign out of ${origin}`)
}

type Removed = Credential | undefined

/** Revokes the tokens; they are already removed here, also if the server cannot be reached. */
async function end(
  { http, streams }: CliContext,
  options: CommonOptions,
  server: URL,
  { refresh: token = '', issuer, home }: Credential,
): Promise<void> {
  const [{ findIssuer }, { revoke }] = await Promise.all([
    import('../auth/issuer.ts'),
    import('../auth/device-sign-in.ts'),
  ])
  const sender = await http()
  const insecure = options.insecure === true
  try {
    const { isDaemonAt, notThatDaemon } = await import('../local-daemon/find.ts')
    // A sign-in granted by a home's key is sent back only to the daemon of that home.
    const isItsOwn = home === undefined || (await isDaemonAt(server, home, sender))
    if (!isItsOwn) throw notThatDaemon(server.origin, home)
    const found = await findIssuer({ server, http: sender, insecure, only: issuer })
    await revoke(found, token, sender.signal)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    narrate(streams, options, `The token could not be revoked at the server: ${error.said}`)
  }
}

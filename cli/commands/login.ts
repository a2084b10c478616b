import { advice } from '../advice.ts'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { DeviceAuthorizationResponse } from 'openid-client'
import { scopes } from '../../core/contract/scopes.ts'
import { parseScope } from '../options.ts'
import { RehearsalEnd } from '../client/rehearsal.ts'
import type { CliContext } from '../session/context.ts'
import { isTerminal } from '../session/keyboard.ts'
import { UsageFailure } from '../failure.ts'
import type { Streams } from '../output/streams.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { newChange, type CommonOptions } from './command.ts'

interface LoginOptions extends CommonOptions {
  readonly withToken?: true
  readonly scope?: string
  /** False with `--no-browser`. */
  readonly browser: boolean
}

/** `deposit login`: signs in and stores the sign-in. */
export function loginCommand(context: CliContext): Command {
  return newChange('login', {
    'deposit login': 'signs in at the server of DEPOSIT_URL, or at the local daemon',
    'deposit login --scope deposit:write': 'may change drafts, but not publish them',
    'deposit login --no-browser': 'shows only the address and the code',
    'deposit login --with-token < token.txt': 'stores a token that was made elsewhere',
  })
    .description(
      'Sign in, and store the sign-in in a file that only you can read. Your own local daemon ' +
        'needs no sign-in: commands do it by themselves. Elsewhere an address and a code are ' +
        'shown: open the address in any browser and compare the code. A sign-in is renewed by ' +
        'itself, and ends after 30 days without use.',
    )
    .option('--with-token', 'read an access token from standard input')
    .option('--scope <scopes>', `scopes of the sign-in: ${Object.keys(scopes).join(', ')}`)
    .option('--no-browser', 'do not open the browser')
    .action((options: LoginOptions) => login(context, options))
}

async function login(context: CliContext, options: LoginOptions): Promise<void> {
  const { streams } = context
  const [{ rehearseSignIn, requireUsable, signIn }, { spinWhile }] = await Promise.all([
    import('../session/sign-in.ts'),
    import('../output/progress.ts'),
  ])
  const { quiet = false, insecure = false } = options
  const wanted = {
    quiet,
    insecure,
    ...(options.withToken && { given: await readToken(context) }),
    ...(options.scope !== undefined && { scope: parseScope(options.scope) }),
  }
  const { token } = context.config
  if (token !== undefined)
    narrate(streams, options, 'DEPOSIT_TOKEN is set: other commands use it, and not this sign-in')
  if (options.dryRun) throw new RehearsalEnd(await rehearseSignIn(context, wanted))
  const { me, origin } = await signIn(context, {
    ...wanted,
    showCode: (device) => showCode(context, options, device),
    waitFor: (work) => spinWhile(streams, { text: 'Waiting for your approval' }, work),
  })
  narrate(streams, options, `Signed in at ${origin} as ${me.email ?? me.user}`)
  print(streams, options, { body: me, ids: [me.user], lines: () => [] })
  if (token !== undefined) await requireUsable(context, origin, token)
}

/** Shown also with `--quiet`: without the code the sign-in cannot be approved. */
async function showCode(
  { streams, config }: CliContext,
  { browser: isWanted }: LoginOptions,
  { user_code: code, verification_uri: page }: Device,
): Promise<void> {
  streams.note(`Open ${plain(page)}`)
  streams.note(`and enter the code ${plain(code)}`)
  if (!isWanted || !streams.isWatched) return
  const { openInBrowser } = await import('../output/browser.ts')
  // The address has no code: other users can read program arguments, and could approve the code
  // first, which would sign us in as them.
  await openInBrowser(page, config.hasDesktop)
}

type Device = DeviceAuthorizationResponse

async function readToken({ stdin, streams }: CliContext): Promise<string> {
  const token = (await (isTerminal(stdin) ? ask(stdin, streams) : text(stdin))).trim()
  if (/^\S+$/.test(token)) return token
  throw new UsageFailure({
    tried: 'read the token',
    said: 'standard input does not hold one token',
    next: advice.giveToken(),
  })
}

/** Reads a line of a terminal without echo. */
async function ask(stdin: typeof process.stdin, streams: Streams): Promise<string> {
  streams.note('Paste the access token and press Enter; it is not shown')
  const { createInterface } = await import('node:readline/promises')
  // With a terminal as input and no output, readline echoes nothing.
  const keys = createInterface({ input: stdin, terminal: true })
  try {
    return await keys.question('')
  } finally {
    keys.close()
  }
}

import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import { newCommand, type CommonOptions } from './command.ts'

interface LoginOptions extends CommonOptions {
  readonly withToken?: true
}

/** `deposit login`: signs in and stores it for the commands that follow. */
export function loginCommand(context: CliContext): Command {
  return newCommand('login', {
    'deposit login': 'signs in at the local daemon',
    'deposit login --with-token < token.txt': 'stores a token for the server of DEPOSIT_URL',
  })
    .description(
      'Sign in and store it, readable by you alone. At your own local daemon this needs no ' +
        'password; commands do it by themselves.',
    )
    .option('--with-token', 'read an access token from standard input')
    .action((options: LoginOptions) => login(context, options))
}

async function login(context: CliContext, options: LoginOptions): Promise<void> {
  const { streams } = context
  const { signIn } = await import('../auth/sign-in.ts')
  const given = options.withToken ? await readToken(context.stdin) : undefined
  const signedIn = await signIn(context, options, given)
  if (signedIn === undefined) throw tokenNeeded()
  const { me, origin } = signedIn
  narrate(streams, options, `Signed in at ${origin} as ${me.email ?? me.user}`)
  print(streams, options, { body: me, ids: [me.user], lines: () => [] })
}

async function readToken(stdin: NodeJS.ReadableStream): Promise<string> {
  const token = (await text(stdin)).trim()
  if (/^\S+$/.test(token)) return token
  throw new UsageFailure({
    tried: 'read the token',
    said: 'standard input does not hold one token',
    next: 'write `deposit login --with-token < FILE`',
  })
}

function tokenNeeded(): Failure {
  return new Failure(
    {
      tried: 'sign in',
      said: 'this server is not your own local daemon',
      next: 'make an access token there; then `deposit login --with-token < FILE`',
    },
    { exitCode: exitCodes.signInFirst },
  )
}

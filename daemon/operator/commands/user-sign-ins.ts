import type { Account } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { endSignIns } from '../../sign-in/identity/end-sign-ins.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { parseEmail, requireAccount } from '../command/operator-options.ts'
import { requireOtherAdmin } from './user-commands.ts'

/** `user disable`: nothing is deleted but sign-ins, and nothing of the user's is let in any more. */
async function disableUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const { email } = await setDisabled(context, options, true)
  const signIns = context.issuer ? '' : ', and their sign-ins have ended'
  return {
    notes: [`Disabled ${email}; tokens of theirs are refused from now on${signIns}.`],
    results: [],
    data: { email, disabled: true },
  }
}

/** `user enable`: the user's personal tokens are valid again, if they have not expired. */
async function enableUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const { email } = await setDisabled(context, options, false)
  const good = context.issuer
    ? 'their tokens are good again.'
    : 'their passphrase and personal tokens are good again. They sign in again.'
  return { notes: [`Enabled ${email}; ${good}`], results: [], data: { email, disabled: false } }
}

async function setDisabled(
  context: OperatorContext,
  options: Options,
  disabled: boolean,
): Promise<Account> {
  return context.database.write(async (unit) => {
    const account = await unit.accounts.findByEmail(parseEmail(options['email']))
    const known = requireAccount(account, options['email'])
    if (disabled) await requireOtherAdmin(context, unit, known, options)
    await unit.accounts.update({ ...known, disabled })
    if (disabled) await endSignIns(unit, known.id)
    return known
  })
}

/** `user sign-out`: for somebody whose passphrase or device is in other hands. */
async function signOutUser(
  { database, issuer }: OperatorContext,
  options: Options,
): Promise<Outcome> {
  const email = parseEmail(options['email'])
  if (issuer) {
    throw new OperatorFailure(
      `People sign in at ${issuer.issuer}: sign-ins end there.`,
      advice.disableUser(email),
    )
  }
  await database.write(async (unit) => {
    const { id } = requireAccount(await unit.accounts.findByEmail(email), email)
    await endSignIns(unit, id)
  })
  return {
    notes: [`Ended all sign-ins of ${email}. ${advice.revokeTokens()}`],
    results: [],
    data: { email, signed_out: true },
  }
}

const email = { name: 'email' }

export const userSignInCommands: readonly OperatorCommand[] = [
  {
    name: 'user sign-out',
    summary: 'end all sign-ins of a user; personal tokens stay',
    arguments: [email],
    kind: 'short',
    run: signOutUser,
  },
  {
    name: 'user disable',
    summary: 'disable a user: end their sign-ins, and refuse all their tokens',
    arguments: [email],
    options: [{ flags: '--yes', summary: 'allow it even if no administrator is left' }],
    kind: 'short',
    run: disableUser,
  },
  {
    name: 'user enable',
    summary: 'enable a disabled user, who signs in again',
    arguments: [email],
    kind: 'short',
    run: enableUser,
  },
]

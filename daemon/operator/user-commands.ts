import { randomUUID } from 'node:crypto'
import { parseUserId, type Account } from '../../core/index.ts'
import { issuePassphraseLink } from '../identity/passphrase-link.ts'
import type { OperatorContext, Options, Outcome } from './operator-command.ts'
import { OperatorFailure } from './operator-failure.ts'
import { parseEmail, requireAccount } from './operator-options.ts'

/** `user add`: an account, and the link under which its user sets a passphrase. */
export async function addUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const { database, clock } = context
  const email = parseEmail(options['email'])
  const account = {
    id: parseUserId(randomUUID()),
    email,
    admin: options['admin'] === 'true',
    disabled: false,
    created: clock.now(),
  }
  await database.write(async (unit) => {
    if (await unit.accounts.findByEmail(email)) {
      throw new OperatorFailure(`There is a user ${email} already.`)
    }
    await unit.accounts.insert(account)
  })
  const role = account.admin ? ' as an administrator' : ''
  const link = await linkFor(context, account)
  return { notes: [`Added ${email}${role}. ${purpose}`], results: [link] }
}

/** `user link`: another link, for a user who lost the first or the passphrase. */
export async function linkUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const account = requireAccount(await context.database.read.accounts.findByEmail(email), email)
  return { notes: [purpose], results: [await linkFor(context, account)] }
}

const purpose = 'Give them this link: under it they set their passphrase, once, within 7 days.'

async function linkFor(context: OperatorContext, { id }: Account): Promise<string> {
  const secret = await issuePassphraseLink(context, id)
  return `${context.origin()}/oauth/passphrase?link=${secret}`
}

/** `user list` */
export async function listUsers({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  return {
    notes: [],
    results: accounts.map(({ id, email, admin, disabled }) =>
      [id, email, admin ? 'administrator' : 'user', disabled ? 'disabled' : 'active'].join('\t'),
    ),
  }
}

/** `user admin`: grants the permission `deposit-admin-access`, or takes it back. */
export async function grantAdmin(
  { database }: OperatorContext,
  options: Options,
): Promise<Outcome> {
  const admin = options['revoke'] !== 'true'
  const email = parseEmail(options['email'])
  await database.write(async (unit) => {
    const account = requireAccount(await unit.accounts.findByEmail(email), email)
    await unit.accounts.update({ ...account, admin })
  })
  const now = admin ? 'is an administrator now' : 'is no administrator any more'
  return { notes: [`${email} ${now}.`], results: [] }
}

/** `user disable`: nothing is deleted, and nothing of the user's is let in any more. */
export async function disableUser(
  { database }: OperatorContext,
  options: Options,
): Promise<Outcome> {
  const email = await database.write(async (unit) => {
    const account = await unit.accounts.findByEmail(parseEmail(options['email']))
    const known = requireAccount(account, options['email'])
    await unit.accounts.update({ ...known, disabled: true })
    return known.email
  })
  return { notes: [`Disabled ${email}; tokens of theirs are refused from now on.`], results: [] }
}

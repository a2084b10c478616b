import { randomUUID } from 'node:crypto'
import { parseUserId, type Account } from '../../core/index.ts'
import { issuePassphraseLink } from '../identity/passphrase-link.ts'
import { listed } from './operator-command.ts'
import type { OperatorCommand, OperatorContext, Options, Outcome } from './operator-command.ts'
import { OperatorFailure } from './operator-failure.ts'
import { parseEmail, parseSize, requireAccount } from './operator-options.ts'

/** `user add`: an account, and the link under which its user sets a passphrase. */
async function addUser(context: OperatorContext, options: Options): Promise<Outcome> {
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
  return {
    notes: [`Added ${email}${role}. ${purpose}`],
    results: [link],
    data: { id: account.id, email, admin: account.admin, link },
  }
}

/** `user link`: another link, for a user who lost the first or the passphrase. */
async function linkUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const account = requireAccount(await context.database.read.accounts.findByEmail(email), email)
  const link = await linkFor(context, account)
  return { notes: [purpose], results: [link], data: { email, link } }
}

const purpose = 'Give them this link: under it they set their passphrase, once, within 7 days.'

/** A link under which a user sets a passphrase; its secret is in no address that a server sees. */
export async function linkFor(context: OperatorContext, { id }: Account): Promise<string> {
  const secret = await issuePassphraseLink(context, id)
  return `${context.origin()}/oauth/passphrase#${secret}`
}

/** `user list` */
async function listUsers({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const rows = accounts.map(({ id, email, admin, disabled, quota }) => ({
    id,
    email,
    admin,
    disabled,
    quota: quota ?? null,
  }))
  return listed(rows, ({ id, email, admin, disabled }) => [
    id,
    email,
    admin ? 'administrator' : 'user',
    disabled ? 'disabled' : 'active',
  ])
}

/** `user admin`: grants the permission `deposit-admin-access`, or takes it back. */
async function grantAdmin({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const admin = options['revoke'] !== 'true'
  const email = parseEmail(options['email'])
  await database.write(async (unit) => {
    const account = requireAccount(await unit.accounts.findByEmail(email), email)
    await unit.accounts.update({ ...account, admin })
  })
  const now = admin ? 'is an administrator now' : 'is no administrator any more'
  return { notes: [`${email} ${now}.`], results: [], data: { email, admin } }
}

/** `user quota`: how many bytes the files of one user may have. */
async function setQuota({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const size = options['size'] ?? ''
  const quota = size === 'default' ? undefined : parseSize(size)
  const used = await database.write(async (unit) => {
    const account = requireAccount(await unit.accounts.findByEmail(email), email)
    const { quota: _, ...rest } = account
    await unit.accounts.update({ ...rest, ...(quota !== undefined && { quota }) })
    return unit.usage.of(account.id)
  })
  const now = quota === undefined ? 'the quota of all users' : `a quota of ${quota} bytes`
  return {
    notes: [`${email} has ${now}, and uses ${used}.`],
    results: [],
    data: { email, quota: quota ?? null, used },
  }
}

/** `user disable`: nothing is deleted, and nothing of the user's is let in any more. */
async function disableUser({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const email = await database.write(async (unit) => {
    const account = await unit.accounts.findByEmail(parseEmail(options['email']))
    const known = requireAccount(account, options['email'])
    await unit.accounts.update({ ...known, disabled: true })
    return known.email
  })
  return {
    notes: [`Disabled ${email}; tokens of theirs are refused from now on.`],
    results: [],
    data: { email, disabled: true },
  }
}

const email = { name: 'email' }

export const userCommands: readonly OperatorCommand[] = [
  {
    name: 'user add',
    summary: 'add a user, and print the link under which they set a passphrase',
    arguments: [email],
    options: [{ flags: '--admin', summary: 'grant the permission deposit-admin-access' }],
    kind: 'short',
    run: addUser,
  },
  {
    name: 'user quota',
    summary: 'set how many bytes the files of a user may have',
    arguments: [email, { name: 'size', summary: '20GB, 20GiB, a number of bytes, or default' }],
    kind: 'short',
    run: setQuota,
  },
  {
    name: 'user link',
    summary: 'print another link to set a passphrase',
    arguments: [email],
    kind: 'short',
    run: linkUser,
  },
  { name: 'user list', summary: 'list the users', kind: 'short', run: listUsers },
  {
    name: 'user admin',
    summary: 'grant the permission deposit-admin-access, or take it back',
    arguments: [email],
    options: [{ flags: '--revoke', summary: 'take it back' }],
    kind: 'short',
    run: grantAdmin,
  },
  {
    name: 'user disable',
    summary: 'refuse every token of a user from now on',
    arguments: [email],
    kind: 'short',
    run: disableUser,
  },
]

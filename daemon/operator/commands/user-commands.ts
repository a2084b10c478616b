import { randomUUID } from 'node:crypto'
import { formatBytes } from '../../../core/base/amounts.ts'
import {
  isRole,
  parseUserId,
  roles,
  rolesOf,
  sumOfUsage,
  type Account,
  type Role,
  type UnitOfWork,
  type Usage,
} from '../../../core/index.ts'
import { amountsOf } from '../../../core/contract/usage.ts'
import { advice } from '../../advice.ts'
import { issuePassphraseLink } from '../../sign-in/identity/passphrase-link.ts'
import { listed } from '../command/operator-command.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import {
  parseEmail,
  parseNewEmail,
  requireSize,
  requireAccount,
  requirePlainName,
} from '../command/operator-options.ts'

/** `user add`: an account, and the link under which its user sets a passphrase. */
async function addUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const { database, clock } = context
  const email = parseNewEmail(options['email'])
  const wanted = {
    email,
    ...(options['name'] !== undefined && { name: options['name'] }),
    admin: options['admin'] === 'true',
    disabled: false,
    created: clock.now(),
  }
  const account = await database.write(async (unit) => {
    if (await unit.accounts.findByEmail(email)) {
      throw new OperatorFailure(`There is a user ${email} already.`)
    }
    const id = (await unit.invitations.take(email)) ?? parseUserId(randomUUID())
    const made = { id, ...wanted }
    await unit.accounts.insert(made)
    return made
  })
  const role = account.admin ? ' as an administrator' : ''
  const added = `Added ${email}${role}.`
  const data = { id: account.id, email, name: account.name ?? null, admin: account.admin }
  if (context.issuer) {
    const elsewhere = `People sign in at ${context.issuer.issuer}, and get accounts of their own then.`
    return { notes: [`${added} ${elsewhere}`, advice.makeToken(email)], results: [], data }
  }
  const link = await linkFor(context, account)
  return { notes: [`${added} ${advice.giveLink()}`], results: [link], data: { ...data, link } }
}

/** `user link`: another link, for a user who lost the first or the passphrase. */
async function linkUser(context: OperatorContext, options: Options): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const account = requireAccount(await context.database.read.accounts.findByEmail(email), email)
  if (context.issuer) {
    throw new OperatorFailure(
      `People sign in at ${context.issuer.issuer}: there is no passphrase to set here.`,
    )
  }
  if (account.disabled) {
    throw new OperatorFailure(
      `${email} is disabled and could not sign in.`,
      advice.enableUser(email),
    )
  }
  const link = await linkFor(context, account)
  const notes = [`${advice.giveLink()} Earlier links of theirs no longer work.`]
  return { notes, results: [link], data: { email, link } }
}

/** A link under which a user sets a passphrase; its secret is in no address that a server sees. */
export async function linkFor(context: OperatorContext, { id }: Account): Promise<string> {
  const secret = await issuePassphraseLink(context, id)
  return `${context.origin()}/oauth/passphrase#${secret}`
}

/** `user list` */
async function listUsers({ database, issuer }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const rows = accounts.map((account) => ({
    id: account.id,
    email: account.email,
    name: account.name ?? null,
    admin: account.admin,
    admin_by_claim: rolesByClaim(account, issuer).includes('administrator'),
    roles: [...rolesOf(account)],
    roles_by_claim: rolesByClaim(account, issuer),
    disabled: account.disabled,
    quota: account.quota ?? null,
  }))
  return listed(rows, ({ id, email, name, roles: own, roles_by_claim: claimed, disabled }) => [
    id,
    email,
    inWords(own, claimed),
    disabled ? 'disabled' : 'active',
    name ?? '-',
  ])
}

function inWords(own: readonly Role[], claimed: readonly Role[]): string {
  const further = claimed.filter((role) => !own.includes(role)).map((role) => `${role} by claim`)
  return [...own, ...further].join(', ') || 'user'
}

/** Roles of claims count as long as the service looks for such claims. */
function rolesByClaim(
  { claimedAdmin, claimedRoles = [], subject }: Account,
  issuer: OperatorContext['issuer'],
): readonly Role[] {
  if (issuer === undefined || subject?.issuer !== issuer.issuer) return []
  const claimed = [...(claimedAdmin ? (['administrator'] as const) : []), ...claimedRoles]
  return claimed.filter((each) => issuer.roleClaims.some(({ role }) => role === each))
}

/** `user admin`: grants the permission `deposit-admin-access`, or takes it back. */
function setAdmin(context: OperatorContext, options: Options): Promise<Outcome> {
  return setRole(context, { ...options, role: 'administrator' }, options['revoke'] !== 'true')
}

/** `role grant` and `role revoke`. */
async function setRole(
  context: OperatorContext,
  options: Options,
  isGranted: boolean,
): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const role = requireRole(options['role'])
  const now = await context.database.write(async (unit) => {
    const account = requireAccount(await unit.accounts.findByEmail(email), email)
    if (role === 'administrator' && !isGranted) {
      await requireOtherAdmin(context, unit, account, options)
    }
    const changed = withRole(account, role, isGranted)
    await unit.accounts.update(changed)
    return changed
  })
  const named = role === 'administrator' ? 'an administrator' : `a ${role}`
  const said = isGranted ? `is ${named} now` : `is no longer ${named}`
  const claimed = rolesByClaim(now, context.issuer).includes(role)
  const stays =
    claimed && !isGranted ? ` A claim of ${context.issuer?.issuer} still makes them one.` : ''
  const data = { email, admin: now.admin, roles: [...rolesOf(now)] }
  return { notes: [`${email} ${said}.${stays}`], results: [], data }
}

/** @throws {OperatorFailure} there is no such role */
function requireRole(name = ''): Role {
  if (isRole(name)) return name
  throw new OperatorFailure(`There is no role "${name}": use ${roles.join(', ')}.`)
}

function withRole(account: Account, role: Role, isGranted: boolean): Account {
  if (role === 'administrator') return { ...account, admin: isGranted }
  const others = (account.roles ?? []).filter((each) => each !== role)
  return { ...account, roles: isGranted ? [...others, role] : others }
}

/** `user quota`: how many bytes one user may have. */
async function setQuota({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const email = parseEmail(options['email'])
  const size = options['size'] ?? ''
  const quota = size === 'default' ? undefined : requireSize(size)
  const user = await database.write(async (unit) => {
    const account = requireAccount(await unit.accounts.findByEmail(email), email)
    const { quota: _, ...rest } = account
    await unit.accounts.update({ ...rest, ...(quota !== undefined && { quota }) })
    return account.id
  })
  const usage = await database.read.usage.breakdown(user)
  const used = sumOfUsage(usage)
  const now = quota === undefined ? 'the default quota' : `a quota of ${formatBytes(quota)}`
  return {
    notes: [`${email} has ${now}, and uses ${formatBytes(used)}${sayUsage(usage)}.`],
    results: [],
    data: { email, quota: quota ?? null, used, usage: { ...usage } },
  }
}

/** Bytes by kind, if there are any. */
function sayUsage(usage: Usage): string {
  const some = amountsOf(usage).map(([bytes, kind]) => `${formatBytes(bytes)} of ${kind}`)
  return some.length === 0 ? '' : `: ${some.join(', ')}`
}

/** @throws {OperatorFailure} no other user who may sign in is an administrator */
export async function requireOtherAdmin(
  { issuer }: Pick<OperatorContext, 'issuer'>,
  { accounts }: Pick<UnitOfWork, 'accounts'>,
  account: Account,
  { yes }: Options,
): Promise<void> {
  const isActive = ({ admin, disabled }: Account): boolean => admin && !disabled
  const isClaimed = issuer?.roleClaims.some(({ role }) => role === 'administrator') ?? false
  if (yes === 'true' || isClaimed || !isActive(account)) return
  const others = (await accounts.list()).filter(({ id }) => id !== account.id)
  if (others.some(isActive)) return
  throw new OperatorFailure(
    `${account.email} is the last administrator who is not disabled.`,
    advice.makeAdmin(),
  )
}

const last = { flags: '--yes', summary: 'allow it even if no administrator is left' }

const email = { name: 'email' }

const roleArgument = { name: 'role', summary: roles.join(', ') }

export const userCommands: readonly OperatorCommand[] = [
  {
    name: 'user add',
    summary: 'add a user, and print a link to set their passphrase',
    arguments: [email],
    options: [
      { flags: '--name <name>', summary: 'their name, for programs they sign in to' },
      { flags: '--admin', summary: 'grant the permission deposit-admin-access' },
    ],
    before: requirePlainName,
    kind: 'short',
    run: addUser,
  },
  {
    name: 'user quota',
    summary: 'set the quota of a user: bytes of files, metadata and revisions',
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
  { name: 'user list', summary: 'list the users', onlyReads: true, kind: 'short', run: listUsers },
  {
    name: 'user admin',
    summary: 'grant the permission deposit-admin-access, or take it back',
    arguments: [email],
    options: [{ flags: '--revoke', summary: 'take it back' }, last],
    kind: 'short',
    run: setAdmin,
  },
  {
    name: 'role grant',
    summary: 'give a user a role',
    arguments: [email, roleArgument],
    kind: 'short',
    run: (context, options) => setRole(context, options, true),
  },
  {
    name: 'role revoke',
    summary: 'take a role back',
    arguments: [email, roleArgument],
    options: [last],
    kind: 'short',
    run: (context, options) => setRole(context, options, false),
  },
]

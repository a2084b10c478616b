import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { count } from '../../../core/base/amounts.ts'
import { writeTextDurably } from '../../../core/base/durable-files.ts'
import {
  handOver,
  leaveMade,
  leaveShared,
  removeAccount,
  type Account,
  type Revoked,
} from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import type {
  Done,
  OperatorCommand,
  Options,
  Voice,
  Work,
  WorkContext,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import {
  parseEmail,
  parseNewEmail,
  requireAccount,
  requirePlainName,
} from '../command/operator-options.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { requireOtherAdmin } from './user-commands.ts'

/** `user delete`: the deposits go to somebody else, and nothing but an id is left of the user. */
const remove: Work = async (context, options, voice) => {
  const account = await find(context, options['email'])
  const named = options['depositsTo']
  const heir = named === undefined ? undefined : await findHeir(context, account, named)
  const { database } = context.parts
  const owned = (await database.read.deposits.ownedBy(account.id, 1)).length > 0
  if (owned && !heir) {
    throw new OperatorFailure(`${account.email} has deposits.`, advice.nameHeir(account.email))
  }
  // They cannot make deposits any more while the others are handed over.
  await database.write(async (unit) => {
    await requireOtherAdmin(context, unit, account, options)
    await unit.accounts.update({ ...account, disabled: true })
  })
  const deposits = heir ? await handOverAll(context, account, heir, false, voice) : 0
  await leaveShared(context.parts, account.id, undefined, voice.signal)
  await leaveMade(context.parts, account.id, undefined, voice.signal)
  await removeAccount(context.parts, account, heir)
  await forgetInLogs(context, account.email, account.id)
  const went = heir ? `; ${count(deposits, 'deposit')} went to ${heir.email}` : ''
  voice.tell(
    'note',
    `Deleted the user ${account.id}${went}. Backups that were made before still have the account.`,
  )
  return done({ id: account.id, deposits, deposits_to: heir?.email ?? null })
}

/** `user merge`: two accounts of one person become one. */
const merge: Work = async (context, options, voice) => {
  const account = await find(context, options['email'])
  const into = await findHeir(context, account, options['into'])
  if (into.disabled) {
    const what = `${into.email} is disabled: it would refuse what ${account.email} can do.`
    throw new OperatorFailure(what, advice.enableUser(into.email))
  }
  const takesIdentity = requireIdentityChosen(account, into, options)
  const { database } = context.parts
  await database.write((unit) => requireOtherAdmin(context, unit, account, options))
  const deposits = await handOverAll(context, account, into, true, voice)
  const shared = await leaveShared(context.parts, account.id, into.id, voice.signal)
  await leaveMade(context.parts, account.id, into.id, voice.signal)
  const hasTokens = (await database.read.tokens.list(account.id)).length > 0
  const keeps = options['withTokens'] === 'true' ? 'with all tokens' : 'sign-ins'
  const kept = takesIdentity ? account : withoutIdentity(account)
  const revoked = await removeAccount(context.parts, kept, into, keeps)
  await forgetInLogs(context, account.email, account.id)
  const roles = account.admin || account.roles ? ' Roles were not taken along.' : ''
  const went = [
    ...(deposits > 0 ? [count(deposits, 'deposit')] : []),
    ...(shared > 0 ? [`a role on ${count(shared, 'deposit')} of others`] : []),
    ...(hasTokens && revoked.tokens === 0 ? ['tokens'] : []),
  ].join(', ')
  const told = went === '' ? '' : `: ${went}`
  const ended = sayRevoked(revoked, account, into)
  const left = sayIdentity(account, into, takesIdentity)
  voice.tell('note', `Merged ${account.email} into ${into.email}${told}.${ended}${left}${roles}`)
  const { tokens, clients } = revoked
  const moved = { deposits, shared, revoked: tokens, clients_revoked: clients }
  return done({ id: into.id, email: into.email, merged: account.id, ...moved })
}

/**
 * Whether the identity of the account at an issuer goes along. That of a disabled one signs nobody in,
 * and would be good as that of the account that stays: the operator says so, or that it is not.
 */
function requireIdentityChosen(account: Account, into: Account, options: Options): boolean {
  const { withIdentity, withoutIdentity: without } = options
  if (withIdentity === 'true' && without === 'true') {
    throw new OperatorFailure('--with-identity and --without-identity exclude each other.')
  }
  if (!account.disabled || !account.subject || into.subject || without === 'true') {
    return without !== 'true'
  }
  if (withIdentity === 'true') return true
  const { issuer } = account.subject
  const what = `${account.email} is disabled, and has an identity at ${issuer}, which would sign in as ${into.email}.`
  throw new OperatorFailure(what, advice.chooseIdentity())
}

function withoutIdentity({ subject: _, ...account }: Account): Account {
  return account
}

/** A sentence on an identity that was not taken along, behind a space. */
function sayIdentity({ subject }: Account, into: Account, isTaken: boolean): string {
  if (!subject || (isTaken && !into.subject)) return ''
  return ` Its identity at ${subject.issuer} was left behind: it gets a new account when it signs in again.`
}

/** A sentence on what would have been good for more than before, behind a space. */
function sayRevoked({ tokens, clients }: Revoked, from: Account, to: Account): string {
  const what = [
    ...(tokens > 0 ? [count(tokens, 'token')] : []),
    ...clients.map((name) => `the client ${name}`),
  ]
  if (what.length === 0) return ''
  const were = tokens + clients.length === 1 ? 'was' : 'were'
  const why = from.disabled
    ? `which ${were} refused before, for the account was disabled`
    : `which would have got the roles of ${to.email}`
  return ` ${what.join(', ')} ${were} revoked, ${why}.`
}

/** `user rename`: another e-mail address, or another name. */
const rename: Work = async (context, options, voice) => {
  const account = await find(context, options['email'])
  const email = parseNewEmail(options['to'])
  const { database } = context.parts
  const { name = account.name } = options
  const invited = await database.write(async (unit) => {
    const taken = await unit.accounts.findByEmail(email)
    if (taken && taken.id !== account.id) {
      throw new OperatorFailure(`There is a user ${email} already.`, advice.mergeUsers())
    }
    const current = requireAccount(await unit.accounts.find(account.id), account.email)
    const { name: _, ...rest } = current
    await unit.accounts.update({ ...rest, email, ...(name !== undefined && { name }) })
    return unit.invitations.take(email)
  })
  // Who was invited by the new address is this user.
  if (invited) await leaveShared(context.parts, invited, account.id, voice.signal)
  await writeManifestsAgain(context, account)
  await database.upkeep.forget()
  await forgetInLogs(context, account.email, account.id)
  voice.tell('note', `${account.email} is ${email} now.`)
  return done({ id: account.id, email, name: name ?? null })
}

const done = (data: Done['data']): Done => ({ ending: 'done', data })

async function find({ parts }: WorkContext, email: string | undefined): Promise<Account> {
  return requireAccount(await parts.database.read.accounts.findByEmail(parseEmail(email)), email)
}

async function findHeir(
  context: WorkContext,
  { id }: Account,
  email: string | undefined,
): Promise<Account> {
  const heir = await find(context, email)
  if (heir.id !== id) return heir
  throw new OperatorFailure(`${heir.email} is the same user.`)
}

async function handOverAll(
  { parts }: WorkContext,
  from: Account,
  to: Account,
  isSame: boolean,
  { tell, signal }: Voice,
): Promise<number> {
  const say = everySecond((all: number) => tell('progress', `Handed over ${count(all, 'deposit')}`))
  return handOver(parts, from.id, to.id, { progress: say, signal, isSame })
}

/** Manifests name the owners of records by e-mail address. */
async function writeManifestsAgain({ parts }: WorkContext, { id }: Account): Promise<void> {
  const { database } = parts
  for await (const deposit of database.read.deposits.each({ of: 'owner', user: id })) {
    const { record } = deposit
    if (record) await database.write((unit) => unit.upkeep.dropManifested(record.value))
  }
}

/** Earlier versions kept the audit trail in files, with e-mail addresses. */
async function forgetInLogs({ home }: WorkContext, email: string, id: string): Promise<void> {
  for (const name of await readdir(home.logs).catch(() => [])) {
    if (!/^audit.*\.jsonl$/.test(name)) continue
    const path = join(home.logs, name)
    const text = await readFile(path, 'utf8')
    if (text.includes(email)) await writeTextDurably(path, text.replaceAll(email, id))
  }
}

/** On a terminal the heir is asked for. */
async function askForHeir(options: Options): Promise<Options> {
  const { depositsTo, email = '' } = options
  if (depositsTo !== undefined || !process.stdin.isTTY) return options
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const asked = `Who gets the deposits of ${email}? (e-mail; empty if there are none) `
    const answer = (await prompt.question(asked)).trim()
    return answer === '' ? options : { ...options, depositsTo: answer }
  } finally {
    prompt.close()
  }
}

const email = { name: 'email' }
const last = { flags: '--yes', summary: 'allow it even if no administrator is left' }

export const departureCommands: readonly OperatorCommand[] = [
  {
    name: 'user delete',
    summary: 'delete a user: their deposits go to another, and no personal data of theirs is left',
    arguments: [email],
    options: [{ flags: '--deposits-to <email>', summary: 'the user who gets the deposits' }, last],
    before: askForHeir,
    kind: 'long',
    run: remove,
  },
  {
    name: 'user rename',
    summary: 'change the e-mail address of a user, and perhaps the name',
    arguments: [email, { name: 'to', summary: 'the new e-mail address' }],
    options: [{ flags: '--name <name>', summary: 'the new name' }],
    before: requirePlainName,
    kind: 'long',
    run: rename,
  },
  {
    name: 'user merge',
    summary: 'merge an account into another of the same person: deposits, tokens, sign-in',
    arguments: [email, { name: 'into', summary: 'the account that stays' }],
    options: [
      {
        flags: '--with-tokens',
        summary: 'keep tokens and clients, which get the roles of the account that stays',
      },
      {
        flags: '--with-identity',
        summary:
          'let the identity of a disabled account at an issuer sign in as the one that stays',
      },
      {
        flags: '--without-identity',
        summary: 'leave the identity of the account at an issuer behind',
      },
      last,
    ],
    kind: 'long',
    run: merge,
  },
]

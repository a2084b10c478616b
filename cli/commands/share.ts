import { Option, type Command } from 'commander'
import type { PersonBody, PersonRequest } from '../../core/contract/sharing-schemas.ts'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { findNamed } from '../folder/folder-deposit.ts'
import { plain } from '../plain.ts'
import { narrate, print, printDeposit } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import {
  depositOrFolder,
  knownDeposit,
  newChange,
  newCommand,
  type CommonOptions,
} from './command.ts'

interface ShareOptions extends CommonOptions {
  readonly role: PersonRequest['role']
}

interface UnshareOptions extends CommonOptions {
  readonly me?: true
}

interface TransferOptions extends CommonOptions {
  readonly accept?: true
  readonly cancel?: true
}

/** `deposit share <id> <email>`: gives a person a role. */
export function shareCommand(context: CliContext): Command {
  return newChange('share', {
    'deposit share 4f2a91 ada@example.org --role editor': 'who may change it and publish it',
    'deposit share 4f2a91 bob@example.org': 'who may only read it',
  })
    .description(
      'Give a person a role on a deposit, or another role. A reader reads the draft and its files. An ' +
        'editor also changes them and publishes. An owner also says who has which role, deletes the ' +
        'draft and withdraws the record. It works for people without an account too: they have the ' +
        'role as soon as they get one with that address. Nothing is sent to them.',
    )
    .argument(...depositOrFolder)
    .argument('<email>', 'e-mail address of the account')
    .addOption(
      new Option('--role <role>', 'what they may do')
        .choices(['reader', 'editor', 'owner'])
        .default('reader'),
    )
    .action((id: string, email: string, options: ShareOptions) =>
      share(context, id, email, options),
    )
}

async function share(context: CliContext, given: string, email: string, options: ShareOptions) {
  const { putPerson } = await import('../client/sharing-client.ts')
  const { connection, id } = await open(context, given, options)
  const { role } = options
  const person = await putPerson(connection, id, { user: email, role })
  narrate(context.streams, options, `${email} is ${role} of ${id} now`)
  print(context.streams, options, { body: person, ids: [person.id], lines: () => [] })
}

/** `deposit unshare <id> [email]`: takes the role of a person. */
export function unshareCommand(context: CliContext): Command {
  return newChange('unshare', {
    'deposit unshare 4f2a91 bob@example.org': 'who finds it no more',
    'deposit unshare 4f2a91 --me': 'gives up your own role',
  })
    .description(
      'Take the role of a person on a deposit. They find it no more, in no list and no search. The ' +
        'last owner stays. Links that they were given are revoked by `deposit link revoke`. Only an ' +
        'owner takes the roles of others; anybody gives up their own by `--me`.',
    )
    .argument(...depositOrFolder)
    .argument('[email]', 'e-mail address, as `deposit people` shows it')
    .option('--me', 'give up your own role')
    .action((id: string, email: string | undefined, options: UnshareOptions) =>
      unshare(context, id, email, options),
    )
}

async function unshare(
  context: CliContext,
  given: string,
  email: string | undefined,
  options: UnshareOptions,
) {
  if ((email === undefined) !== (options.me === true))
    throw new UsageFailure({
      tried: `unshare ${given}`,
      said: 'it takes the address of a person, or --me',
      next: advice.seeHelp('deposit unshare'),
    })
  const { leaveDeposit, listPeople, removePerson } = await import('../client/sharing-client.ts')
  const { connection, id } = await open(context, given, options)
  if (email === undefined) {
    await leaveDeposit(connection, id)
    narrate(context.streams, options, `You have no role on ${id} any more`)
    print(context.streams, options, { body: { id }, ids: [id], lines: () => [] })
    return
  }
  const people = await listPeople(connection, id)
  const wanted = email.toLowerCase()
  const person = people.find((each) => each.user.email === wanted || each.id === wanted)
  if (!person) {
    const said = 'the deposit is not shared with this address'
    const next = advice.seePeople(id)
    const exitCode = exitCodes.notFound
    throw new Failure({ tried: `unshare ${id} with ${email}`, said, next }, { exitCode })
  }
  const stillOn = await removePerson(connection, id, person)
  narrate(context.streams, options, `${email} has no role on ${id} any more`)
  for (const draft of stillOn)
    narrate(
      context.streams,
      options,
      `They stay on ${draft}, a draft of its next version: deposit unshare ${draft} ${email}`,
    )
  print(context.streams, options, { body: person, ids: [person.id], lines: () => [] })
}

/** `deposit people [id]`: lists who has which role. */
export function peopleCommand(context: CliContext): Command {
  return newCommand('people', {
    'deposit people 4f2a91': 'owners first',
    'deposit people': 'of the deposit that the current folder knows',
  })
    .description(
      'List the people with a role on a deposit, owners first. The deposit counts against the quota ' +
        'of the first one.',
    )
    .argument(...knownDeposit)
    .action((id: string | undefined, options: CommonOptions) => people(context, id, options))
}

async function people(context: CliContext, given: string | undefined, options: CommonOptions) {
  const [{ listPeople }, { formatTable }] = await Promise.all([
    import('../client/sharing-client.ts'),
    import('../output/table.ts'),
  ])
  const { connection, id } = await open(context, given, options)
  const all = await listPeople(connection, id)
  const table = await formatTable(context.streams, columns, all.map(toRow))
  print(context.streams, options, {
    body: all,
    ids: all.map(({ user }) => user.email ?? user.id),
    lines: () => table,
  })
}

const columns = [
  { title: 'E-MAIL', isFlexible: true },
  { title: 'ROLE' },
  { title: 'SINCE' },
] as const

function toRow({ user, role, since }: PersonBody) {
  return [user.email ?? user.id, role, since.slice(0, 10)].map(plain)
}

/** `deposit transfer <id> <email>`: hands a deposit over. */
export function transferCommand(context: CliContext): Command {
  return newChange('transfer', {
    'deposit transfer 4f2a91 ada@example.org': 'offers it',
    'deposit transfer --accept 4f2a9107c5f34fd2a6b6f2a1f4c3d2e1': 'run by the receiver',
    'deposit transfer --cancel 4f2a91': 'takes the offer back',
  })
    .description(
      'Hand a deposit over. The receiver accepts by `deposit transfer --accept ID`, with the whole ' +
        'identifier, and takes your place: you have no role from then on, and the deposit with its ' +
        'files counts against their quota, which needs room. An administrator hands it over at once. ' +
        'Who created it stays in `_deposit.created_by`.',
    )
    .argument(...depositOrFolder)
    .argument('[email]', 'e-mail address of the receiver')
    .option('--accept', 'take over a deposit that was offered to you')
    .option('--cancel', 'take the offer back')
    .action((id: string, email: string | undefined, options: TransferOptions) =>
      transfer(context, id, email, options),
    )
}

async function transfer(
  context: CliContext,
  given: string,
  email: string | undefined,
  options: TransferOptions,
) {
  const { accept, cancel } = options
  const ways = [accept, cancel, email].filter((way) => way !== undefined)
  if (ways.length !== 1)
    throw new UsageFailure({
      tried: `transfer ${given}`,
      said: 'it takes the address of the receiver, or --accept, or --cancel',
      next: advice.seeHelp('deposit transfer'),
    })
  const client = await import('../client/sharing-client.ts')
  const { connection, id } = await open(context, given, options)
  if (accept) {
    const deposit = await client.acceptDeposit(connection, id)
    narrate(context.streams, options, `${id} is yours now`)
    printDeposit(context.streams, options, deposit)
    return
  }
  if (email === undefined) {
    await client.cancelOffer(connection, id)
    narrate(context.streams, options, `${id} is not offered any more`)
    print(context.streams, options, { body: { id }, ids: [id], lines: () => [] })
    return
  }
  const made = await client.offerDeposit(connection, id, email)
  const said =
    made.status === 'done'
      ? `${email} owns ${id} now`
      : `Offered ${id} to ${email}: ${advice.acceptTransfer(id)}`
  narrate(context.streams, options, said)
  print(context.streams, options, { body: made, ids: [id], lines: () => [] })
}

async function open(context: CliContext, given: string | undefined, options: CommonOptions) {
  const client = await context.client(options)
  const { id: named } = await findNamed(context, client, given, options)
  return { connection: client.connection, id: await client.resolve(named) }
}

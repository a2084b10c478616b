import { Option, type Command } from 'commander'
import type { LinkRequest } from '../../core/contract/sharing-schemas.ts'
import { advice } from '../advice.ts'
import type { LinkBody } from '../client/sharing-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { findNamed } from '../folder/folder-deposit.ts'
import { parseSeconds } from '../options.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import {
  depositOrFolder,
  knownDeposit,
  newChange,
  newCommand,
  newGroup,
  type CommonOptions,
} from './command.ts'

interface CreateOptions extends CommonOptions {
  readonly role: LinkRequest['role']
  readonly expires: string
  readonly label?: string
  readonly anonymous?: true
}

/** `deposit link …`: links for people without an account, such as reviewers. */
export function linkCommand(context: CliContext): Command {
  const create = newChange('create', {
    'deposit link create 4f2a91 --label "Reviewer 2" --anonymous':
      'for a review that must not know who made it',
    'deposit link create 4f2a91 --role editor --expires 7d': 'for a colleague, for a week',
    'deposit link create 4f2a91 --expires 2027-01-31': 'good through that day',
  })
    .summary('make one, and print only it on standard output')
    .description(
      'Make a link to a deposit and print it; it is shown only this once. Whoever has it can read the ' +
        'draft and its files in a browser, with --role editor also change them, until it expires or ' +
        'is revoked. It gives no right to publish, to delete, or to share. With --anonymous it hides ' +
        'who made the deposit: owners, creators, contributors, affiliations, funding and identifiers. ' +
        'The title, the description, other texts, and the names and contents of files are shown as ' +
        'they are.',
    )
    .argument(...depositOrFolder)
    .addOption(
      new Option('--role <role>', 'what it allows').choices(['reader', 'editor']).default('reader'),
    )
    .option('--expires <when>', 'a duration such as 30d or 12h, or a day', '30d')
    .option('--label <text>', 'for whom it is; shown in lists')
    .option('--anonymous', 'hide who made the deposit; only for readers')
    .action((id: string, options: CreateOptions) => createOne(context, id, options))
  const list = newCommand('list', {
    'deposit link list 4f2a91': 'for whom they are, and how long they are good',
  })
    .summary('list those to a deposit, without their secrets')
    .argument(...knownDeposit)
    .action((id: string | undefined, options: CommonOptions) => listAll(context, id, options))
  const revoke = newChange('revoke', {
    'deposit link revoke 4f2a91 0b7c1f': 'by its id in the list',
  })
    .summary('revoke links')
    .description('Revoke links to a deposit: they are refused from now on.')
    .argument(...depositOrFolder)
    .argument('<link...>', 'ids of links, as `deposit link list` shows them')
    .action((id: string, links: readonly string[], options: CommonOptions) =>
      revokeAll(context, id, links, options),
    )
  return newGroup(
    'link',
    {
      'deposit link create 4f2a91 --label "Reviewer 2"': 'makes a link for a reviewer',
      'deposit link list 4f2a91': 'shows the links to a deposit',
    },
    [create, list, revoke],
  ).description('Links to a deposit for people without an account, such as reviewers.')
}

async function createOne(context: CliContext, given: string, options: CreateOptions) {
  const { createLink } = await import('../client/sharing-client.ts')
  const { role, label, anonymous } = options
  const wanted: LinkRequest = {
    role,
    expires: toExpiry(options.expires),
    ...(label !== undefined && { label }),
    ...(anonymous && { anonymous }),
  }
  const { connection, id } = await open(context, given, options)
  const link = await createLink(connection, id, wanted)
  const said = `Link ${link.id} is good until ${link.expires}; it is shown only this once`
  narrate(context.streams, options, said)
  print(context.streams, options, { body: link, ids: [link.url], lines: () => [link.url] })
}

/** A day or a time stays as it is; a duration begins now. */
function toExpiry(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return text
  const after = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()
  const day = after(30 * 24 * 3600).slice(0, 10)
  return after(parseSeconds('--expires', text, `a day such as ${day}`))
}

async function listAll(context: CliContext, given: string | undefined, options: CommonOptions) {
  const [{ listLinks }, { formatTable }] = await Promise.all([
    import('../client/sharing-client.ts'),
    import('../output/table.ts'),
  ])
  const { streams } = context
  const { connection, id } = await open(context, given, options)
  const all = await listLinks(connection, id)
  if (all.length === 0) narrate(streams, options, `There are no links to ${id}`)
  const digits = streams.isOutTerminal ? 8 : 36
  const rows = all.map((link) => toRow(link, digits))
  const table = all.length === 0 ? [] : await formatTable(streams, columns, rows)
  print(streams, options, { body: all, ids: all.map((link) => link.id), lines: () => table })
}

const columns = [
  { title: 'ID' },
  { title: 'LABEL', isFlexible: true },
  { title: 'ROLE' },
  { title: 'EXPIRES' },
] as const

function toRow({ id, label, role, anonymous, expires }: LinkBody, digits: number) {
  const what = anonymous ? `${role}, anonymous` : role
  return [id.slice(0, digits), label || '-', what, expires.slice(0, 10)].map(plain)
}

async function revokeAll(
  context: CliContext,
  given: string,
  links: readonly string[],
  options: CommonOptions,
) {
  const { listLinks, revokeLink } = await import('../client/sharing-client.ts')
  const { connection, id } = await open(context, given, options)
  const all = await listLinks(connection, id)
  // All are looked up first, so that a mistyped id revokes nothing.
  const found = links.map((link) => findLink(all, id, link))
  for (const link of found) {
    await revokeLink(connection, id, link)
    narrate(context.streams, options, `Revoked ${link}`)
  }
  const body = found.map((link) => ({ id: link }))
  print(context.streams, options, { body, ids: found, lines: () => [] })
}

function findLink(all: readonly LinkBody[], id: string, given: string): string {
  const tried = `find the link ${given}`
  const fitting = given.length < 6 ? [] : all.filter((link) => link.id.startsWith(given))
  const [first] = fitting
  if (first === undefined) {
    const said = 'no link to the deposit has an id that begins like this'
    const exitCode = exitCodes.notFound
    throw new Failure({ tried, said, next: advice.seeLinks(id) }, { exitCode })
  }
  if (fitting.length === 1) return first.id
  const said = `several links begin with these digits: ${fitting.map((link) => link.id).join(', ')}`
  throw new UsageFailure({ tried, said, next: advice.writeMore() })
}

async function open(context: CliContext, given: string | undefined, options: CommonOptions) {
  const client = await context.client(options)
  const { id: named } = await findNamed(context, client, given, options)
  return { connection: client.connection, id: await client.resolve(named) }
}

import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { CliContext } from '../session/context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { atEndpoint, plain, quoted } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { knownDeposit, newCommand, type CommonOptions } from './command.ts'

interface OpenOptions extends CommonOptions {
  readonly record?: true
  readonly link?: true
}

/** `deposit open <id>`: its page in the browser. */
export function openCommand(context: CliContext): Command {
  return newCommand('open', {
    'deposit open 4f2a91': 'opens the page of the deposit',
    'deposit open': 'opens the deposit of this folder, or the list at your daemon',
    'deposit open 4f2a91 --record': 'opens the published record',
    'deposit open 4f2a91 --link': 'prints an address for a browser elsewhere',
  })
    .description(
      'Open the page of a deposit in the browser and print its address. In a script or a pipe, ' +
        'only the address is printed. At your own local daemon the browser is signed in, through ' +
        'a file that only you can read. If there is no browser here, or it cannot read that file, ' +
        'use --link.',
    )
    .argument(...knownDeposit)
    .option('--record', 'the record, instead of the page to edit')
    .option(
      '--link',
      'print an address that signs a browser in at your local daemon, once, within a minute; ' +
        'keep it to yourself',
    )
    .action((given: string | undefined, options: OpenOptions) => openPage(context, given, options))
}

async function openPage(
  context: CliContext,
  given: string | undefined,
  options: OpenOptions,
): Promise<void> {
  const { streams, config } = context
  if (options.link && options.record) throw linkOfRecord(given ?? 'the deposit')
  const client = await context.client(options)
  const { findFolder, findNamed } = await import('../folder/folder-deposit.ts')
  if (given === undefined && !options.record) {
    const folder = await findFolder(context, undefined)
    const list = new URL('/deposit', client.connection.server)
    if (!folder?.knowsDeposit && (await isOurs(context, list)))
      return openList(context, options, list.href, (await client.me()).user)
  }
  const named = await findNamed(context, client, given, options)
  const deposit = named.deposit ?? (await client.read(named.id))
  const owners = deposit.metadata._deposit?.owners ?? []
  const page = requireAddress(deposit, deposit.links['html'])
  if (options.link) return printLink(context, options, deposit, page)
  const record = options.record ? requireAddress(deposit, requireRecord(deposit)) : undefined
  const url = record ?? page
  print(streams, options, { body: deposit, ids: [plain(deposit.id)], lines: () => [url] })
  const isOpened = streams.isWatched && streams.isOutTerminal && config.hasDesktop
  if (!isOpened)
    return record === undefined ? tellOfLink(context, options, deposit.id, url) : undefined
  const { openInBrowser } = await import('../output/browser.ts')
  // The ticket goes to the browser alone: printed text may be kept or shared.
  const signedIn = record === undefined ? await withTicket(context, url, owners) : url
  const folder = signedIn === url ? undefined : await config.privateFolder()
  await openInBrowser(signedIn, config.hasDesktop, folder)
}

/** Opens the list of deposits, where there is none yet to name. */
async function openList(
  context: CliContext,
  options: OpenOptions,
  url: string,
  user: string,
): Promise<void> {
  const { streams, config, http } = context
  const { withTicket } = await import('../auth/browser-ticket.ts')
  const signedIn = async () => withTicket(config, await http(), url, [user])
  const shown = options.link ? await signedIn() : url
  if (options.link && shown === url) throw noLink(url)
  print(streams, options, { body: { url: shown }, ids: [shown], lines: () => [shown] })
  if (options.link) return
  if (!(streams.isWatched && streams.isOutTerminal && config.hasDesktop)) {
    if (config.token === undefined)
      narrate(streams, options, atEndpoint(advice.openSignedIn(), options.endpoint))
    return
  }
  const { openInBrowser } = await import('../output/browser.ts')
  const target = await signedIn()
  const folder = target === url ? undefined : await config.privateFolder()
  await openInBrowser(target, config.hasDesktop, folder)
}

/** Whether a page is of the daemon of this user. */
async function isOurs({ config, http }: CliContext, page: URL): Promise<boolean> {
  const { isDaemonAt } = await import('../local-daemon/find.ts')
  return isDaemonAt(page, await config.home(), await http())
}

async function printLink(
  context: CliContext,
  options: OpenOptions,
  deposit: DepositBody,
  url: string,
): Promise<void> {
  const link = await withTicket(context, url, deposit.metadata._deposit?.owners ?? [])
  if (link === url) throw noLink(url)
  print(context.streams, options, {
    body: { ...deposit, url: link },
    ids: [link],
    lines: () => [link],
  })
}

/**
 * Explains the link: without its ticket, the page asks the owner of a local daemon for a passphrase
 * that was never set.
 */
async function tellOfLink(
  context: CliContext,
  options: OpenOptions,
  id: string,
  url: string,
): Promise<void> {
  const { streams, config } = context
  const server = URL.parse(url)
  if (server === null || config.token !== undefined || !(await isOurs(context, server))) return
  narrate(streams, options, atEndpoint(advice.openSignedIn(id), options.endpoint))
}

async function withTicket(
  { config, http }: CliContext,
  url: string,
  owners: readonly string[],
): Promise<string> {
  const { withTicket } = await import('../auth/browser-ticket.ts')
  return withTicket(config, await http(), url, owners)
}

function linkOfRecord(id: string): UsageFailure {
  return new UsageFailure({
    tried: `open ${id}`,
    said: '--link is for the page to edit; anybody may open a record without signing in',
    next: advice.leaveOut('--link'),
  })
}

function noLink(url: string): UsageFailure {
  return new UsageFailure({
    tried: 'make an address that signs a browser in',
    said: 'it works only for your own deposits, at your own local daemon, without DEPOSIT_TOKEN',
    next: advice.signInThere(url),
  })
}

/**
 * The address of a page, which may be at another origin than the server (`DEPOSIT_UI_ENDPOINT`).
 *
 * @throws {Failure} a browser would run it, or read a file of this machine, instead of asking for it
 */
function requireAddress({ id }: DepositBody, link = ''): string {
  const url = URL.parse(link)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return plain(link)
  throw new Failure({
    tried: `open ${id}`,
    said: `the server gave an address that is not that of a page: ${quoted(link)}`,
    next: advice.distrustServer(),
  })
}

/** @throws {Failure} the deposit was never published */
function requireRecord(deposit: DepositBody): string {
  const url = recordUrl(deposit)
  if (url !== undefined) return url
  throw new Failure(
    {
      tried: `open the record of ${deposit.id}`,
      said: 'the deposit was never published',
      next: advice.checkAndPublish(deposit.id),
    },
    { exitCode: exitCodes.refused },
  )
}

import type { Command } from 'commander'
import { citationStyles } from '../../core/contract/exports.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { readNamed } from '../folder/folder-deposit.ts'
import { isOfAllVersions, recordUrl, statusOf } from '../output/deposit-facts.ts'
import { narrate, print } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import { knownDeposit, newCommand, type CommonOptions } from './command.ts'

interface CiteOptions extends CommonOptions {
  readonly style: string
  readonly allVersions?: true
}

/** `deposit cite <id>`: a reference as a sentence. */
export function citeCommand(context: CliContext): Command {
  return newCommand('cite', {
    'deposit cite 4f2a91': 'in the style of the APA',
    'deposit cite': 'the record of the current folder',
    'deposit cite 4f2a91 --style vancouver': 'in another style',
    'deposit cite 4f2a91 --all-versions': 'all versions, with the DOI that they share',
  })
    .description(
      'Print the reference by which a record is cited. A draft is cited as its record would be, ' +
        'with the address of its page. The identifier or DOI of all versions cites all of them, as ' +
        '--all-versions does. A record that was withdrawn is not cited, but said to be.',
    )
    .argument(...knownDeposit)
    .option('--all-versions', 'cite all versions together, with their own DOI or address')
    .option(
      '--style <style>',
      `${citationStyles.slice(0, -1).join(', ')} or ${citationStyles.at(-1)}`,
      citationStyles[0],
    )
    .action((given: string | undefined, options: CiteOptions) => cite(context, given, options))
}

async function cite(
  context: CliContext,
  given: string | undefined,
  options: CiteOptions,
): Promise<void> {
  const client = await context.client(options)
  const deposit = await readNamed(context, client, given, options)
  const isOfAll =
    options.allVersions === true || (given !== undefined && isOfAllVersions(given, deposit))
  const query = `style=${encodeURIComponent(options.style)}`
  const text = isOfAll
    ? await citeAll(client, deposit, query)
    : await citeOne(client, deposit, query)
  const sentence = text.trim()
  if (!isOfAll && statusOf(deposit) === 'draft' && recordUrl(deposit) === undefined)
    narrate(context.streams, options, 'Note: this is a draft, at an address that is yours alone')
  print(context.streams, options, {
    body: { id: deposit.id, style: options.style, text: sentence },
    ids: [deposit.id],
    lines: () => [sentence],
  })
}

/** @throws {Failure} the record was withdrawn, whether or not it is open for changes */
function citeOne(client: DepositClient, deposit: DepositBody, query: string): Promise<string> {
  const tried = `cite ${deposit.id}`
  const { withdrawn, links } = deposit
  const record = withdrawn ? links['record'] : undefined
  if (record === undefined) return client.readExport(deposit, `citation?${query}`, tried)
  return client.connection.text(tried, {
    method: 'GET',
    path: `${record}/export/citation?${query}`,
  })
}

/** @throws {Failure} no version is published */
function citeAll(client: DepositClient, { id, links }: DepositBody, query: string) {
  const record = links['record'] ?? links['previous_version']
  const tried = `cite all versions of ${id}`
  if (record === undefined) {
    const said = 'no version of it is published yet'
    throw new Failure({ tried, said, next: advice.seeStatus(id) }, { exitCode: exitCodes.refused })
  }
  const path = `${record}/export/citation?${query}&versions=all`
  return client.connection.text(tried, { method: 'GET', path })
}

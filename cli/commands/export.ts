import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { citationStyles, exportNames } from '../../core/contract/exports.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { CliContext } from '../session/context.ts'
import { print } from '../output/print.ts'
import { depositId, newCommand, type CommonOptions } from './command.ts'

interface ExportOptions extends CommonOptions {
  readonly as: string
  readonly output: string
}

interface CiteOptions extends CommonOptions {
  readonly style: string
}

/** `deposit export <id>`: the metadata in another format. */
export function exportCommand(context: CliContext): Command {
  return newCommand('export', {
    'deposit export 4f2a91 --as bibtex': 'an entry for a bibliography',
    'deposit export 4f2a91 --as datacite-xml --output datacite.xml': 'a file',
    'deposit export 4f2a91 --as cff > CITATION.cff': 'how to cite it, for a repository of code',
  })
    .description(
      'Print the metadata of a deposit or its record in another format: ' +
        `${exportNames.join(', ')}, and those that the server adds. ` +
        'A draft is written as its record would be. deposit-formats(7) has an example of each.',
    )
    .argument(...depositId)
    .option('--as <name>', 'format', 'json')
    .option('-o, --output <file>', 'file to write; - is standard output', '-')
    .action((id: string, options: ExportOptions) => exportOne(context, id, options))
}

/** `deposit cite <id>`: a reference as a sentence. */
export function citeCommand(context: CliContext): Command {
  return newCommand('cite', {
    'deposit cite 4f2a91': 'in the style of the APA',
    'deposit cite 4f2a91 --style vancouver': 'in another style',
  })
    .description(
      'Print the reference by which a record is cited. A draft is cited as its record would be, ' +
        'with the address of its page.',
    )
    .argument(...depositId)
    .option(
      '--style <style>',
      `${citationStyles.slice(0, -1).join(', ')} or ${citationStyles.at(-1)}`,
      citationStyles[0],
    )
    .action((id: string, options: CiteOptions) => cite(context, id, options))
}

async function exportOne(context: CliContext, id: string, options: ExportOptions): Promise<void> {
  const { deposit, text } = await read(context, id, options, encodeURIComponent(options.as))
  if (options.output !== '-') await write(resolve(context.folder, options.output), text)
  else if (options.json === undefined && !options.quiet) {
    context.streams.outBytes.write(text)
    return
  }
  print(context.streams, options, {
    body: { id: deposit.id, format: options.as, text },
    ids: [deposit.id],
    lines: () => [options.output],
  })
}

async function cite(context: CliContext, id: string, options: CiteOptions): Promise<void> {
  const name = `citation?style=${encodeURIComponent(options.style)}`
  const { deposit, text } = await read(context, id, options, name)
  const sentence = text.trim()
  print(context.streams, options, {
    body: { id: deposit.id, style: options.style, text: sentence },
    ids: [deposit.id],
    lines: () => [sentence],
  })
}

/** @param name of the format, as the end of an address */
async function read(
  context: CliContext,
  id: string,
  options: CommonOptions,
  name: string,
): Promise<{ readonly deposit: DepositBody; readonly text: string }> {
  const client = await context.client(options)
  const deposit = await client.read(id)
  return { deposit, text: await client.readExport(deposit, name) }
}

/** @throws {Failure} the file cannot be written */
async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    const { noWrite } = await import('../no-write.ts')
    const place = {
      tried: `write ${path}`,
      path,
      kept: 'nothing was written',
      elsewhere: advice.nameFile(),
    }
    throw noWrite(error, place) ?? error
  }
}

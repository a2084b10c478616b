import type { Command } from 'commander'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { CliContext } from '../context.ts'
import { ownMetadata } from '../metadata/compare-metadata.ts'
import { recordUrl, statusOf, titleOf } from '../output/deposit-facts.ts'
import { metadataLines } from '../output/metadata-lines.ts'
import { plain } from '../output/plain.ts'
import { print } from '../output/print.ts'
import type { Streams } from '../output/streams.ts'
import { count, formatBytes } from '../output/units.ts'
import { newCommand, type CommonOptions } from './command.ts'
import { formatFiles } from './files.ts'

interface ShowOptions extends CommonOptions {
  readonly metadata?: true
}

/** `deposit show <id>`: a page with metadata and files. */
export function showCommand(context: CliContext): Command {
  return newCommand('show', {
    'deposit show 4f2a91': 'a page to read',
    'deposit show 4f2a91 --metadata > metadata.yaml': 'a file that --metadata reads',
    'deposit show 4f2a91 --json metadata': 'what the server answers of the metadata, as JSON',
  })
    .description(
      'Show a deposit: its status, its metadata and its files. With --metadata, print the metadata ' +
        'alone, in YAML, or with --json in JSON: `deposit update ID --metadata FILE` reads both.',
    )
    .argument('<id>', 'identifier of the deposit')
    .option('--metadata', 'print the metadata alone, to be kept or changed')
    .action((id: string, options: ShowOptions) => show(context, id, options))
}

async function show(context: CliContext, id: string, options: ShowOptions): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const deposit = await client.read(id)
  if (options.metadata) {
    const metadata = ownMetadata(deposit.metadata)
    const { stringify } = await import('yaml')
    const lines = (): readonly string[] => [stringify(metadata).trimEnd()]
    print(streams, options, { body: metadata, ids: [deposit.id], lines })
    return
  }
  const isPage = options.json === undefined && !options.quiet
  const files = isPage ? await client.listFiles(deposit.id) : []
  const table = files.length === 0 ? [] : await formatFiles(streams, files)
  print(streams, options, {
    body: deposit,
    ids: [deposit.id],
    lines: () => [...toPage(deposit, files, pageWidth(streams)), ...table],
  })
}

/** A pipe takes each field on a line of its own. */
function pageWidth({ isOutTerminal, columns }: Streams): number {
  return isOutTerminal ? Math.min(columns, 100) : Infinity
}

function toPage(
  deposit: DepositBody,
  files: readonly FileBody[],
  columns: number,
): readonly string[] {
  const { id, revision, created, updated, links, metadata } = deposit
  const size = files.reduce((sum, { filesize }) => sum + filesize, 0)
  const facts = {
    Id: id,
    Status: `${statusOf(deposit)}, revision ${revision}`,
    Created: created,
    Changed: updated,
    Page: links['html'],
    Record: recordUrl(deposit),
    Files: `${count(files.length, 'file')}, ${formatBytes(size)}`,
  }
  const shown = Object.fromEntries(Object.entries(metadata).filter(isShown))
  const described = metadataLines(shown, columns)
  return [
    titleOf(deposit),
    '',
    ...Object.entries(facts).flatMap(toLine),
    ...(described.length === 0 ? [] : ['', ...described]),
    ...(files.length === 0 ? [] : ['']),
  ]
}

/** The title stands at the top; what the service keeps is above. */
function isShown([name]: readonly [string, unknown]): boolean {
  return name !== 'title' && name !== '_deposit' && name !== '$schema'
}

function toLine([name, value]: readonly [string, string | undefined]): readonly string[] {
  return value === undefined ? [] : [`${name}: ${plain(value)}`]
}

import type { Command } from 'commander'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { CliContext } from '../session/context.ts'
import { plain } from '../plain.ts'
import { print } from '../output/print.ts'
import type { Streams } from '../output/streams.ts'
import { formatTable } from '../output/table.ts'
import { formatBytes } from '../output/units.ts'
import { knownDeposit, newCommand, type CommonOptions } from './command.ts'

/** `deposit files <id>`: one line a file, in their order. */
export function filesCommand(context: CliContext): Command {
  return newCommand('files', {
    'deposit files 4f2a91': 'names, sizes and digests, in the order of the deposit',
    'deposit files': 'those of the deposit that the current folder knows',
    'deposit files 4f2a91 --json filename,checksum': 'for a script that compares digests',
  })
    .description('List the files of a deposit in their order.')
    .argument(...knownDeposit)
    .action((id: string | undefined, options: CommonOptions) => listFiles(context, id, options))
}

async function listFiles(
  context: CliContext,
  given: string | undefined,
  options: CommonOptions,
): Promise<void> {
  const client = await context.client(options)
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const { id } = await findNamed(context, client, given, options)
  await printFiles(context, options, await client.listFiles(id))
}

/** Writes files as the result of a command. */
export async function printFiles(
  { streams }: CliContext,
  options: CommonOptions,
  files: readonly FileBody[],
): Promise<void> {
  const table = await formatFiles(streams, files)
  const lines = (): readonly string[] => (files.length === 0 ? [] : table)
  print(streams, options, { body: files, ids: files.map(({ id }) => id), lines })
}

/** A table of files, with short digests for a person and whole ones for a program. */
export function formatFiles(
  streams: Streams,
  files: readonly FileBody[],
): Promise<readonly string[]> {
  const shown = streams.isOutTerminal ? 12 : 64
  const rows = files.map(({ filename, filesize, checksum }) => [
    plain(filename),
    formatBytes(filesize),
    plain(checksum.replace(/^sha256:/, '').slice(0, shown)),
  ])
  return formatTable(streams, columns, rows)
}

const columns = [
  { title: 'NAME', isFlexible: true },
  { title: 'SIZE', align: 'right' },
  { title: 'SHA-256' },
] as const

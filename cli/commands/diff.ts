import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { exitCodes } from '../exit-codes.ts'
import { narrate, print } from '../output/print.ts'
import { exclude, followLinks, newCommand, type CommonOptions } from './command.ts'

interface DiffOptions extends CommonOptions {
  readonly metadata?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly exitCode?: true
}

/** `deposit diff <dir> <id>`: the differences between a folder and a deposit. */
export function diffCommand(context: CliContext): Command {
  return newCommand('diff', {
    'deposit diff results/ 4f2a91': 'one line for each file and field that differs',
    'deposit diff': 'compares the current folder with the deposit that it knows',
    'deposit diff results/ 4f2a91 --exit-code': 'exits with 8 if there are differences',
    'deposit diff results/ 4f2a91 --json': 'the same for a script',
  })
    .description(
      'Compare a folder with a deposit: files added, replaced, renamed (same bytes under another ' +
        'name) and deleted, and the metadata that differ. Nothing is changed; `deposit sync` ' +
        'makes the deposit match the folder.',
    )
    .argument('[dir]', 'the folder; the current one by default')
    .argument('[id]', 'the deposit; by default the one that the folder knows')
    .option('--metadata <file>', 'metadata in YAML or JSON, instead of those in the folder')
    .option(...exclude)
    .option(...followLinks)
    .option('--exit-code', 'exit with 8 if there are differences')
    .action((dir: string | undefined, id: string | undefined, options: DiffOptions) =>
      diff(context, dir ?? '.', id, options),
    )
}

async function diff(
  context: CliContext,
  dir: string,
  given: string | undefined,
  options: DiffOptions,
): Promise<void> {
  const { changedNames, changeLines, compareFolder, summarize, toChangesBody } =
    await import('../transfer/compare-folder.ts')
  const { findToCompare } = await import('../folder/folder-deposit.ts')
  const { withKnownDigests } = await import('../transfer/known-digests.ts')
  const find = () => findToCompare(context, { dir, given }, options)
  const { changes, folder } = await withKnownDigests(context, dir, (digestOf) =>
    compareFolder(context, dir, { ...options, digestOf, digests: false }, find),
  )
  for (const remark of folder.remarks) narrate(context.streams, options, remark)
  const summary = summarize(changes)
  narrate(context.streams, options, summary ?? 'No differences')
  const [body, ids] = [toChangesBody(changes), changedNames(changes)]
  print(context.streams, options, { body, ids, lines: () => changeLines(changes) })
  if (options.exitCode && summary !== undefined) context.end(exitCodes.differences)
}

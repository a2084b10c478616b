import type { Command } from 'commander'
import type { ReleaseOptions as FolderOptions } from '../folder/release-folder.ts'
import { jobs, progressForm } from '../options.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { print } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import { parseWait, waitDoi, waitWhereAsked } from './publish.ts'
import {
  exclude,
  followLinks,
  idempotencyKey,
  lineOf,
  newChange,
  strict,
  type CommonOptions,
} from './command.ts'

type ReleaseOptions = CommonOptions & FolderOptions

/** `deposit release [dir]`: publishes a folder, as a new version where there is a record. */
export function releaseCommand(context: CliContext): Command {
  return newChange('release', {
    'deposit release results/': 'publishes the folder, or a new version of its record',
    'deposit release results/ --of xjahe-c4x84': 'publishes it as the next version of that record',
    'deposit release results/ --dry-run': 'shows which version would be published, and its changes',
  })
    .description(
      'Publish a folder, and print the URL of the record: a new version if there is a ' +
        'record, otherwise the first one. The record is that of --of, or the one that the ' +
        'folder knows. Its newest version is compared with the folder: without changes, ' +
        'nothing is published, and the URL of that version is printed. Otherwise the new ' +
        'version gets exactly the files and the metadata of the folder.\n\n' +
        'Everything is checked before anything is sent, as by `deposit create --publish`. A ' +
        'terminal asks first. Where the newest version of the record, or the one that the folder knows, ' +
        'was withdrawn, nothing is published until --after-withdrawal names that version: what it was ' +
        'withdrawn for may still be in the folder, also where other files have changed. After an interruption, or in a job that is repeated, run the ' +
        'same command again: it finishes the same draft, and no version is published twice.',
    )
    .argument('[dir]', 'the folder; the current one by default')
    .option(
      '--of <record>',
      'the record, any version of it; by default the one that the folder knows',
    )
    .option('--metadata <file>', 'metadata in YAML or JSON, instead of those in the folder')
    .option(...exclude)
    .option(...followLinks)
    .option(
      '--after-withdrawal <record>',
      'publish the next version of a record of which that version was withdrawn',
    )
    .option('--yes', 'do not ask for confirmation; publish even without any metadata')
    .option(...strict)
    .option(...jobs('files sent at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .option(...waitDoi, parseWait)
    .option(...idempotencyKey)
    .action((dir: string | undefined, options: ReleaseCommandOptions) =>
      release(context, dir ?? '.', options),
    )
}

interface ReleaseCommandOptions extends ReleaseOptions {
  readonly waitDoi?: number | true
}

async function release(
  context: CliContext,
  dir: string,
  options: ReleaseCommandOptions,
): Promise<void> {
  const { releaseFolder } = await import('../folder/release-folder.ts')
  const { afterWithdrawal: _, dryRun: __, ...published } = options
  const again = lineOf(['release', dir], options)
  const command = lineOf(['release', dir], published)
  const deposit = await releaseFolder({ ...options, context, dir, again, command })
  if (deposit === undefined) return
  const { streams } = context
  const client = await context.client(options)
  const registered = await waitWhereAsked({ streams, client }, deposit, options)
  const doi = options.waitDoi === undefined ? undefined : registered.links['doi']
  const lines = (): readonly string[] => [doi ?? recordUrl(registered) ?? registered.id]
  print(streams, options, { body: registered, ids: [registered.id], lines })
}

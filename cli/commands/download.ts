import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Connection } from '../client/connection.ts'
import type { CliContext } from '../context.ts'
import { plain } from '../output/plain.ts'
import { narrate, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import { newChange, type CommonOptions } from './command.ts'
import { jobs, suitingJobs } from '../jobs.ts'

interface DownloadOptions extends CommonOptions {
  readonly output?: string
  readonly replace?: true
  readonly jobs?: number
}

/** `deposit download <id> [key...]`: fetches files; prints the paths written. */
export function downloadCommand(context: CliContext): Command {
  return newChange('download', {
    'deposit download 4f2a91': 'all files, into a folder named after the deposit',
    'deposit download 4f2a91 --output data': 'into ./data',
    'deposit download 4f2a91 README.md': 'one file',
  })
    .description(
      'Download the files of a deposit with their folders. Digests are compared; what is there ' +
        'already stays; nothing is ever written outside of the folder, nor through a link.',
    )
    .argument('<id>', 'identifier of the deposit')
    .argument('[key...]', 'names of the files; all without')
    .option('-o, --output <dir>', 'folder to write to; made where it is not there')
    .option('--replace', 'overwrite files that are there with other bytes')
    .option(...jobs('files fetched at once; 8 unless told, 32 small ones'))
    .action((id: string, keys: string[], options: DownloadOptions) =>
      download(context, id, keys, options),
    )
}

async function download(
  context: CliContext,
  id: string,
  keys: readonly string[],
  options: DownloadOptions,
): Promise<void> {
  const [{ pickFiles }, { requireSafeNames }] = await Promise.all([
    import('../transfer/pick-files.ts'),
    import('../transfer/safe-target.ts'),
  ])
  const { streams } = context
  const client = await context.client(options)
  const all = await client.listFiles(id)
  const files = keys.length === 0 ? all : pickFiles(id, all, keys)
  requireSafeNames(files)
  const root = resolve(context.folder, options.output ?? id)
  if (options.dryRun) {
    await rehearse(context, root, files, options)
    return
  }
  const written = await fetchFiles(context, client.connection, root, files, options)
  narrate(streams, options, `Downloaded ${count(written.length, 'file')} to ${root}`)
  print(streams, options, { body: files, ids: files.map((file) => file.id), lines: () => written })
}

async function rehearse(
  { streams }: CliContext,
  root: string,
  files: readonly FileBody[],
  options: DownloadOptions,
): Promise<void> {
  const { findAbsent } = await import('../transfer/download-files.ts')
  const absent = await findAbsent(root, files)
  narrate(streams, options, `Would download ${count(absent.length, 'file')} to ${root}`)
  const lines = () => absent.map(({ filename }) => plain(filename))
  print(streams, options, { body: absent, ids: absent.map((file) => file.id), lines })
}

async function fetchFiles(
  { streams }: CliContext,
  connection: Connection,
  root: string,
  files: readonly FileBody[],
  options: DownloadOptions,
): Promise<readonly string[]> {
  const [{ downloadFiles }, { startProgress }] = await Promise.all([
    import('../transfer/download-files.ts'),
    import('../output/progress.ts'),
  ])
  const bytes = files.reduce((sum, { filesize }) => sum + filesize, 0)
  const transfer = { verb: 'Downloading', files: files.length, bytes }
  using progress = await startProgress(streams, transfer, options.quiet === true)
  const { jobs: number = suitingJobs(transfer), replace = false } = options
  return await downloadFiles({ connection, root, replace, jobs: number, progress }, files)
}

import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import {
  asIs,
  depositOrFolder,
  exclude,
  followLinks,
  newChange,
  type CommonOptions,
} from './command.ts'
import { jobs, progressForm } from '../options.ts'
import type { LocalFile } from '../client/upload-file.ts'
import type { Sources } from '../transfer/find-sources.ts'

interface UploadOptions extends CommonOptions {
  readonly name?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly replace?: true
  readonly unpack?: true
  readonly asIs?: true
  readonly jobs?: number
}

/** `deposit upload <id> <path...>`: sends files and folders; prints their names. */
export function uploadCommand(context: CliContext): Command {
  return newChange('upload', {
    'deposit upload 4f2a91 results/': 'everything in the folder, names relative to it',
    'deposit upload 4f2a91 data/*.csv README.md': 'these files, named as written',
    'deposit upload . notes.txt': 'to the deposit that the current folder knows',
    'deposit upload 4f2a91 ~/tmp/a.csv --name data/a.csv': 'one file under another name',
    'tar c results | deposit upload 4f2a91 - --name results.tar': 'standard input',
    "deposit upload 4f2a91 results/ --exclude '*.tmp'": 'all but some',
  })
    .description(
      'Upload files and folders to a draft, in parallel. Files that are stored already with the ' +
        'same bytes are skipped. Hidden files and those in .depositignore are left out; links are ' +
        'refused without --follow-links. Bags, crates and Data Packages are verified first; of a bag, the payload ' +
        'is taken without data/. Interrupted? Run the command again: large files resume.',
    )
    .usage('[options] <id> <path...>')
    .argument(...depositOrFolder)
    .argument('[path...]', 'files and folders; - reads standard input')
    .option('--name <key>', 'name in the deposit, for a single file or standard input')
    .option('--unpack', 'take the files of a bag or crate in a ZIP archive, not the archive')
    .option(...asIs)
    .option(...exclude)
    .option(...followLinks)
    .option('--replace', 'make a new version of a file whose name is taken')
    .option(...jobs('files sent at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .action((id: string, paths: string[], options: UploadOptions) =>
      upload(context, id, paths, options),
    )
}

async function upload(
  context: CliContext,
  id: string,
  paths: readonly string[],
  options: UploadOptions,
): Promise<void> {
  const { requireFileNames } = await import('../folder/folder-deposit.ts')
  await requireFileNames(context, 'upload', id, paths)
  if (!paths.includes('-')) {
    await uploadSources(
      context,
      { id, paths },
      await readPaths(context, id, paths, options),
      options,
    )
    return
  }
  const name = requireName(id, paths, options.name)
  const { spool } = await import('../transfer/spool.ts')
  await using input = await spool(context.stdin, name, context.signal)
  const sources = {
    files: [input.file],
    leftOut: { ignored: [], excluded: [] },
    isIgnored: () => false,
  }
  await uploadSources(context, { id, paths }, sources, options)
}

/** With notes about bags and crates. */
async function readPaths(
  context: CliContext,
  id: string,
  paths: readonly string[],
  options: UploadOptions,
): Promise<Sources> {
  const { streams, folder, signal } = context
  const { readSources } = await import('../transfer/read-sources.ts')
  const { sources, notes } = await readSources(paths, {
    ...options,
    folder,
    signal,
    next: {
      named: advice.leaveOut('--name'),
      packed: (path) => advice.uploadWhole(id, path),
    },
    onVerify: async (transfer) => {
      const { startProgress } = await import('../output/progress.ts')
      return startProgress(streams, transfer, options.quiet === true)
    },
  })
  for (const note of notes) narrate(streams, options, note)
  return sources
}

async function uploadSources(
  context: CliContext,
  { id, paths }: { readonly id: string; readonly paths: readonly string[] },
  { files, leftOut }: Sources,
  options: UploadOptions,
): Promise<void> {
  const { streams } = context
  const [{ describeLeftOut, planUpload }, { findMissing, sendFiles }] = await Promise.all([
    import('../transfer/plan-upload.ts'),
    import('../transfer/send-files.ts'),
  ])
  const plan = planUpload(files)
  for (const remark of [...describeLeftOut(leftOut), ...plan.warnings])
    narrate(streams, options, remark)
  const client = await context.client(options)
  const { lookForFiles, readNamed } = await import('../folder/folder-deposit.ts')
  const deposit = await lookForFiles(context, 'upload', [id, ...paths], () =>
    readNamed(context, client, id, options),
  )
  const present = await client.listFiles(deposit.id)
  const [replace, quiet] = [options.replace === true, options.quiet === true]
  const missing = await findMissing({ deposit, present, replace }, plan.files)
  if (options.dryRun) {
    if (missing.length > 0)
      await client.permissions.requirePossible(`upload to ${deposit.id}`, 'upload', deposit)
    rehearse(context, plan.files, missing, options)
    return
  }
  const to = { client, streams, deposit, present, replace, jobs: options.jobs, quiet }
  const sent = await sendFiles(to, plan.files, missing)
  const there = alreadyThere(plan.files.length - sent.length)
  narrate(streams, options, `Uploaded ${count(sent.length, 'file')} to ${deposit.id}${there}`)
  const [ids, names] = [sent.map((file) => file.id), sent.map(({ filename }) => filename)]
  print(streams, options, { body: sent, ids, lines: () => names })
}

function rehearse(
  { streams }: CliContext,
  files: readonly LocalFile[],
  missing: readonly LocalFile[],
  options: UploadOptions,
): void {
  const there = alreadyThere(files.length - missing.length)
  narrate(streams, options, `Would upload ${count(missing.length, 'file')}${there}`)
  const names = missing.map(({ key }) => key)
  const body = missing.map(({ key, size }) => ({ filename: key, filesize: size }))
  print(streams, options, { body, ids: names, lines: () => names })
}

function alreadyThere(number: number): string {
  return number === 0 ? '' : `; ${count(number, 'file')} already there`
}

function requireName(id: string, paths: readonly string[], name: string | undefined): string {
  if (name !== undefined && paths.length === 1) return name
  throw new UsageFailure({
    tried: 'upload standard input',
    said: name === undefined ? 'it has no name' : 'it is a single file, and there are others',
    next: advice.nameInput(id),
  })
}

import { open, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { codeOf } from '../../core/base/errno.ts'
import { advice } from '../advice.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption, UsageFailure } from '../failure.ts'
import { metadataFiles, statsOf } from '../metadata/find-metadata-file.ts'
import { noWrite } from '../no-write.ts'
import { narrate, print } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import { newChange, type CommonOptions } from './command.ts'

interface InitOptions extends CommonOptions {
  readonly yes?: true
}

/** `deposit init [dir]`: writes a metadata file for a folder. */
export function initCommand(context: CliContext): Command {
  return newChange('init', {
    'deposit init results/': 'asks a few questions and writes results/metadata.yaml',
    'deposit init results/ --yes': 'asks nothing; the fields are filled in with an editor',
    'deposit init --dry-run --yes': 'prints the file and writes nothing',
  })
    .description(
      'Write a metadata.yaml for a folder, with every field of the schema: the recommended ones ' +
        'with your answers, all others as comments with an example. In a terminal, a few questions ' +
        'are asked; Enter takes the answer in brackets. Answers come from the first of ' +
        '.zenodo.json, ro-crate-metadata.json, CITATION.cff, codemeta.json or datapackage.json in the folder, from your last deposit, and ' +
        'from the user.name of git. An existing metadata file is never changed. The fields are ' +
        'in deposit-metadata(5).',
    )
    .argument('[dir]', 'the folder; the current one by default')
    .option('--yes', 'ask nothing, and leave unknown fields empty')
    .action((dir: string | undefined, options: InitOptions) => init(context, dir ?? '.', options))
}

async function init(context: CliContext, dir: string, options: InitOptions): Promise<void> {
  const { streams } = context
  const folder = resolve(context.folder, dir)
  const file = join(dir, 'metadata.yaml')
  const tried = `write ${file}`
  await requireFolder(folder, dir, tried)
  const [{ canAsk }, { findGitUser, findKnownMetadata }, { writeSkeleton }] = await Promise.all([
    import('../session/keyboard.ts'),
    import('../folder/known-metadata.ts'),
    import('../folder/skeleton.ts'),
  ])
  if (!options.yes && !canAsk(context)) throw noTerminal(tried)
  const known = await findKnownMetadata(context, folder)
  for (const remark of known.remarks) narrate(streams, options, remark)
  const git = await findGitUser(folder)
  const found = { ...defaults(), ...(git && { creators: [git] }), ...known.metadata }
  const metadata = options.yes ? found : await ask(context, folder, { found, ...known, tried })
  const { text, unfilled } = await writeSkeleton(dir, metadata)
  const body = { file, unfilled: unfilled.map(({ field }) => field), text }
  if (options.dryRun) {
    narrate(streams, options, `Would write ${file}`)
    print(streams, options, { body, ids: [file], lines: () => [text.trimEnd()] })
    return
  }
  await write(join(folder, 'metadata.yaml'), text, { dir, tried })
  narrate(streams, options, `Wrote ${file}`)
  if (unfilled.length > 0) {
    const places = unfilled.map(({ field, line }) => `${field} (line ${line})`).join(', ')
    narrate(streams, options, `Still empty: ${places}`)
  }
  const next = unfilled.length > 0 ? advice.fillIn(dir) : advice.createOf(dir)
  narrate(streams, options, `next: ${next}`)
  print(streams, options, { body, ids: [file], lines: () => [file] })
}

/** Of a data set that is published today. */
function defaults(): Metadata {
  return { publication_date: new Date().toISOString().slice(0, 10), resource_type: 'dataset' }
}

/** @throws {UsageFailure} there is no such folder, or it has a metadata file */
async function requireFolder(folder: string, dir: string, tried: string): Promise<void> {
  const stats = await stat(folder).catch(() => undefined)
  if (!stats?.isDirectory()) {
    const said = stats === undefined ? 'there is no such folder' : `${dir} is a file, not a folder`
    throw new UsageFailure({ tried, said, next: advice.checkPath() })
  }
  const found = await statsOf(folder, metadataFiles)
  const name = metadataFiles.find((_, index) => found[index] !== undefined)
  if (name !== undefined) throw hasMetadata(dir, tried, name)
}

function hasMetadata(dir: string, tried: string, name: string): UsageFailure {
  const said = `the folder has ${name} already; it was not changed`
  return new UsageFailure({ tried, said, next: advice.checkFolder(dir) })
}

function noTerminal(tried: string): UsageFailure {
  const said = 'questions need a terminal, for input and for messages'
  return new UsageFailure({ tried, said, next: advice.askNothing() })
}

interface Asked {
  /** All that is known without the server. */
  readonly found: Metadata
  /** The part of it that a file of the folder has. */
  readonly metadata: Metadata
  readonly tried: string
}

async function ask(context: CliContext, folder: string, asked: Asked): Promise<Metadata> {
  const { found, metadata, tried } = asked
  const [{ openKeyboard }, { askMetadata }, { findLastCreator }] = await Promise.all([
    import('../session/keyboard.ts'),
    import('../folder/ask-metadata.ts'),
    import('../folder/known-metadata.ts'),
  ])
  const last = 'creators' in metadata ? undefined : await findLastCreator(context)
  const known = last === undefined ? found : { ...found, creators: [last] }
  using keyboard = await openKeyboard(context)
  const tell = (line: string): void => context.streams.note(line)
  try {
    return await askMetadata({ ask: keyboard.ask, tell, known, folderName: basename(folder) })
  } catch (cause) {
    if (!isInterruption(cause)) throw cause
    const said = 'interrupted; nothing was written'
    const exitCode = exitCodes.interrupted
    throw new Failure({ tried, said, next: advice.runAgain() }, { cause, exitCode })
  }
}

/** @throws {Failure} the folder cannot be written, or has got such a file since */
async function write(
  path: string,
  text: string,
  { dir, tried }: { readonly dir: string; readonly tried: string },
): Promise<void> {
  const kept = 'nothing was written'
  const refuse = (cause: unknown): never => {
    throw noWrite(cause, { tried, path, kept, elsewhere: advice.checkPath() }) ?? cause
  }
  const file = await open(path, 'wx').catch((cause: unknown) => {
    if (codeOf(cause) === 'EEXIST') throw hasMetadata(dir, tried, basename(path))
    return refuse(cause)
  })
  try {
    await file.writeFile(text)
    await file.close()
  } catch (cause) {
    await rm(path)
    refuse(cause)
  }
}

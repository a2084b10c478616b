import { advice } from '../advice.ts'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { checkDocument } from './check-document.ts'
import { toLine } from '../output/finding.ts'
import type { Metadata } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { toYaml } from '../output/json.ts'
import { ownMetadata } from '../output/deposit-facts.ts'
import { locateIn } from '../metadata/locate.ts'
import { readMetadata, readText } from '../metadata/read-metadata.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const remark = '#! '

/** How metadata are edited. */
interface Editing<Saved> {
  readonly open: OpenEditor
  /** Lines shown above the metadata the first time. */
  readonly remarks?: readonly string[]
  readonly save: (document: Metadata) => Promise<Saved>
}

/**
 * Opens the metadata in the user's editor, and again while they have errors; then saves them. The
 * file is removed once they are saved.
 *
 * @returns what was saved; undefined if nothing was changed
 * @throws {Failure} they were not saved, and the file is kept
 */
export async function editMetadata<Saved>(
  context: CliContext,
  { id, metadata }: DepositBody,
  { open, remarks = [], save }: Editing<Saved>,
): Promise<Saved | undefined> {
  const file = join(await mkdtemp(join(tmpdir(), 'deposit-')), `${id}.yaml`)
  const text = await toYaml(ownMetadata(metadata))
  await writeFile(file, toRemarks(remarks) + text, { mode: 0o600 })
  const changed = await editUntilSound(context, open, { id, file })
  const isChanged = changed.text !== text
  const saved = isChanged
    ? await save(changed.document).catch((cause: unknown) => {
        throw cause instanceof Failure ? notSaved(id, file, cause) : cause
      })
    : undefined
  await rm(dirname(file), { recursive: true })
  return saved
}

/** The text is the user's work: it is there whatever the reason was. */
function notSaved(id: string, file: string, cause: Failure): Failure {
  const { tried, said, exitCode } = cause
  return new Failure({ tried, said, next: advice.saveKept(id, file) }, { cause, exitCode })
}

interface Edited {
  readonly text: string
  readonly document: Metadata
}

async function editUntilSound(
  context: CliContext,
  open: OpenEditor,
  edited: { readonly id: string; readonly file: string },
  faulty?: string,
): Promise<Edited> {
  const { id, file } = edited
  await open(file)
  const text = withoutRemarks(await readText(context, file))
  if (text === faulty) throw leftAsItWas(id, file)
  await writeFile(file, text)
  const found = await examine(context, file, text)
  if ('document' in found) return { text, document: found.document }
  await writeFile(file, toRemarks(found.faults) + text)
  return editUntilSound(context, open, edited, text)
}

type Examined = { readonly document: Metadata } | { readonly faults: readonly string[] }

/** Checks what is present; a draft may be incomplete. */
async function examine(input: CliContext, file: string, text: string): Promise<Examined> {
  try {
    const { metadata: document } = await readMetadata(input, file)
    const { errors } = await checkDocument(document, 'edit')
    const locate = locateIn(text)
    const faults = errors.map((finding) => toLine({ ...finding, ...locate(finding.field) }))
    return faults.length === 0 ? { document } : { faults }
  } catch (error) {
    if (!(error instanceof UsageFailure)) throw error
    return { faults: [error.said] }
  }
}

function toRemarks(lines: readonly string[]): string {
  return lines.map((line) => `${remark}${line}\n`).join('')
}

function withoutRemarks(text: string): string {
  const lines = text.split('\n')
  return lines.filter((line) => !line.startsWith(remark)).join('\n')
}

function leftAsItWas(id: string, file: string): UsageFailure {
  return new UsageFailure({
    tried: 'save the metadata',
    said: 'the faults listed in the file were not corrected',
    next: advice.saveFile(id, file),
  })
}

/** Opens a file in the editor, and resolves when the editor ends. */
type OpenEditor = (file: string) => Promise<void>

/**
 * The user's editor.
 *
 * @param id of the deposit that is edited
 * @throws {UsageFailure} none is set, and there is no terminal for the default one
 */
export function findEditor(
  { config, streams }: Pick<CliContext, 'config' | 'streams'>,
  id: string,
): OpenEditor {
  const usual = process.platform === 'win32' ? 'notepad' : 'vi'
  const editor = config.editor ?? (streams.isWatched ? usual : undefined)
  if (editor === undefined) throw noEditor(id)
  return async (file) => {
    // VISUAL and EDITOR hold a command line, as for git: `code --wait`.
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
        : spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' })
    await once(child, 'exit')
    if (child.exitCode !== 0) throw editorFailed(id, editor, file)
  }
}

function noEditor(id: string): UsageFailure {
  const next = advice.setEditor(id)
  return new UsageFailure({
    tried: 'open an editor',
    said: 'neither VISUAL nor EDITOR is set',
    next,
  })
}

function editorFailed(id: string, editor: string, file: string): UsageFailure {
  return new UsageFailure({
    tried: 'change the metadata',
    said: `the editor (${editor}) ended with an error; nothing was saved`,
    next: advice.saveFile(id, file),
  })
}

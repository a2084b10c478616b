import { advice } from '../advice.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'

/** Has a person change a file; ends when the editor does. */
export type OpenEditor = (file: string) => Promise<void>

/**
 * The editor of this person.
 *
 * @param id of the deposit that is edited
 * @throws {UsageFailure} none is named, and nobody is there who could use the usual one
 */
export function findEditor(
  { config, streams }: Pick<CliContext, 'config' | 'streams'>,
  id: string,
): OpenEditor {
  const usual = process.platform === 'win32' ? 'notepad' : 'vi'
  const editor = config.editor ?? (streams.isWatched ? usual : undefined)
  if (editor === undefined) throw noEditor(id)
  return async (file) => {
    // What VISUAL and EDITOR hold is a command line, as for git: `code --wait`.
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

import { replacements } from '../../text/replacements.ts'
import { addTexts, counted, text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { track } from '../api/pending.ts'
import { say, sayFailure } from '../ui/messages.tsx'

addTexts(replacements)

/** Milliseconds for which the way back is offered. */
const offered = 8_000

/**
 * Tells that files were replaced; an undo makes what they were before their latest version again.
 *
 * @param before the files as they were
 * @param onChanged asks for the list of files
 */
export function offerBefore(
  api: FileApi,
  before: readonly DepositFile[],
  onChanged: () => Promise<void>,
): void {
  const [first] = before
  const said =
    before.length === 1 && first
      ? text('file.replacedHere', { name: first.filename })
      : counted('files.replacedHere', before.length)
  const undo = async () => {
    for (const file of before) await api.bringBack(file)
    say(counted('files.broughtBack', before.length))
    await onChanged()
  }
  const dismiss = say(said, {
    forMs: offered,
    undo: () => {
      dismiss()
      track(undo()).catch(sayFailure)
    },
  })
}

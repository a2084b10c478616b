import type { CliContext } from '../session/context.ts'
import { splitWords, toTyped } from './bash-words.ts'
import { complete } from './complete.ts'

/**
 * What bash is to put in the place of `text`, the end of `line` that it is about to replace. To bash
 * a word begins anew behind a `:`, `=` or `@`, and behind an open quote: what stands before stays.
 *
 * @param line from the name of the command to the cursor
 */
export async function completeInBash(
  context: CliContext,
  line: string,
  text: string,
): Promise<readonly string[]> {
  const words = splitWords(line).slice(1)
  const raw = words.at(-1)?.raw ?? ''
  const kept = splitWords(raw.endsWith(text) ? raw.slice(0, raw.length - text.length) : '').at(-1)
  const found = await complete(
    context,
    words.map(({ value }) => value),
  )
  return found.map(([value]) => toTyped(value.slice(kept?.value.length), kept?.quote ?? ''))
}

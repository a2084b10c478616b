import type { CliContext } from '../session/context.ts'
import { completeInBash } from './complete-in-bash.ts'
import { complete } from './complete.ts'

/**
 * What a script of `deposit completion` reads, line by line.
 *
 * `-- WORD...` is answered with what the last word may become, a tab, and what that is;
 * `--bash LINE TEXT` with what `TEXT` at the end of the line may become, as it is to be typed.
 */
export async function answerShell(
  context: CliContext,
  [form, ...rest]: readonly string[],
): Promise<readonly string[]> {
  const [line = '', text = ''] = rest
  if (form === '--bash') return completeInBash(context, line, text)
  const found = await complete(context, rest)
  return found.map(([value, what]) => `${value}\t${what}`)
}

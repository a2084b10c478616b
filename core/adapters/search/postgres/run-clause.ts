import type { Clause } from '../query-plan.ts'

/**
 * Finds tokens that follow each other in a text with a space before and after each.
 *
 * @param run SQL of the text
 * @param tokens at each place one of several
 * @param isPrefix whether the last one may be the beginning of a token
 */
export function inRun(
  run: string,
  tokens: readonly (readonly string[])[],
  isPrefix: boolean,
): Clause {
  if (tokens.some(({ length }) => length !== 1))
    return { sql: `${run} ~ ?`, values: [toPattern(tokens)] }
  return {
    sql: `strpos(${run}, ?) > 0`,
    values: [` ${tokens.flat().join(' ')}${isPrefix ? '' : ' '}`],
  }
}

/** Tokens have no sign that means something in a pattern. */
function toPattern(tokens: readonly (readonly string[])[]): string {
  return ` ${tokens.map((choice) => `(?:${choice.join('|')})`).join(' ')} `
}

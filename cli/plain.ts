import { shellWord } from '../core/base/shell-word.ts'

export { plain, quoted } from '../core/base/plain.ts'
export { powerShellWord, shellWord } from '../core/base/shell-word.ts'

/**
 * Advice with `--endpoint` added to its commands, which stand in backticks.
 *
 * @param name what `--endpoint` was given; undefined where it was not
 */
export function atEndpoint(text: string, name: string | undefined): string {
  if (name === undefined) return text
  const option = `--endpoint ${shellWord(name)}`
  return text.replaceAll(/`(deposit \w+[^`]*)`/g, (whole, command: string) =>
    withoutEndpoint.test(command)
      ? whole
      : `\`${command.replaceAll(' && ', ` ${option} && `)} ${option}\``,
  )
}

/** Commands without deposits, or with an endpoint already. */
const withoutEndpoint =
  /^deposit (?:daemon|doctor|login|logout|whoami|token|completion)|--endpoint|--help/

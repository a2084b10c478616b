import { shellWord } from '../core/base/shell-word.ts'

export { plain, quoted } from '../core/base/plain.ts'
export { powerShellWord, shellWord } from '../core/base/shell-word.ts'

/** The path of a local file as an argument: one that begins like an option gets its folder before it. */
export function pathWord(path: string): string {
  return shellWord(path.startsWith('-') && path !== '-' ? `./${path}` : path)
}

/** Names of files of a deposit as arguments: `--` ends the options before one that begins like one. */
export function keyWords(names: readonly string[]): string {
  const words = names.map((name) => shellWord(name)).join(' ')
  return names.some((name) => name.startsWith('-')) ? `-- ${words}` : words
}

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
      : `\`${command
          .split(' && ')
          .map((one) => withOption(one, option))
          .join(' && ')}\``,
  )
}

/** A command with a further option, before a `--` that ends the options. */
function withOption(command: string, option: string): string {
  const [, before, names] = /^((?:[^'"]|'[^']*'|"[^"]*")*?)( -- .*)$/.exec(command) ?? []
  return before === undefined ? `${command} ${option}` : `${before} ${option}${names}`
}

/** Commands without deposits, or with an endpoint already. */
const withoutEndpoint =
  /^deposit (?:daemon|doctor|login|logout|whoami|token|completion)|--endpoint|--help/

export { plain, quoted } from '../core/base/plain.ts'

/** A word of a command line, for a shell: as it is where that is safe. */
export function shellWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * The same advice for deposits of an endpoint: its commands, in backticks, name it as well.
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

/** Commands that are not about deposits, or that name an endpoint already. */
const withoutEndpoint =
  /^deposit (?:daemon|doctor|login|logout|whoami|token|completion)|--endpoint|--help/

import type { Options } from './operator-command.ts'

/** A command with its options, as the audit trail names it. No option holds a secret; the rows of an
 * import are left out, for their file is named. */
export function describeCommand(command: string, options: Options): string {
  const given = Object.entries(options).filter(
    ([name, value]) =>
      name !== 'people' && value !== undefined && value !== '' && value !== 'false',
  )
  return ['depositd', command, ...given.map(([name, value]) => `${name}=${value}`)].join(' ')
}

import type { Options } from './operator-command.ts'

/** A command with its options, as the audit trail names it. No option holds a secret. */
export function describeCommand(command: string, options: Options): string {
  const given = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== '' && value !== 'false',
  )
  return ['depositd', command, ...given.map(([name, value]) => `${name}=${value}`)].join(' ')
}

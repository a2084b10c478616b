import type { Options } from './operator-command.ts'

/**
 * A command with its options, as the audit trail names it: addresses without user and password, and
 * without the rows of an import, whose file is named.
 */
export function describeCommand(command: string, options: Options): string {
  const given = Object.entries(options).filter(
    ([name, value]) =>
      name !== 'people' && value !== undefined && value !== '' && value !== 'false',
  )
  return [
    'depositd',
    command,
    ...given.map(([name, value]) => `${name}=${withoutPassword(value)}`),
  ].join(' ')
}

function withoutPassword(value = ''): string {
  return value.replaceAll(/(?<=:\/\/)[^/@]*@/g, '')
}

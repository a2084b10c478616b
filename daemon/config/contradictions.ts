import type { ConfigValues } from './keys.ts'

/**
 * Settings that are good alone and contradict each other. They do not stop a start: each has a
 * meaning, though probably not the one that was wanted.
 *
 * @param isGiven true for a key with a value that is not its preset
 */
export function findContradictions(
  values: ConfigValues,
  proxies: readonly string[],
  isGiven: (key: string) => boolean,
): readonly string[] {
  const { DEPOSIT_UPLOADS_AT_ONCE: all, DEPOSIT_UPLOADS_AT_ONCE_PER_USER: each } = values
  const everyone = proxies.find((proxy) => /\/0+$/.test(proxy))
  const found: readonly (string | false)[] = [
    everyone !== undefined &&
      `DEPOSIT_TRUSTED_PROXIES has ${everyone}: every client can claim another address. Name only your proxies.`,
    each > all &&
      isGiven('DEPOSIT_UPLOADS_AT_ONCE_PER_USER') &&
      `DEPOSIT_UPLOADS_AT_ONCE_PER_USER (${each}) is more than DEPOSIT_UPLOADS_AT_ONCE (${all}): one user can make all others wait.`,
    values.DEPOSIT_MAX_FILE_SIZE > values.DEPOSIT_QUOTA &&
      isGiven('DEPOSIT_MAX_FILE_SIZE') &&
      isGiven('DEPOSIT_QUOTA') &&
      'DEPOSIT_MAX_FILE_SIZE is more than DEPOSIT_QUOTA: only a user with a larger quota of their own can store such a file.',
  ]
  return found.filter((warning) => warning !== false)
}

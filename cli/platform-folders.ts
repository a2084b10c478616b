import envPaths from 'env-paths'

/** The platform's folders for programs of the user. */
export function platformFolders(): Readonly<Record<'data' | 'config' | 'cache', string>> {
  return envPaths('deposit', { suffix: '' })
}

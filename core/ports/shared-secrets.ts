/** What all daemons on the same rows have to know alike, and nobody else: keys to sign with. */
export interface SharedSecretReader {
  readonly find: (name: string) => Promise<string | undefined>
}

export interface SharedSecretWriter extends SharedSecretReader {
  /** @throws there is one under this name */
  readonly insert: (name: string, value: string) => Promise<void>
}

/** Why a store of files cannot be used as it is configured. */
export type FilesFault = 'address' | 'keys_in_address' | 'no_bucket' | 'refused'

/** A store of files cannot be used as it is configured. */
export class FilesUnfit extends Error {
  override readonly name = 'FilesUnfit'
  readonly fault: FilesFault

  constructor(fault: FilesFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

/** The database was migrated by a newer program than this one. */
export class DatabaseTooNew extends Error {
  constructor(found: number, known: number) {
    super(`The database has schema version ${found}; this program knows up to ${known}.`)
    this.name = 'DatabaseTooNew'
  }
}

/** The database cannot keep all texts. */
export class DatabaseUnfit extends Error {
  override readonly name = 'DatabaseUnfit'
}

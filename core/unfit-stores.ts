/** A store of files cannot be used as it is configured; the message says what to change. */
export class FilesUnfit extends Error {
  override readonly name = 'FilesUnfit'
}

/** The database was migrated by a newer program than this one. */
export class DatabaseTooNew extends Error {
  constructor(found: number, known: number) {
    super(`The database has schema version ${found}; this program knows up to ${known}.`)
    this.name = 'DatabaseTooNew'
  }
}

/** The database cannot keep what it is given; the message says what to change. */
export class DatabaseUnfit extends Error {
  override readonly name = 'DatabaseUnfit'
}

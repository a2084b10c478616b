import type { BlobUse } from '../ports/upkeep.ts'

/** Something a check has found. */
export interface Finding {
  /**
   * `damage`: data is lost or changed. `garbage`: bytes that a crash or a failure left, which no
   * row names. `strange`: a file that this service did not make.
   */
  readonly kind: 'damage' | 'garbage' | 'strange'
  /** Table or kind of file. */
  readonly subject: string
  /** Id of the row or blob, or path of the file. */
  readonly name: string
  readonly message: string
  /** Where damaged bytes are used. */
  readonly uses?: readonly BlobUse[]
}

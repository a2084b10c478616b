import type { UserId } from '../access/caller.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { BlobId, FileKey } from './file.ts'

/** A file of a deposit that arrives in pieces. */
export interface Upload {
  /** Names the upload, and its bytes from the first to the last. */
  readonly id: BlobId
  readonly deposit: DepositId
  /** Whose quota the bytes count against. */
  readonly owner: UserId
  readonly key: FileKey
  /** Bytes, all told. */
  readonly size: number
  /** True where a file under the key is to have a new version; else the key must be free. */
  readonly replaces: boolean
  /** `sha256:<hex>` or `md5:<hex>`, where the client gave one. */
  readonly checksum?: string
  /** What the client said of the file, by name; null where it gave a name without a value. */
  readonly metadata: Readonly<Record<string, string | null>>
  /** ISO 8601, UTC. */
  readonly created: string
  /** Set once the file is one of the deposit's. */
  readonly finished?: string
}

import type { UserId } from '../access/caller.ts'
import { problem, type DepositError } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { BlobId, FileKey } from './file.ts'

/** A client's description of a file that arrives in pieces. */
export type FileInPieces = Pick<Upload, 'key' | 'replaces' | 'checksum' | 'metadata'>

/** A file of a deposit that arrives in pieces. */
export interface Upload {
  /** Names the upload, and its bytes from the first to the last. */
  readonly id: BlobId
  readonly deposit: DepositId
  /** Whose quota the bytes count against. */
  readonly owner: UserId
  readonly key: FileKey
  /** Bytes, all told; as many as were announced so far where the length is deferred. */
  readonly size: number
  /** Set until the client says how many bytes there will be. */
  readonly lengthDeferred?: true
  /** True where a file under the key is to have a new version; else the key must be free. */
  readonly replaces: boolean
  /** `sha256:<hex>` or `md5:<hex>`, where the client gave one. */
  readonly checksum?: string
  /** The client's metadata of the file, by name; null for a name without a value. */
  readonly metadata: Readonly<Record<string, string | null>>
  /**
   * `partial` where the bytes are one part of a file that is sent in parallel; of a file that was
   * made of such parts, their ids in order. The parts are gone by then.
   */
  readonly concat?: 'partial' | readonly BlobId[]
  /** ISO 8601, UTC. */
  readonly created: string
  /** Set once the file is one of the deposit's. */
  readonly finished?: string
}

/** Bytes to append. */
export interface Piece {
  readonly offset: number
  /** Bytes, where the client has announced how many. */
  readonly length?: number
  /** Bytes of the whole upload, where the client says so with this piece. */
  readonly total?: number
  readonly signal?: AbortSignal
  /** Throws once another request may work on the upload, at another daemon. */
  readonly requireTurn?: () => void
  readonly digest?: PieceDigest
}

/** The digest of one piece, in hexadecimal digits. */
export interface PieceDigest {
  readonly algorithm: 'sha1' | 'sha256' | 'md5'
  readonly hex: string
}

/** More bytes arrive than the upload was begun for, or than the piece announced. */
export function lengthPassed(): DepositError<'file_too_large'> {
  const message = 'These are more bytes than Upload-Length has promised.'
  return problem('file_too_large', { message })
}

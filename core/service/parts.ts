import type { Caller } from '../access/caller.ts'
import type { ReviewRule } from '../access/review-rights.ts'
import type { BlobId } from '../files/file.ts'
import type { Permissions } from '../deposit/permissions.ts'
import type { Actions } from '../actions/action.ts'
import type { RecordMinter } from '../pid/record-minters.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Provider } from '../ports/provider.ts'
import type { SearchIndex } from '../ports/search-index.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'
import type { SearchOptions } from '../search/request.ts'
import type { Visibility } from '../search/visibility.ts'
import type { Signals } from './signals.ts'
import type { QuotaClaims } from './quota-claims.ts'
import type { Turns } from '../base/turns.ts'

/** Settings of the service, from the specification's configuration keys. */
export interface Settings {
  readonly storageClass: string
  /** Bytes. */
  readonly maxFileSize: number
  readonly maxFiles: number
  /** Unfinished uploads of a deposit. */
  readonly maxUploads: number
  /**
   * Bytes that one user may have of files, metadata, revisions and kept answers; unfinished uploads
   * count as announced.
   */
  readonly quota: number
  /** Milliseconds that an upload is kept after its last byte came. */
  readonly uploadExpiryMs: number
  /** Milliseconds that a deposit which was deleted and kept, or a file, can be brought back. */
  readonly retentionMs: number
  /** Milliseconds for which entries of the audit trail are kept; 0 for ever. */
  readonly auditMs: number
  /** Milliseconds that changes of the metadata of drafts are kept. */
  readonly historyMs: number
  /** Milliseconds after its publication in which the owner may withdraw a record. */
  readonly withdrawalMs: number
  /** Who publishes drafts: their owners, reviewers, or both. */
  readonly review: ReviewRule
  readonly searchOptions: SearchOptions
  /** Redirects downloads to the store, where it has a URL for them. */
  readonly redirectsDownloads: boolean
  /** Digests to compute beside SHA-256. */
  readonly checksums: readonly string[]
}

/** Dependencies of the use cases; the composition root provides them. */
export interface Parts {
  readonly database: Database
  readonly blobs: BlobStore
  readonly search: SearchIndex
  readonly signals: Signals
  readonly clock: Clock
  readonly schemas: SchemaRegistry
  readonly actions: Actions
  readonly permissions: Permissions
  /** Type of the identifiers of the deposits that can be found; others are as if they were not there. */
  readonly pidType: string
  /** Of the deposits of all endpoints. */
  readonly pidTypes: readonly string[]
  /** Which deposits a caller may find. @throws {DepositError} unauthenticated: there is no user */
  readonly visibility: (caller: Caller) => Visibility
  readonly mintRecord: RecordMinter
  /** Of further identifiers, such as DOIs. */
  readonly providers: readonly Provider[]
  /** Scheme, host and port of the service as its users see it. */
  readonly origin: () => string
  readonly settings: Settings
  /** Turns of requests to write bytes. */
  readonly turns: Turns
  /** CRC-32 that are being computed: for all who wait for one, the file is read once. */
  readonly sums: Map<BlobId, Promise<number>>
  /** Room in quotas that requests hold while they write. */
  readonly claims: QuotaClaims
  /** Reports a failure that no caller waits for. */
  readonly report: (error: unknown) => void
}

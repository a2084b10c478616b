/** Metadata of a deposit: any JSON object; its fields are in deposit-metadata(5). */
export type Metadata = Readonly<Record<string, unknown>>

/** A draft, or a published deposit. */
export interface Deposit {
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly status: 'draft' | 'published'
  /** Without the fields of the service, so that it can be given to `update`. */
  readonly metadata: Metadata
  /** Increased by every change. */
  readonly revision: number
  /** Address of its page, for its owner. */
  readonly url: string | undefined
  /** Address of the public record; undefined before the first publish. */
  readonly recordUrl: string | undefined
  /** Identifier of all versions together; undefined from older services. */
  readonly concept: string | undefined
  /** ISO 8601 in UTC. */
  readonly created: string
  /** ISO 8601 in UTC. */
  readonly updated: string
}

/** A file that the service has stored. */
export interface DepositFile {
  /** Its name in the deposit: a relative path, with `/` between folders. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
}

/** A fault, a warning or a conflict. */
export interface Finding {
  /** JSON Pointer into the metadata, or the name of a file; empty for the whole deposit. */
  readonly field: string
  readonly message: string
  /** Of a conflict: the value when the edit began, in the draft, and in the record now. */
  readonly base?: unknown
  readonly ours?: unknown
  readonly theirs?: unknown
}

/** The result of a check. */
export interface Findings {
  /** Reasons why publishing would be refused; empty if the deposit can be published. */
  readonly errors: readonly Finding[]
  /** Recommended fields that are missing, for example. */
  readonly warnings: readonly Finding[]
}

/** Progress of a transfer. Files that were there before are not counted. */
export interface Progress {
  readonly files: number
  readonly filesTotal: number
  /** It decreases if a file has to be sent again. */
  readonly bytes: number
  readonly bytesTotal: number
}

/** Where to connect, and as whom. */
export interface ConnectOptions {
  /**
   * Address of the service. Default: `DEPOSIT_URL`; without it the daemon of this user on this
   * machine, which is started if it does not run.
   */
  readonly server?: string | URL
  /**
   * Access token. Default: `DEPOSIT_TOKEN`, if `server` is not another service than that of
   * `DEPOSIT_URL`; then the sign-in of `deposit login`. The local daemon needs neither.
   */
  readonly token?: string
  /** Name of the endpoint with the deposits. Default: `DEPOSIT_ENDPOINT`, then `depid`. */
  readonly endpoint?: string
  /** Allows plain http to another machine. */
  readonly insecure?: boolean
  /** Seconds without a byte until a request is given up. Default: 60; 300 for a file. */
  readonly timeout?: number
  /** Attempts after a temporary failure. Default: 4. */
  readonly retries?: number
  /** Ends every request of the client. */
  readonly signal?: AbortSignal
  /** Called with lines for a log, such as that a lost connection is tried again. */
  readonly onNote?: (line: string) => void
}

/** Options of a request that may be repeated. */
export interface RepeatOptions {
  /**
   * A request with a key that was used before is not done twice and has the same answer: for a
   * script that may be run again. At most 255 characters.
   */
  readonly idempotencyKey?: string
}

/** Options of {@link Client.update}. */
export interface UpdateOptions {
  /** Refuses with `stale_revision` if the deposit has another revision by now. */
  readonly revision?: number
}

/** Selects deposits. */
export interface ListOptions {
  /** Words and fields, as in `deposit list QUERY`. */
  readonly query?: string
  readonly status?: 'draft' | 'published'
  /** `bestmatch`, `mostrecent`, … */
  readonly sort?: string
  /** Most results. Default: 100. */
  readonly limit?: number
}

/** Options of a transfer of files. */
export interface TransferOptions {
  /** Ends the transfer: its promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Called after each piece. */
  readonly onProgress?: (progress: Progress) => void
  /** Files at once, from 1 to 64. Default: 8, or 32 small ones. */
  readonly jobs?: number
}

/** Options of {@link Client.upload}. */
export interface UploadOptions extends TransferOptions {
  /** Makes a new version of a file whose name is taken by other bytes. */
  readonly replace?: boolean
  /** Patterns of names to leave out, as in `.gitignore`. */
  readonly exclude?: readonly string[]
  /** Takes the files that links lead to. */
  readonly followLinks?: boolean
  /** Takes the files of a bag or crate in a ZIP archive, not the archive. */
  readonly unpack?: boolean
  /** Name in the deposit, for a single file. */
  readonly name?: string
}

/** Options of {@link Client.release}. */
export interface ReleaseOptions extends RepeatOptions, TransferOptions {
  /** Any version of the record. Default: the one that the folder knows. */
  readonly of?: string
  /** A file of metadata in YAML or JSON. Default: the one in the folder. */
  readonly metadata?: string
  /** Patterns of names to leave out, as in `.gitignore`. */
  readonly exclude?: readonly string[]
  /** The version that was withdrawn, after which this one comes. */
  readonly afterWithdrawal?: string
  /** Refuses every warning. */
  readonly strict?: boolean
  /** Publishes even where there is no metadata at all. */
  readonly yes?: boolean
}

/** Options of {@link Client.download}. */
export interface DownloadOptions extends TransferOptions {
  /** Names of files, folders or patterns. Default: all files. */
  readonly files?: readonly string[]
  /** Overwrites existing files that differ. */
  readonly replace?: boolean
}

/**
 * A service, as the command line uses it: with the retries of temporary failures. Each method
 * rejects with a `DepositError`.
 *
 * An `id` is the identifier of a deposit, its first 6 characters or more, the identifier of its
 * record, or an address of either.
 */
export interface Client extends Disposable {
  /** Origin of the service. */
  readonly server: string
  /** Makes a draft. */
  readonly create: (metadata?: Metadata, options?: RepeatOptions) => Promise<Deposit>
  readonly get: (id: string) => Promise<Deposit>
  /** Lists deposits of the user; records of others are not among them. */
  readonly list: (options?: ListOptions) => Promise<readonly Deposit[]>
  /** Replaces the metadata of a draft. */
  readonly update: (id: string, metadata: Metadata, options?: UpdateOptions) => Promise<Deposit>
  /** Rehearses publishing, and changes nothing. */
  readonly check: (id: string) => Promise<Findings>
  /** Publishes a draft; `recordUrl` of the result is the address of its record. */
  readonly publish: (id: string, options?: RepeatOptions) => Promise<Deposit>
  /**
   * Publishes a folder: as a new version where there is a record, otherwise as the first one. Call it
   * again after an interruption: it finishes the same draft. Without changes it publishes nothing.
   *
   * @returns the published version
   */
  readonly release: (folder: string, options?: ReleaseOptions) => Promise<Deposit>
  /** Opens a published deposit to change its metadata: it is a draft until it is published. */
  readonly edit: (id: string, options?: RepeatOptions) => Promise<Deposit>
  /** Gives up the changes since the last publish. */
  readonly discard: (id: string) => Promise<Deposit>
  /** Makes a draft of the next version of a published deposit, with its metadata and files. */
  readonly newVersion: (id: string, options?: RepeatOptions) => Promise<Deposit>
  /** Deletes a draft that was never published, with its files. Takes the whole identifier. */
  readonly delete: (id: string) => Promise<void>
  readonly files: (id: string) => Promise<readonly DepositFile[]>
  /**
   * Uploads files and folders. Files that are stored already with the same bytes are skipped, and a
   * large file that was interrupted resumes: call it again with the same paths. Bags, crates
   * and Data Packages are verified first; of a bag, the payload is taken without `data/`.
   *
   * @param paths of files and folders, relative to the current folder. A file is named as its path
   *   is written; those of a folder are named relative to it, without hidden ones and those in its
   *   `.depositignore`
   * @returns the files that were sent
   */
  readonly upload: (
    id: string,
    paths: string | readonly string[],
    options?: UploadOptions,
  ) => Promise<readonly DepositFile[]>
  /** Deletes a file of a draft by its name. */
  readonly deleteFile: (id: string, name: string) => Promise<void>
  /**
   * Downloads files and verifies their digests. Files that are there already are skipped.
   *
   * @param folder is made if there is none
   * @returns the paths written
   */
  readonly download: (
    id: string,
    folder: string,
    options?: DownloadOptions,
  ) => Promise<readonly string[]>
}

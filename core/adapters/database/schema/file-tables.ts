/** A file that a client said it would send to a draft. */
export interface AnnouncedFileRow {
  readonly deposit_id: string
  readonly key: string
  readonly at: string
}

/** Count and bytes of the latest versions of a bucket's files, kept to avoid summing them. */
export interface BucketRow {
  readonly id: string
  readonly file_count: number
  readonly byte_count: number
}

export interface BlobRow {
  readonly id: string
  readonly size: number
  readonly sha256: string
  /** JSON object of further digests by algorithm. */
  readonly digests: string
  /** When the bytes were last read back; null for never since they were written. */
  readonly checked: string | null
  /** The damage found then; null if the bytes were good. */
  readonly damage: string | null
  /** Whose usage the bytes are. */
  readonly owner: string | null
  /** Null until an archive needed it. */
  readonly crc32: number | null
}

/** A file with its latest version. */
export interface FileRow {
  readonly id: string
  readonly bucket_id: string
  readonly key: string
  readonly position: number
  /** Set while a draft reorders a published bucket: the file's position in the record. */
  readonly published_position: number | null
  readonly version_id: string
  readonly blob_id: string
  readonly storage_class: string
  /** When the latest version was made. */
  readonly created: string
}

/** A file that was deleted from a draft and can be brought back; its older versions stay. */
export interface TrashedFileRow extends Omit<FileRow, 'published_position'> {
  readonly deleted: string
  readonly deleted_by: string
  /** 1 for a file that was announced, and not confirmed. */
  readonly unconfirmed: number
}

/** A version of a file that a later one has replaced. */
export interface FileVersionRow {
  readonly version_id: string
  readonly file_id: string
  /** Rises with each version of the file. */
  readonly ordinal: number
  readonly blob_id: string
  readonly storage_class: string
  readonly created: string
}

/** A file that arrives in pieces; its id is that of the blob it becomes. */
export interface UploadRow {
  readonly id: string
  readonly deposit_id: string
  readonly owner: string
  readonly key: string
  readonly size: number
  readonly replaces: number
  readonly checksum: string | null
  /** JSON object with the client's information about the file. */
  readonly metadata: string
  /** 1 where the length is not known yet; `size` is what was announced so far. */
  readonly length_deferred: number | null
  /** `partial`, or the ids of the parts that it was made of, with spaces between. */
  readonly concat: string | null
  readonly created: string
  readonly finished: string | null
}

/** A blob that is on its way to the store, or was when something died. */
export interface IntentRow {
  readonly blob_id: string
  readonly renewed: string
  /** 1 once it is to be removed; it can no longer be finished. */
  readonly given_up: number
}

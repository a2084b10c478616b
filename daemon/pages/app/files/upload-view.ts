export type UploadState =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'signed-out'
  | 'failed'
  | 'exists'
  | 'stored'

/** An upload as the page shows it. It leaves the list when the list of files shows its file. */
export interface UploadView {
  readonly id: number
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly sent: number
  readonly state: UploadState
  /** True while it is sent in vain: the service or the network is missing. */
  readonly isAway?: boolean
  readonly failure?: string
  /** Its id at the daemon, once it has begun. */
  readonly upload?: string
}

/** All uploads since the queue was last empty. */
export interface UploadTotals {
  readonly files: number
  readonly done: number
  /** Those that wait for a person. */
  readonly stopped: number
  readonly paused: number
  /** Those whose names files have that are there. */
  readonly taken: number
  /** Bytes. */
  readonly size: number
  readonly sent: number
  /** Bytes in a second, lately. */
  readonly speed: number
}

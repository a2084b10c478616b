import { createHash } from 'node:crypto'

/** A source with journals, one for each repository. */
export interface Journaled {
  /** Of all its versions. */
  readonly key: string
  /** The folder of its journals; beside the sign-ins by default. */
  readonly journals?: string
  /** Of a folder that is pushed straight from the disk, and may have been moved since. */
  readonly folder?: MarkedFolder
}

/** What a folder that was moved or renamed is known by. */
export interface FolderMark {
  /** Absolute. */
  readonly path: string
  /** Device, inode and birth, which stay when it is renamed. */
  readonly identity: string
  readonly title: string
}

export interface MarkedFolder extends FolderMark {
  readonly files: readonly Stamped[]
}

export interface Stamped {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly stamp: string
}

/** Names the bytes of a file in journals. */
export function stampOf({ name, size, stamp }: Stamped): string {
  return createHash('sha256').update(`${name}\n${size}\n${stamp}`).digest('hex').slice(0, 32)
}

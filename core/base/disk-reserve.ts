const MiB = 1024 * 1024

/**
 * Bytes kept free, so that a full disk can still record that something is deleted: a hundredth of
 * the disk within these bounds. What the database writes does not shrink with the disk.
 */
const largestReserve = 64 * MiB
const smallestReserve = 8 * MiB
const reservedShare = 1 / 100

/** A disk that is smaller still would hold nothing else. */
const mostReserved = 1 / 8

/** What the system says of a file system. */
interface FileSystem {
  readonly blocks: number
  /** Blocks that are free for us. */
  readonly bavail: number
  /** Bytes of a block. */
  readonly bsize: number
}

/** Bytes that are kept free, and those left before them; below 0 where they were taken. */
export interface DiskRoom {
  readonly reserve: number
  readonly left: number
}

/** @see statfs(2) */
export function diskRoom({ blocks, bavail, bsize }: FileSystem): DiskRoom {
  const size = blocks * bsize
  const wanted = Math.max(smallestReserve, size * reservedShare)
  const reserve = Math.min(largestReserve, wanted, size * mostReserved)
  // Some network file systems do not count; there, only the write itself can tell.
  return { reserve, left: blocks === 0 ? Infinity : bavail * bsize - reserve }
}

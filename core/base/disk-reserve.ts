const MiB = 1024 * 1024

/**
 * Bytes kept free, so that deletions can be recorded on a full disk: a hundredth of the disk within
 * these bounds. The database needs the same room on a small disk.
 */
const largestReserve = 64 * MiB
const smallestReserve = 8 * MiB
const reservedShare = 1 / 100

/** Share of a very small disk. */
const mostReserved = 1 / 8

/** A part of the answer of statfs(2). */
interface FileSystem {
  readonly blocks: number
  /** Blocks that are free for us. */
  readonly bavail: number
  /** Bytes of a block. */
  readonly bsize: number
}

/** Bytes in reserve, and bytes left without it: below 0 if the reserve is in use. */
export interface DiskRoom {
  readonly reserve: number
  readonly left: number
}

/** @see statfs(2) */
export function diskRoom({ blocks, bavail, bsize }: FileSystem): DiskRoom {
  const size = blocks * bsize
  const wanted = Math.max(smallestReserve, size * reservedShare)
  const reserve = Math.min(largestReserve, wanted, size * mostReserved)
  // Some network file systems report no blocks; there only the write can fail.
  return { reserve, left: blocks === 0 ? Infinity : bavail * bsize - reserve }
}

/** System calls that change files, or make changes durable. */
export const changingCalls = [
  'openat',
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'ftruncate',
  'fallocate',
  'copy_file_range',
  'fsync',
  'fdatasync',
  'rename',
  'renameat2',
  'link',
  'unlink',
  'unlinkat',
  'mkdir',
  'rmdir',
  'chmod',
  'fchmod',
  'utimensat',
] as const

/** A kind of call that a thread makes in a scenario. */
export interface Place {
  readonly thread: string
  readonly call: string
  readonly count: number
  /** False if the thread also makes it for sockets and the like. */
  readonly isForFilesAlone: boolean
}

/**
 * The calls by which a scenario changes files below `home`.
 *
 * @param traces lines of strace with the paths of descriptors, by the name of the thread
 */
export function placesOf(
  traces: ReadonlyMap<string, readonly string[]>,
  home: string,
): readonly Place[] {
  return [...traces].flatMap(([thread, lines]) =>
    changingCalls.flatMap((call) => {
      const made = lines.filter((line) => line.startsWith(`${call}(`))
      const toFiles = made.filter((line) => line.includes(home))
      const isForFilesAlone = toFiles.length === made.length
      return toFiles.length > 0 ? [{ thread, call, count: made.length, isForFilesAlone }] : []
    }),
  )
}

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runCommand, works } from '../run-command.ts'

/** Sizes in bytes, in descending order, of the files that fill a disk. */
const largestPiece = 4 * 1024 * 1024

/** A small file system in memory, which is soon full. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
}

/** @param options in the format of `mount -o`: `size=24m`, `nr_inodes=80` */
export async function smallDisk(options: string): Promise<SmallDisk> {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'disk')
  await mkdir(path)
  await runCommand('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', path)
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await runCommand('umount', path)
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Why there can be no small disk here; undefined if there can. */
export function smallDiskObstacle(): string | undefined {
  const trial = 'mount -t tmpfs -o size=64k tmpfs /mnt && umount /mnt'
  return works('unshare', '-m', 'sh', '-c', trial)
    ? undefined
    : 'a small disk needs root to mount it'
}

/** Takes every byte that is left, for the file at `path`. */
export async function fillUp(path: string): Promise<void> {
  for (let size = largestPiece; size >= 512; size /= 2) {
    const bytes = Buffer.alloc(size)
    while (
      await writeFile(path, bytes, { flag: 'a' }).then(
        () => true,
        () => false,
      )
    );
  }
}

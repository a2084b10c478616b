import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runCommand, works } from '../run-command.ts'

/** A file system in memory, with an end that is soon reached. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
}

/** @param options as `mount -o` takes them: `size=24m`, `nr_inodes=80` */
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

/** Why there can be no small disk here; undefined where there can. */
export function smallDiskObstacle(): string | undefined {
  const trial = 'mount -t tmpfs -o size=64k tmpfs /mnt && umount /mnt'
  return works('unshare', '-m', 'sh', '-c', trial)
    ? undefined
    : 'a small disk needs root to mount it'
}

import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, works } from '../run-command.ts'

export type FileSystem = 'ext4' | 'xfs'

/** The smallest size that mkfs.xfs accepts, with enough space for the uploads. */
const sizeMiB = 1024

/** A file system of its own, whose power can be cut. */
export interface Disk extends AsyncDisposable {
  readonly path: string
  /** Loses all bytes not yet flushed to the device; every further call fails. */
  readonly cut: () => Promise<void>
  /** Recovers the file system from its journal, as a start of the machine does. */
  readonly restore: () => Promise<void>
}

/** Why no such disk can be made here; undefined if one can. */
export function diskObstacle(fileSystem: FileSystem): string | undefined {
  if (!works('xfs_io', '-V')) return 'cutting the power needs xfs_io (Debian: xfsprogs)'
  if (!works(`mkfs.${fileSystem}`, '-V')) return `mkfs.${fileSystem} is missing`
  const trial = 'mount -t tmpfs -o size=64k tmpfs /mnt && umount /mnt'
  if (!works('unshare', '-m', 'sh', '-c', trial)) return 'mounting a disk needs root'
  return works('losetup', '-f') ? undefined : 'mounting a disk needs a loop device'
}

export async function makeDisk(fileSystem: FileSystem): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), 'deposit-disk-'))
  const image = join(folder, 'image')
  const path = join(folder, 'disk')
  await mkdir(path)
  await writeFile(image, '')
  await truncate(image, sizeMiB * 1024 * 1024)
  await runCommand(`mkfs.${fileSystem}`, '-q', image)
  const mount = (): Promise<string> => runCommand('mount', '-o', 'loop', image, path)
  await mount()
  return {
    path,
    cut: async () => void (await runCommand('xfs_io', '-x', '-c', 'shutdown', path)),
    restore: async () => {
      await unmount(path)
      await mount()
    },
    [Symbol.asyncDispose]: async () => {
      await unmount(path)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A recently killed process may still hold it. */
async function unmount(path: string): Promise<void> {
  for (let left = 50; ; left -= 1) {
    try {
      await runCommand('umount', path)
      return
    } catch (error) {
      if (left === 0) throw error
      await sleep(100)
    }
  }
}

import { spawnSync } from 'node:child_process'
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

/** True if this process may mount; reports it loudly if it may not. */
export function canMount(): boolean {
  const trial = 'mount -t tmpfs -o size=64k tmpfs /mnt && umount /mnt'
  if (spawnSync('unshare', ['-m', 'sh', '-c', trial]).status === 0) return true
  process.stderr.write('\nSKIPPED: tests on a disk of their own, for mounting needs root\n')
  return false
}

/** A folder on its own disk in memory. @param size in the format of mount: `6m` */
export async function smallDisk(size: string): Promise<TemporaryFolder> {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder())
  stack.use(diskAt(path, size))
  const owned = stack.move()
  return { path, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A disk in memory at `path`, an empty folder. @param size in the format of mount: `6m` */
export function diskAt(path: string, size: string): Disposable {
  run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path)
  return { [Symbol.dispose]: () => run('umount', '--lazy', path) }
}

/** The same, on which nothing may be written. */
export function readOnlyDiskAt(path: string): Disposable {
  const disk = diskAt(path, '64k')
  makeReadOnly(path)
  return disk
}

/** Makes a disk read-only that is mounted at `path`. */
export function makeReadOnly(path: string): void {
  run('mount', '-o', 'remount,ro', path)
}

export function makeWritable(path: string): void {
  run('mount', '-o', 'remount,rw', path)
}

/** A folder under a second path, where nothing in it can be written. */
export async function readOnlyView(folder: string): Promise<TemporaryFolder> {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder())
  run('mount', '--bind', folder, path)
  stack.defer(() => run('umount', '--lazy', path))
  run('mount', '-o', 'remount,bind,ro', path)
  const owned = stack.move()
  return { path, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}

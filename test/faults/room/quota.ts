import { dirname, join } from 'node:path'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import type { Checks } from '../checks.ts'
import type { Random } from '../random.ts'
import { runCommand, works } from '../run-command.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import { expectClean, onHome } from './on-home.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Why there can be no quota here; undefined if there can. */
export function quotaObstacle(): string | undefined {
  return works('btrfs', '--version') ? undefined : 'a quota needs btrfs (Debian: btrfs-progs)'
}

/** The disk reports free space, but the folder may not use more of it (EDQUOT). */
export async function quota(checks: Checks, random: Random): Promise<void> {
  await using disk = await diskWithQuota('40M')
  await onHome(join(disk.path, 'home'), random, async (service, tester) => {
    const draft = await tester.user.createDraft()
    checks.expect('an upload below the quota', await tester.upload(draft, 'first', 8 * MiB), 201)
    checks.expect('one beyond it', await tester.upload(draft, 'beyond', 64 * MiB), 507)
    for (const bytes of [4 * MiB, 256 * KiB, 16 * KiB]) {
      const [status] = await tester.fill(draft, `of-${bytes}`, bytes)
      checks.expect('uploads until the quota is reached', status, 507)
    }
    checks.expect('all can be read', await tester.readsAll(draft), true)
    checks.expect('health at the quota', await tester.health(), 'ok')
    await raiseQuota(disk.path)
    const gone = await tester.user.delete(`/deposits/${draft.id}/files/first`)
    checks.expect('deleting a file below a new quota', gone.status, 204)
    checks.expect('an upload below it', await tester.upload(draft, 'after', 8 * MiB), 201)
    await expectClean(checks, service)
  })
}

/** From outside of the folder: the change takes a little room itself, and in the folder there is none. */
async function raiseQuota(path: string): Promise<void> {
  const id = await runCommand('btrfs', 'inspect-internal', 'rootid', path)
  await runCommand('btrfs', 'qgroup', 'limit', '80M', `0/${id.trim()}`, dirname(path))
}

/** @param limit in the format of btrfs: `40M` */
async function diskWithQuota(limit: string): Promise<TemporaryFolder> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const image = join(folder.path, 'image')
  const disk = join(folder.path, 'disk')
  await mkdir(disk)
  await writeFile(image, '')
  await truncate(image, 512 * MiB)
  await runCommand('mkfs.btrfs', '-q', image)
  await runCommand('mount', '-o', 'loop', image, disk)
  stack.defer(async () => void (await runCommand('umount', disk)))
  const path = join(disk, 'limited')
  await runCommand('btrfs', 'quota', 'enable', disk)
  await runCommand('btrfs', 'subvolume', 'create', path)
  await runCommand('btrfs', 'qgroup', 'limit', limit, path)
  const owned = stack.move()
  return { path, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/**
 * Makes the file system of a running daemon read-only, as Linux does after a disk error, and starts
 * the daemon where it may not write.
 *
 *     npm run test:faults -- read-only
 */
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Checks } from '../checks.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { diskObstacle, makeDisk } from '../power/disk.ts'
import { Random } from '../random.ts'
import { runCommand } from '../run-command.ts'
import { spawnService, startService } from '../service.ts'
import { Tester } from '../tester.ts'

/** `nobody`, on every Linux. */
const stranger = 65_534
/** Exit statuses of sysexits.h. */
const cannotCreate = 73
const noPermission = 77

export const readOnly: Experiment = {
  name: 'read-only',
  claim: 'On a read-only file system reading goes on and writing is refused; a start says so.',
  obstacle: () => diskObstacle('ext4'),
  run: writeNothing,
}

async function writeNothing({ seed }: Settings): Promise<Outcome> {
  const checks = new Checks()
  await remountWhileServing(checks, new Random(seed))
  await startWhereItMayNot(checks)
  return checks.outcome()
}

async function remountWhileServing(checks: Checks, random: Random): Promise<void> {
  await using disk = await makeDisk('ext4')
  await runCommand('mount', '-o', 'remount,errors=remount-ro', disk.path)
  const service = await startService(join(disk.path, 'home'))
  try {
    const tester = await Tester.at(service, random)
    const draft = await tester.user.createDraft()
    checks.expect('an upload before', await tester.upload(draft, 'before', 100_000), 201)
    const device = (await runCommand('findmnt', '-no', 'SOURCE', disk.path)).trim()
    await writeFile(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'a test')
    const met = await tester.upload(draft, 'during', 100_000)
    checks.expect('the upload that meets it', met, 500, 503)
    checks.expect('the next one', await tester.upload(draft, 'after', 100_000), 503)
    const changed = await tester.user.put(`/deposits/${draft.id}`, { title: 'Other' })
    checks.expect('a change of the document', changed.status, 503)
    checks.expect('all can be read', await tester.readsAll(draft), true)
    checks.expect('health', await tester.health(), 'degraded')
  } finally {
    await service.kill()
  }
}

async function startWhereItMayNot(checks: Checks): Promise<void> {
  await using folder = await temporaryFolder()
  const foreign = join(folder.path, 'foreign')
  await mkdir(foreign)
  await chown(foreign, stranger, stranger)
  checks.expect('status in a foreign folder', await statusOfStart(foreign), noPermission)
  checks.expect('what it made there', await readdir(foreign), [])

  await using disk = await makeDisk('ext4')
  const home = join(disk.path, 'home')
  await mkdir(home)
  await runCommand('mount', '-o', 'remount,ro', disk.path)
  const onReadOnly = await statusOfStart(home)
  checks.expect('status on a read-only disk', onReadOnly, cannotCreate, noPermission)
}

async function statusOfStart(home: string): Promise<number | null> {
  const { child, ended } = spawnService(home)
  await ended
  return child.exitCode
}

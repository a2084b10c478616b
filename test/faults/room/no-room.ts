/**
 * Makes the daemon run out of bytes, of inodes, of a quota, of descriptors, and reach the largest
 * file it may write.
 *
 *     npm run test:faults -- no-room
 */
import { readdir, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Checks } from '../checks.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { runCommand } from '../run-command.ts'
import type { Tester } from '../tester.ts'
import { unless } from '../obstacle.ts'
import { expectClean, onHome } from './on-home.ts'
import { quota, quotaObstacle } from './quota.ts'
import { fillUp, smallDisk, smallDiskObstacle } from './small-disk.ts'
import { smallDisks } from './small-disks.ts'

const KiB = 1024
const MiB = 1024 * KiB

export const noRoom: Experiment = {
  name: 'no-room',
  claim: 'Without room uploads answer 507 and leave nothing; reading and deleting go on.',
  obstacle: smallDiskObstacle,
  run: runOut,
}

async function runOut({ seed, say }: Settings): Promise<Outcome> {
  const checks = new Checks()
  const random = new Random(seed)
  for (const part of [fullDisk, smallDisks, noInodes, quota, smallFiles, fewDescriptors]) {
    if (part === quota && unless('a quota', quotaObstacle())) continue
    say(part.name)
    await part(checks, random)
  }
  return checks.outcome()
}

async function fullDisk(checks: Checks, random: Random): Promise<void> {
  await using disk = await smallDisk('size=512m')
  await runCommand('fallocate', '--length', '457MiB', join(disk.path, 'of-somebody-else'))
  await onHome(join(disk.path, 'home'), random, async (service, tester) => {
    const draft = await tester.user.createDraft()
    const crumbs = await tester.user.createDraft()
    const edited = await tester.user.createPublished()
    await tester.user.edit(edited)
    checks.expect('an upload that fits', await tester.upload(draft, 'first', 3 * MiB), 201)
    checks.expect('uploads until it is full', (await tester.fill(draft, 'huge', 16 * MiB))[0], 507)
    checks.expect('smaller ones', (await tester.fill(draft, 'large', 4 * MiB))[0], 507)
    const [status, rows] = await tester.fill(crumbs, 'row', 48 * KiB)
    checks.expect('the smallest', status, 507)
    checks.expect('some of which fit', rows > 5, true)
    checks.expect('others again', (await tester.fill(draft, 'small', 256 * KiB))[0], 507)
    checks.expect('all can be read', await tester.readsAll(draft), true)
    checks.expect('discard', (await tester.user.act(edited, 'discard')).status, 201)
    const gone = await tester.user.delete(`/deposits/${draft.id}/files/first`)
    checks.expect('deleting a file', gone.status, 204)
    checks.expect('an upload into its room', await tester.upload(draft, 'again', 2 * MiB), 201)
    await intoRoomOfRows(checks, tester, crumbs, rows)
    await withoutAByte(join(disk.path, 'ballast'), checks, tester, draft)
    checks.expect('nothing is left of what failed', await readdir(join(service.home, 'tmp')), [])
    checks.expect('health', await tester.healthComesTo('ok'), 'ok')
    await expectClean(checks, service)
  })
}

/** Deleted rows free disk space for files. */
async function intoRoomOfRows(
  checks: Checks,
  tester: Tester,
  crumbs: DepositBody,
  rows: number,
): Promise<void> {
  const draft = await tester.user.createDraft()
  await tester.fill(draft, 'more', 128 * KiB)
  const gone = await tester.user.delete(`/deposits/${crumbs.id}`)
  checks.expect('deleting small files', gone.status, 204)
  const size = Math.floor(rows / 2) * 48 * KiB
  checks.expect('an upload into their room', await tester.upload(draft, 'rows', size), 201)
}

/** Another program uses the reserve as well. */
async function withoutAByte(
  ballast: string,
  checks: Checks,
  tester: Tester,
  draft: DepositBody,
): Promise<void> {
  await fillUp(ballast)
  checks.expect('an upload without a byte', await tester.upload(draft, 'tiny', 2 * KiB), 507)
  checks.expect('all can be read', await tester.readsAll(draft), true)
  await rm(ballast)
  await tester.user.delete(`/deposits/${draft.id}/files/again`)
  checks.expect('an upload after that', await tester.upload(draft, 'tiny', 2 * KiB), 201)
}

async function noInodes(checks: Checks, random: Random): Promise<void> {
  await using disk = await smallDisk('size=64m,nr_inodes=90')
  await onHome(join(disk.path, 'home'), random, async (service, tester) => {
    const draft = await tester.user.createDraft()
    const [status, kept] = await tester.fill(draft, 'file', 70 * KiB)
    checks.expect('an upload without an inode', status, 507)
    checks.expect('all can be read', await tester.readsAll(draft), true)
    for (let at = 0; at < Math.min(kept, 4); at += 1) {
      const gone = await tester.user.delete(`/deposits/${draft.id}/files/file-${at}`)
      checks.expect('deleting a file', gone.status, 204)
    }
    checks.expect('nothing is left of what failed', await readdir(join(service.home, 'tmp')), [])
    checks.expect('health', await tester.healthComesTo('ok'), 'ok')
    await expectClean(checks, service)
  })
}

/** The limit applies to the database as well, which has to fail a commit and work afterwards. */
async function smallFiles(checks: Checks, random: Random): Promise<void> {
  await using folder = await temporaryFolder()
  await onHome(join(folder.path, 'home'), random, async (service, tester) => {
    const draft = await tester.user.createDraft()
    checks.expect('an upload before', await tester.upload(draft, 'before', MiB), 201)
    await runCommand('prlimit', '--pid', String(service.pid), '--fsize=100000:')
    checks.expect('a file beyond the limit', await tester.upload(draft, 'large', MiB), 507)
    const small = await tester.upload(draft, 'small', 10 * KiB)
    checks.expect('a file below it', small, 201, 507)
    checks.expect('all can be read', await tester.readsAll(draft), true)
    await runCommand('prlimit', '--pid', String(service.pid), '--fsize=unlimited:')
    checks.expect('an upload after', await tester.upload(draft, 'after', MiB), 201)
    checks.expect('health', await tester.healthComesTo('ok'), 'ok')
    await expectClean(checks, service)
  })
}

async function fewDescriptors(checks: Checks, random: Random): Promise<void> {
  await using folder = await temporaryFolder()
  await onHome(join(folder.path, 'home'), random, async (service, tester) => {
    const draft = await tester.user.createDraft()
    const open = (await readdir(`/proc/${service.pid}/fd`)).length
    await runCommand('prlimit', '--pid', String(service.pid), `--nofile=${open + 20}:`)
    const sockets = Array.from({ length: 60 }, () => idleSocket(service.url))
    await sleep(500)
    const late = new Promise<number>((resolve) => setTimeout(() => resolve(0), 3000))
    const status = await Promise.race([tester.upload(draft, 'crowded', KiB), late])
    checks.expect('an upload among too many', status, 0, 201, 503)
    for (const socket of sockets) socket.destroy()
    await sleep(1000)
    checks.expect('health once they are gone', await tester.healthComesTo('ok'), 'ok')
    const after = await tester.upload(draft, 'after', KiB)
    checks.expect('an upload once they are gone', after, 201)
    await expectClean(checks, service)
  })
}

function idleSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => {})
}

import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { bodyOf } from '../../support/http.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import type { Checks } from '../checks.ts'
import type { Random } from '../random.ts'
import { runCommand } from '../run-command.ts'
import type { Service } from '../service.ts'
import type { Tester } from '../tester.ts'
import { expectClean, onHome } from './on-home.ts'
import { smallDisk } from './small-disk.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Sizes in MiB: below, at and above the size for which a reserve of one hundredth is enough. */
const sizes = [24, 64, 384]

/** Free bytes for the service at the start; larger disks are filled up to this point. */
const room = 20 * MiB

/** Operations that free space work on a full disk, however small it is. */
export async function smallDisks(checks: Checks, random: Random): Promise<void> {
  for (const size of sizes) {
    await using disk = await smallDisk(`size=${size}m`)
    await leave(room, disk.path)
    await onHome(join(disk.path, 'home'), random, async (service, tester) => {
      await fillAndDelete(checks, service, tester)
    })
  }
}

async function fillAndDelete(checks: Checks, service: Service, tester: Tester): Promise<void> {
  const { user } = tester
  const draft = await user.createDraft()
  const edited = await user.createPublished()
  await user.edit(edited)
  for (const bytes of [MiB, 64 * KiB, KiB]) {
    checks.expect(
      'uploads until it is full',
      (await tester.fill(draft, `of-${bytes}`, bytes))[0],
      507,
    )
  }
  const drafts = await fillWithRows(checks, tester)
  await makeRoom(checks, tester, { draft, edited, file: `of-${MiB}-0` })
  for (const { id } of drafts) {
    checks.expect('deleting a draft', (await user.delete(`/deposits/${id}`)).status, 204)
  }
  checks.expect('all can be read', await tester.readsAll(draft), true)
  checks.expect('deleting all files', (await user.delete(`/deposits/${draft.id}`)).status, 204)
  checks.expect('health with room again', await tester.healthComesTo('ok'), 'ok')
  checks.expect('a draft after that', (await user.post('/deposits/', { json: {} })).status, 201)
  await expectClean(checks, service)
}

interface Full {
  readonly draft: DepositBody
  readonly edited: DepositBody
  /** Key of a file of the draft. */
  readonly file: string
}

async function makeRoom(checks: Checks, { user }: Tester, { draft, edited, file }: Full) {
  const gone = await user.delete(`/deposits/${draft.id}/files/${file}`)
  checks.expect('deleting a file on a full disk', gone.status, 204)
  checks.expect('discard on a full disk', (await user.act(edited, 'discard')).status, 201)
}

/** Drafts as large as possible, then small ones, until both are refused. */
async function fillWithRows(checks: Checks, { user }: Tester): Promise<readonly DepositBody[]> {
  const drafts: DepositBody[] = []
  for (const characters of [200_000, 100]) {
    for (;;) {
      const reply = await user.post('/deposits/', { json: { notes: 'x'.repeat(characters) } })
      if (reply.status !== 201) {
        checks.expect('drafts until it is full', reply.status, 507)
        break
      }
      drafts.push(bodyOf<DepositBody>(reply, 201))
    }
  }
  return drafts
}

async function leave(bytes: number, path: string): Promise<void> {
  const { bavail, bsize } = await statfs(path)
  const surplus = bavail * bsize - bytes
  if (surplus > 0) {
    await runCommand('fallocate', '--length', String(surplus), join(path, 'of-somebody-else'))
  }
}

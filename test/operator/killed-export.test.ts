import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { workName } from '../../core/packages/ocfl/check-root.ts'
import { injectionObstacle } from '../faults/calls/injection.ts'
import { unless } from '../faults/obstacle.ts'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { faultsOfRoot, objectsOf } from '../support/ocfl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** At random moments. */
const kills = 20

const depositd = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

interface Behind {
  readonly home: string
  /** Has the first revision of some records, and lacks others. */
  readonly root: string
  readonly objects: number
}

/** A service with two revisions of `changed` records and `fresh` new ones, and a root from before. */
async function behind(place: string, changed: number, fresh: number): Promise<Behind> {
  const [home, root] = [join(place, 'home'), join(place, 'root')]
  await using daemon = await testDaemon({ home })
  const ada = daemon.as('ada')
  const deposits = []
  for (let index = 0; index < changed; index += 1) {
    const draft = await ada.createDraftWith(`x/${index}`, 'same')
    deposits.push(await ada.publish(draft))
  }
  expect((await operateHere(home, ['export-ocfl', root])).status).toBe(0)
  for (const deposit of deposits) await ada.publish(await ada.edit(deposit))
  for (let index = 0; index < fresh; index += 1) {
    const draft = await ada.createDraftWith('a/b/c', `new ${index}`)
    await ada.publish(draft)
  }
  return { home, root, objects: changed + fresh }
}

/** Faults that a kill between two renames may leave, and that the next run takes away. */
const ofInterruption = /^(?:E046 \S+\/v2 |E060 \S+\/inventory\.json )/

async function expectWhole(root: string, objects: number): Promise<void> {
  expect(await faultsOfRoot(root)).toEqual([])
  expect(await objectsOf(root)).toHaveLength(objects)
  expect(existsSync(join(root, 'extensions', workName))).toBe(false)
}

/** Runs the command until it has worked for `ms`; answers whether it was killed, and how long it worked. */
async function runFor(
  { home }: Behind,
  root: string,
  ms: number,
): Promise<{ readonly isKilled: boolean; readonly workedMs: number }> {
  const child = spawnDepositd(home, ['export-ocfl', root])
  while (!existsSync(join(root, 'extensions', workName)) && child.exitCode === null)
    await setImmediate()
  const start = performance.now()
  await Promise.race([sleep(ms), child.ended])
  child.kill('SIGKILL')
  const { status } = await child.ended
  return { isKilled: status === null, workedMs: performance.now() - start }
}

it('an export that is killed at any moment leaves whole objects, and is finished by the next', async () => {
  await using place = await temporaryFolder()
  const source = await behind(place.path, 4, 4)
  const copyOf = async (name: string): Promise<string> => {
    const copy = join(place.path, name)
    await cp(source.root, copy, { recursive: true, preserveTimestamps: true })
    return copy
  }
  const whole = await runFor(source, await copyOf('whole'), 600_000)
  expect(whole.isKilled).toBe(false)
  let [killed, span] = [0, whole.workedMs]

  while (killed < kills) {
    const root = await copyOf('copy')
    const { isKilled } = await runFor(source, root, Math.random() * span)
    killed += isKilled ? 1 : 0
    if (!isKilled) span *= 0.9
    const left = (await faultsOfRoot(root)).filter((fault) => !ofInterruption.test(fault))
    expect(left).toEqual([])
    const again = await operateHere(source.home, ['export-ocfl', root])
    expect({ status: again.status, stderr: again.stderr }).toMatchObject({ status: 0 })
    await expectWhole(root, source.objects)
    await rm(root, { recursive: true })
  }
})

/** Kills an export at its `at`-th rename on a thread; false if it ended before. */
function exportKilledAt(at: number, home: string, root: string): boolean {
  const rule = `inject=/^rename:signal=SIGKILL:when=${at}`
  const strace = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=/^rename', '-e', rule]
  const args = [...strace, process.execPath, depositd, 'export-ocfl', root]
  const env = { ...process.env, DEPOSIT_HOME: home, UV_THREADPOOL_SIZE: '1' }
  return spawnSync('strace', args, { env }).status !== 0
}

it.skipIf(unless('killing an export', injectionObstacle())).for([
  ['a new version', 1, 0],
  ['a new object', 0, 1],
] as const)('is finished after a kill at any rename of %s', async ([, changed, fresh]) => {
  await using place = await temporaryFolder()
  const { home, root: old, objects } = await behind(place.path, changed, fresh)
  let killed = 0

  for (let at = 1; ; at += 1) {
    const root = join(place.path, `root-${at}`)
    // A new object is the first of a new root.
    if (changed > 0) await cp(old, root, { recursive: true })
    if (!exportKilledAt(at, home, root)) break
    killed += 1
    const faults = existsSync(join(root, '0=ocfl_1.1')) ? await faultsOfRoot(root) : []
    expect(faults.filter((fault) => !ofInterruption.test(fault))).toEqual([])
    const again = await operateHere(home, ['export-ocfl', root])
    expect({ status: again.status, stderr: again.stderr }).toMatchObject({ status: 0 })
    await expectWhole(root, objects)
  }

  expect(killed).toBeGreaterThan(2)
})

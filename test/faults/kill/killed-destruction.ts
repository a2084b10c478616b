/**
 * Withdraws records and destroys their files, and kills the daemon in the middle of it.
 *
 *     npm run test:faults -- killed-destruction               200 kills
 *     npm run test:faults -- killed-destruction --rounds 10
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { blobsIn } from '../../support/stored-blobs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { User } from '../../support/user.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { operate, startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'

const preset = 200
/** Files of a record: half of them large enough for a file of their own in the store. */
const files = 12
const largeSize = 200_000
/** Time after the request within which the daemon is killed, in times what an answer takes. */
const longest = 2
/** Time for the first sweep after a start. */
const patienceMs = 20_000

export const killedDestruction: Experiment = {
  name: 'killed-destruction',
  claim:
    'Killed at any moment of a withdrawal that destroys the files, the record is as it was, with all of its files, or withdrawn, and after the next start none of its bytes are in the store.',
  obstacle: () => undefined,
  run,
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  let service = await startService(home)
  const counts = { withdrawn: 0, acknowledged: 0, 'as before': 0, left: 0 }
  /** Time until the answer of the first withdrawal, which is killed after it. Milliseconds. */
  let answerMs: number | undefined
  try {
    const token = await tokenOf(service)
    const userAt = ({ url }: Service): User => new User(`${url}/api`, async () => token)
    for (let round = 1; round <= rounds; round += 1) {
      tally.round()
      const user = userAt(service)
      const others = new Set(await blobsIn(home))
      const deposit = await publish(user, `Round ${round}`)
      const own = (await blobsIn(home)).filter((path) => !others.has(path))
      const begin = performance.now()
      const asking = withdraw(user, deposit)
      if (answerMs === undefined) {
        await asking
        answerMs = performance.now() - begin
      } else await sleep(random.between(0, longest * answerMs))
      await service.kill()
      const isAcknowledged = await asking
      const left = (await stillThere(home, own)).length
      service = await startService(home)
      await tally.started(service)
      const isWithdrawn = (await userAt(service).show(deposit)).withdrawn !== undefined
      if (isAcknowledged) counts.acknowledged += 1
      if (isWithdrawn) counts.withdrawn += 1
      else counts['as before'] += 1
      if (isWithdrawn && left > 0) counts.left += 1
      if (isAcknowledged && !isWithdrawn) tally.fail(`${deposit.id} was withdrawn, and is not`)
      await look({ home, own, isWithdrawn }, (said) => tally.fail(`${deposit.id}: ${said}`))
      say(`kill ${round} of ${rounds}: ${JSON.stringify(counts)}`)
    }
    await tally.check(service)
  } finally {
    await service.kill()
  }
  const { acknowledged: _, ...figures } = tally.figures('kills')
  return { figures: { ...figures, ...counts }, failures: tally.failures() }
}

interface Looked {
  readonly home: string
  /** Paths of the stored files of the record. */
  readonly own: readonly string[]
  readonly isWithdrawn: boolean
}

async function stillThere(home: string, own: readonly string[]): Promise<readonly string[]> {
  const stored = new Set(await blobsIn(home))
  return own.filter((path) => stored.has(path))
}

/** Compares the store with the row. */
async function look(
  { home, own, isWithdrawn }: Looked,
  fail: (said: string) => void,
): Promise<void> {
  const over = performance.now() + patienceMs
  let found = await stillThere(home, own)
  while (isWithdrawn && found.length > 0 && performance.now() < over) {
    await sleep(20)
    found = await stillThere(home, own)
  }
  if (isWithdrawn && found.length > 0) fail(`${found.length} files are left of what was destroyed`)
  if (!isWithdrawn && found.length < files) fail(`${files - found.length} files are lost`)
}

async function publish(user: User, title: string): Promise<DepositBody> {
  const draft = await user.createDraft({ title })
  for (let at = 0; at < files; at += 1) {
    const content = `${title}, ${at}`.padEnd(at % 2 === 0 ? largeSize : 100, '.')
    await user.addFile(draft, `${at}.txt`, content)
  }
  return user.publish(draft)
}

/** True where it was acknowledged. */
async function withdraw(user: User, { id }: DepositBody): Promise<boolean> {
  const json = { reason: 'personal-data', destroy_bytes: true }
  const asking = user.post(`/deposits/${id}/actions/withdraw`, { json })
  return asking.then(
    ({ status }) => status === 202,
    () => false,
  )
}

async function tokenOf(service: Service): Promise<string> {
  const email = 'ada@example.org'
  await operate(service, 'user add', { email })
  return operate(service, 'token create', { user: email, scope: `${writeScope} ${actionsScope}` })
}

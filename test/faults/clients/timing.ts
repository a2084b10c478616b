/**
 * Asks in turn for deposits of another user and for missing ones: the time of an answer must not
 * tell a client more than the answer does.
 *
 *     npm run test:faults -- timing                         1,000 of both for each kind
 */
import { join } from 'node:path'
import { median } from '../../bench/statistics.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { User } from '../../support/user.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { lastSegment } from '../load/operation.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tester } from '../tester.ts'

/** The number of existing deposits; none is asked for twice in a row. */
const deposits = 50
/** Uncounted requests of each kind, in which code is compiled and connections are made. */
const warmUp = 100
/** Allowed difference between the times of two answers. */
const mostMs = 5

export const timing: Experiment = {
  name: 'timing',
  claim: `Another user's data is refused in the same time as missing data: the medians differ by less than ${mostMs} ms.`,
  anywhere: true,
  obstacle: () => undefined,
  run: compareTimes,
}

/** Ids of a deposit and of its bucket. */
interface Ids {
  readonly id: string
  readonly bucket: string
}

/** Paths that a stranger may try. */
const paths: Readonly<Record<string, (ids: Ids) => string>> = {
  deposit: ({ id }) => `/deposits/${id}`,
  files: ({ id }) => `/deposits/${id}/files`,
  file: ({ id }) => `/deposits/${id}/files/a`,
  bytes: ({ bucket }) => `/files/${bucket}/a`,
}

async function compareTimes({ seed, rounds = 1000, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  const figures: Record<string, number> = { 'requests of each kind': 2 * rounds }
  const failures: string[] = []
  try {
    const there = await depositsOfSomebody(service, random)
    const { user } = await Tester.at(service, random, 'stranger')
    for (const [kind, path] of Object.entries(paths)) {
      const pairs = [...pairsOf(path, there, random, rounds + warmUp)]
      const { refused, missing, wrong } = await timesOf(user, pairs)
      const difference = refused - missing
      figures[`${kind}: another user's (ms)`] = rounded(refused)
      figures[`${kind}: none (ms)`] = rounded(missing)
      figures[`${kind}: difference (ms)`] = rounded(difference)
      say(`${kind}: ${rounded(refused)} ms and ${rounded(missing)} ms`)
      failures.push(...wrong.map((what) => `${kind}: ${what}`))
      if (Math.abs(difference) >= mostMs) failures.push(`${kind}: ${difference} ms apart`)
    }
  } finally {
    await service.kill()
  }
  return { figures, failures }
}

async function depositsOfSomebody(service: Service, random: Random): Promise<readonly Ids[]> {
  const tester = await Tester.at(service, random, 'somebody')
  const ids: Ids[] = []
  for (let count = 0; count < deposits; count += 1) {
    const draft = await tester.user.createDraft()
    await tester.upload(draft, 'a', 1000)
    ids.push({ id: draft.id, bucket: lastSegment(draft.links['bucket']) ?? '' })
  }
  return ids
}

/** A path that exists, and one that does not. */
type Pair = readonly [there: string, missing: string]

function* pairsOf(
  path: (ids: Ids) => string,
  there: readonly Ids[],
  random: Random,
  count: number,
): Generator<Pair> {
  for (let at = 0; at < count; at += 1) {
    // The missing id has the form of an existing one, with other digits.
    const known = there[at % there.length] ?? { id: '', bucket: '' }
    const made = { id: shuffled(known.id, random), bucket: shuffled(known.bucket, random) }
    yield [path(known), path(made)]
  }
}

/** The same form with other digits; those for the version of a UUID stay. */
function shuffled(id: string, random: Random): string {
  const fixed = id.includes('-') ? [14, 19] : [12, 16]
  return id.replaceAll(/[0-9a-f]/g, (digit, at: number) =>
    fixed.includes(at) ? digit : random.between(0, 15).toString(16),
  )
}

/** Medians in milliseconds without the first requests, and unexpected answers. */
async function timesOf(user: User, pairs: readonly Pair[]) {
  const refused: number[] = []
  const missing: number[] = []
  const wrong = new Set<string>()
  for (const [at, [there, none]] of pairs.entries()) {
    const askRefused = async (): Promise<void> =>
      void refused.push(await timeOf(user, there, 403, wrong))
    const askMissing = async (): Promise<void> =>
      void missing.push(await timeOf(user, none, 404, wrong))
    // Alternates their order.
    const both = at % 2 === 0 ? [askRefused, askMissing] : [askMissing, askRefused]
    for (const ask of both) await ask()
  }
  const middle = (times: readonly number[]): number => median(times.slice(warmUp))
  return { refused: middle(refused), missing: middle(missing), wrong: [...wrong] }
}

async function timeOf(
  user: User,
  path: string,
  expected: number,
  wrong: Set<string>,
): Promise<number> {
  const began = performance.now()
  const { status } = await user.get(path)
  const ms = performance.now() - began
  if (status !== expected) wrong.add(`answered ${status}, not ${expected}`)
  return ms
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/**
 * Pushes a folder to services that stand in for repositories of others, kills the command in the
 * middle, and lets a third of the answers go wrong.
 *
 *     npm run test:faults -- killed-push               200 kills
 *     npm run test:faults -- killed-push --rounds 10
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDeposit } from '../../support/deposit-process.ts'
import { md5 } from '../../support/md5.ts'
import { remoteKinds, type KindUnderTest } from '../../support/remote-kinds.ts'
import type { FakeService } from '../../support/services/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'

const preset = 200
/** Files of the folder, of up to so many bytes each. */
const files = 30
const largest = 400_000
/** Files that change for the next version. */
const changed = 3
/** So often the metadata alone change, which corrects the record. */
const corrections = 0.3
/** The command is killed within this time of its start. Milliseconds. */
const longestMs = 2500
/** Runs of a push that are not killed until it must have ended. */
const patience = 40

/** A third of the requests goes wrong. */
const shares = {
  error: 0.06,
  html: 0.04,
  tooMany: 0.03,
  gatewayTimeout: 0.04,
  brokenJson: 0.04,
  lostAnswer: 0.04,
  cutRequest: 0.04,
  cutAnswer: 0.04,
}

export const killedPush: Experiment = {
  name: 'killed-push',
  claim:
    'A push that is killed at any moment, while a third of the answers goes wrong, ends with one record for each version, with every file as it is here, and with its metadata; nothing is published twice, and no file is sent again whose arrival was answered.',
  obstacle: () => undefined,
  run,
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  const failures: string[] = []
  const counts = { kills: 0, versions: 0, corrections: 0, requests: 0, 'gone wrong': 0 }
  const kinds = Object.entries(remoteKinds)
  const each = Math.max(1, Math.ceil(rounds / kinds.length))
  for (const [name, kind] of kinds) {
    const fail = (said: string): void => void failures.push(`${name}: ${said}`)
    await using service = await kind.start()
    await using place = await temporaryFolder()
    const pushed = await pushVersions({ kind, service, folder: place.path, random, fail }, each)
    counts.kills += pushed.kills
    counts.versions += pushed.versions
    counts.corrections += pushed.corrections
    counts.requests += service.requests.length
    counts['gone wrong'] += service.requests.filter(({ fault }) => fault !== undefined).length
    say(`${name}: ${JSON.stringify(counts)}`)
  }
  return { figures: counts, failures }
}

interface Stage {
  readonly kind: KindUnderTest
  readonly service: FakeService
  readonly folder: string
  readonly random: Random
  readonly fail: (said: string) => void
}

/** Pushes one version after another until the command was killed so many times. */
async function pushVersions(stage: Stage, kills: number) {
  const { kind, service, folder, random, fail } = stage
  const dir = join(folder, 'set')
  await mkdir(dir)
  const metadata = `${kind.metadata ?? ''}title: Tides\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\ndescription: Levels\n`
  const description = join(dir, 'metadata.yaml')
  await writeFile(description, metadata)
  const names = Array.from({ length: files }, (_, at) => `part ${at}.bin`)
  for (const name of names) await write(dir, name, random)
  await command(stage, [
    'remote',
    'add',
    'there',
    `--kind=${kind.kind}`,
    `--url=${service.url}`,
    ...(kind.options ?? []),
  ]).ended
  const total = { kills: 0, versions: 0, corrections: 0 }
  let isCorrection = false
  while (total.kills < kills) {
    const from = service.requests.length
    service.misbehave({ seed: random.between(0, 1e9), shares, retryAfter: 0 })
    total.kills += await pushUntilDone(stage, {
      isNext: total.versions > 0,
      most: kills - total.kills,
    })
    service.misbehave()
    total[isCorrection ? 'corrections' : 'versions'] += 1
    const { versions, corrections: corrected } = total
    await compare(stage, { dir, names, versions, corrected, from })
    isCorrection = random.chance(corrections)
    if (isCorrection) await writeFile(description, metadata + noteOf(corrected + 1))
    else for (let at = 0; at < changed; at += 1) await write(dir, random.pick(names) ?? '', random)
  }
  if (total.versions === 0) fail('nothing was pushed')
  return total
}

function noteOf(correction: number): string {
  return `notes: It was corrected ${correction} times.\n`
}

function write(dir: string, name: string, random: Random): Promise<void> {
  return writeFile(join(dir, name), randomBytes(random.between(1, largest)))
}

/** @returns how often it was killed */
async function pushUntilDone(
  stage: Stage,
  { isNext, most }: { readonly isNext: boolean; readonly most: number },
): Promise<number> {
  const args = ['push', '--to', 'there', '--publish', '--yes', ...(isNext ? ['--new-version'] : [])]
  let kills = 0
  let last = ''
  for (let run = 0; run < most + patience; run += 1) {
    using child = command(stage, args)
    const isKilled = kills < most && stage.random.chance(0.8)
    const killing = new AbortController()
    const kill = isKilled
      ? sleep(stage.random.between(100, longestMs), undefined, { signal: killing.signal }).then(
          () => child.kill('SIGKILL'),
          () => {},
        )
      : undefined
    const { status, stderr } = await child.ended
    killing.abort()
    await kill
    if (status === 0) return kills
    if (status === null) kills += 1
    last = stderr
  }
  stage.fail(`it did not come to its end: ${last}`)
  return kills
}

function command({ folder, kind }: Stage, args: readonly string[]) {
  const environment = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DEPOSIT_REMOTE_THERE_TOKEN: kind.token,
  }
  return startDeposit(args, environment, {
    folder: args[0] === 'push' ? join(folder, 'set') : folder,
  })
}

interface Pushed {
  readonly dir: string
  readonly names: readonly string[]
  readonly versions: number
  /** Corrections of their metadata. */
  readonly corrected: number
  /** The first request of this version. */
  readonly from: number
}

async function compare(
  { kind, service, fail }: Stage,
  { dir, names, versions, corrected, from }: Pushed,
): Promise<void> {
  const held = kind.held(service.state())
  const here = new Map<string, string>()
  for (const name of names) here.set(name, md5(await readFile(join(dir, name))))
  if (held.length !== (kind.versionsInOne ? 1 : versions))
    fail(`${held.length} deposits there, after ${versions} versions`)
  const isCorrected = JSON.stringify(service.state()).includes(`corrected ${corrected} times`)
  if (corrected > 0 && !isCorrected) fail(`the correction ${corrected} is not there`)
  if (held.some(({ isPublished }) => !isPublished)) fail('a draft is left there')
  const { files: there = {} } = held.at(-1) ?? {}
  for (const [name, digest] of here)
    if (there[name] !== digest) fail(`version ${versions} has other bytes of ${name}`)
  for (const name of Object.keys(there)) if (!here.has(name)) fail(`${name} is left there`)
  const answered = service.requests
    .slice(from)
    .filter(({ method, path, fault, status = 0 }) => {
      const isSent = kind.sendsBytes.test(`${method} ${path}`)
      return isSent && fault === undefined && status >= 200 && status < 300
    })
    .map(({ path, md5: digest }) => `${path} ${digest}`)
  const again = answered.filter((one, at) => answered.indexOf(one) !== at)
  for (const one of again) fail(`it was sent again: ${one}`)
  const refused = service.requests
    .slice(from)
    .filter(
      ({ method, path, status = 0, fault }) =>
        kind.publishes.test(`${method} ${path}`) &&
        fault === undefined &&
        kind.publishedAlready.includes(status),
    )
  if (refused.length > 0) fail('it was published twice')
}

/**
 * Pushes a folder to the interfaces of a second daemon, which is killed in the middle and started
 * again, and so is the command.
 *
 *     npm run test:faults -- killed-target               60 kills
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DepositBody, SearchBody } from '../../../core/contract/schemas.ts'
import { startDeposit } from '../../support/deposit-process.ts'
import { bodyOf } from '../../support/http.ts'
import { lastingDaemon, type LastingDaemon } from '../../support/lasting-daemon.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'

const preset = 60
/** Files of the folder, of up to so many bytes each. */
const files = 60
const largest = 400_000
/** Files that change for the next version. */
const changed = 3
/** The daemon and the command are killed within this time of the start of the command. Milliseconds. */
const longestMs = 800
/** Runs of a push that are left alone until it must have ended. */
const patience = 20

export const killedTarget: Experiment = {
  name: 'killed-target',
  claim:
    'A push to the Zenodo and the InvenioRDM interface of a daemon that is killed at any moment, as the command is, ends with one record for each version, with every file as it is here.',
  obstacle: () => undefined,
  run,
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  const failures: string[] = []
  const counts = { 'kills of the daemon': 0, 'kills of the command': 0, versions: 0 }
  for (const kind of ['zenodo', 'rdm'] as const) {
    await using daemon = await lastingDaemon()
    await using place = await temporaryFolder()
    const fail = (said: string): void => void failures.push(`${kind}: ${said}`)
    const stage = { kind, daemon, folder: place.path, random, counts, fail }
    await pushVersions(stage, Math.ceil(rounds / 2))
    say(`${kind}: ${JSON.stringify(counts)}`)
  }
  return { figures: counts, failures }
}

interface Stage {
  readonly kind: 'zenodo' | 'rdm'
  readonly daemon: LastingDaemon
  readonly folder: string
  readonly random: Random
  readonly counts: Record<'kills of the daemon' | 'kills of the command' | 'versions', number>
  readonly fail: (said: string) => void
}

/** Pushes one version after another until the daemon was killed so many times. */
async function pushVersions(stage: Stage, kills: number): Promise<void> {
  const { kind, daemon, folder, random, counts } = stage
  const dir = join(folder, 'set')
  await mkdir(dir)
  const metadata =
    'title: Tides\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\ndescription: Levels\n'
  await writeFile(join(dir, 'metadata.yaml'), metadata)
  const names = Array.from({ length: files }, (_, at) => `part ${at}.bin`)
  const write = (name: string): Promise<void> =>
    writeFile(join(dir, name), randomBytes(random.between(1, largest)))
  for (const name of names) await write(name)
  const token = await tokenOf(daemon)
  const url = `--url=${daemon.origin}/${kind}`
  await command(stage, token, ['remote', 'add', 'there', `--kind=${kind}`, url]).ended
  const most = counts['kills of the daemon'] + kills
  for (let versions = 1; counts['kills of the daemon'] < most; versions += 1) {
    await pushUntilDone(stage, token, { isNext: versions > 1, most })
    counts.versions += 1
    await compare(stage, { dir, names, versions })
    for (let at = 0; at < changed; at += 1) await write(random.pick(names) ?? '')
  }
}

async function tokenOf({ owner }: LastingDaemon): Promise<string> {
  return ((await owner.authorization())['authorization'] ?? '').replace('Bearer ', '')
}

async function pushUntilDone(
  stage: Stage,
  token: string,
  { isNext, most }: { readonly isNext: boolean; readonly most: number },
): Promise<void> {
  const { daemon, random, counts } = stage
  const args = ['push', '--to', 'there', '--publish', '--yes', ...(isNext ? ['--new-version'] : [])]
  let last = ''
  for (let left = patience; left > 0;) {
    using child = command(stage, token, args)
    const isKilled = counts['kills of the daemon'] < most && random.chance(0.8)
    if (!isKilled) left -= 1
    const killing = isKilled ? killBoth(stage, child) : undefined
    const { status, stderr } = await child.ended
    await killing
    if (isKilled) await daemon.start()
    if (status === 0) return
    if (status === null) counts['kills of the command'] += 1
    last = stderr
  }
  stage.fail(`it did not come to its end: ${last}`)
}

async function killBoth(
  { daemon, random, counts }: Stage,
  child: { readonly kill: (signal: 'SIGKILL') => void },
): Promise<void> {
  const alsoCommand = random.chance(0.5)
  await sleep(random.between(150, longestMs))
  await daemon.kill()
  counts['kills of the daemon'] += 1
  // Else it tries again for a while, and ends by itself.
  if (alsoCommand) child.kill('SIGKILL')
}

function command({ folder }: Stage, token: string, args: readonly string[]) {
  const environment = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DEPOSIT_REMOTE_THERE_TOKEN: token,
  }
  return startDeposit([...args, ...(args[0] === 'push' ? ['--retries', '1'] : [])], environment, {
    folder: args[0] === 'push' ? join(folder, 'set') : folder,
  })
}

interface Pushed {
  readonly dir: string
  readonly names: readonly string[]
  readonly versions: number
}

async function compare({ daemon, fail }: Stage, { dir, names, versions }: Pushed): Promise<void> {
  const { owner } = daemon
  const found = bodyOf<SearchBody>(await owner.get('/deposits/?size=100&sort=mostrecent'), 200)
  const all = found.hits.hits as unknown as readonly DepositBody[]
  if (all.length !== versions) fail(`${all.length} deposits there, after ${versions} versions`)
  if (all.some(({ metadata }) => metadata._deposit?.status !== 'published'))
    fail('a draft is left there')
  const newest = all.toSorted((one, other) => one.created.localeCompare(other.created)).at(-1)
  const there = newest ? await owner.files(newest) : []
  const sums = new Map(there.map(({ filename, checksum }) => [filename, checksum]))
  for (const name of names) {
    const digest = createHash('sha256')
      .update(await readFile(join(dir, name)))
      .digest('hex')
    if (sums.get(name) !== `sha256:${digest}`)
      fail(`version ${versions} has other bytes of ${name}`)
  }
  if (sums.size !== names.length) fail(`${sums.size} files there, and ${names.length} here`)
}

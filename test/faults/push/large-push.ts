/**
 * Pushes a file of 5 GiB to the interfaces of a second daemon.
 *
 *     npm run test:faults -- large-push
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SearchBody } from '../../../core/contract/schemas.ts'
import { startDeposit } from '../../support/deposit-process.ts'
import { bodyOf } from '../../support/http.ts'
import { lastingDaemon } from '../../support/lasting-daemon.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'

/** GiB. */
const preset = 5
const metadata =
  'title: Tides\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\ndescription: Levels\n'

export const largePush: Experiment = {
  name: 'large-push',
  claim:
    'A file of more than 4 GiB goes to the Zenodo and the InvenioRDM interface of a daemon whole, and is published there.',
  obstacle: () => undefined,
  run,
}

/** @param settings.rounds size of the file, in GiB */
async function run({ rounds = preset, say }: Settings): Promise<Outcome> {
  const failures: string[] = []
  const figures = { GiB: rounds, published: 0 }
  await using place = await temporaryFolder()
  const dir = join(place.path, 'set')
  await mkdir(dir)
  await writeFile(join(dir, 'metadata.yaml'), metadata)
  const file = join(dir, 'large.bin')
  await writeFile(file, 'level')
  await truncate(file, rounds * 2 ** 30)
  const digest = await digestOf(file)
  for (const kind of ['zenodo', 'rdm'] as const) {
    await using daemon = await lastingDaemon()
    const { authorization = '' } = await daemon.owner.authorization()
    const environment = {
      HOME: place.path,
      XDG_CONFIG_HOME: join(place.path, `config ${kind}`),
      DEPOSIT_REMOTE_THERE_TOKEN: authorization.replace('Bearer ', ''),
    }
    const command = (...args: readonly string[]) =>
      startDeposit(args, environment, { folder: dir }).ended
    await command('remote', 'add', 'there', `--kind=${kind}`, `--url=${daemon.origin}/${kind}`)
    const { status, stderr } = await command('push', '--to', 'there', '--publish', '--yes')
    if (status !== 0) failures.push(`${kind}: ${stderr}`)
    const { hits } = bodyOf<SearchBody>(await daemon.owner.get('/deposits/'), 200)
    const [deposit, ...others] = hits.hits as unknown as readonly { readonly id: string }[]
    const [there] = deposit === undefined ? [] : await daemon.owner.files(deposit)
    if (others.length > 0) failures.push(`${kind}: ${others.length + 1} deposits there`)
    if (there?.checksum !== `sha256:${digest}`) failures.push(`${kind}: other bytes there`)
    else figures.published += 1
    say(`${kind}: ${JSON.stringify(figures)}`)
  }
  return { figures, failures }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
  return hash.digest('hex')
}

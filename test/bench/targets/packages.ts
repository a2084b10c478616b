import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { curl, curlAs, timedGet } from '../curl.ts'
import { startDaemon } from '../daemon.ts'
import { peakMemory } from '../memory.ts'
import { startNginx } from '../nginx.ts'
import { firstBytes, openAnswer, publishPackage } from '../packages.ts'
import type { Scale } from '../scale.ts'
import { folderOf, sendFiles } from '../small-files.ts'
import { publishSparse } from '../sparse-record.ts'
import type { Measurement } from '../target.ts'
import { run, seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import { bytes, thousands } from '../units.ts'

const MiB = 2 ** 20
const huge = 100 * 2 ** 30
const readers = 50

const total = ({ largeFile }: Scale): string => bytes(largeFile)

/** A whole package beside what else sends the same bytes. */
export const packages: Measurement = {
  targets: [
    {
      id: 'P17a',
      what: (scale) => `a package of ${total(scale)} in one file`,
      against: () => 'nginx’s static file of the same bytes',
      unit: 's',
      reach: { atMost: 1.5 },
    },
    {
      id: 'P17b',
      what: (scale) => `files of a package of ${total(scale)} in ${thousands(scale.manyFiles)}`,
      against: () => '`zip -0` of the same files to a pipe',
      unit: '/s',
      reach: { atLeast: 0.5 },
    },
  ],
  obstacle: () => missing('curl', 'nginx', 'zip'),
  prepare: async (workshop, stack) => {
    const { largeFile, manyFiles } = workshop.scale
    const nginx = stack.use(await startNginx(await workshop.folder(stack)))
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const one = await daemon.draft()
    const file = await workshop.file(largeFile)
    await curlAs(daemon.token, '-T', file, `${one.links.bucket}/large.bin`)
    const large = await publishPackage(daemon, one)
    await run('curl', ['-sSf', '-o', join(nginx.root, 'large.zip'), large])

    const content = randomBytes(Math.floor(largeFile / manyFiles))
    const draft = await daemon.draft()
    await sendFiles(manyFiles, draft.links.bucket, daemon.token, { bytes: content })
    const many = await publishPackage(daemon, draft)
    const folder = await workshop.folder(stack)
    await folderOf(manyFiles, folder, content)
    const rateOf = async (work: () => Promise<unknown>) => manyFiles / (await seconds(work))
    return async () => ({
      P17a: {
        reference: await seconds(() => curl(`${nginx.url}/large.zip`)),
        measured: await seconds(() => curl(large)),
      },
      P17b: {
        reference: await rateOf(() =>
          run('sh', ['-c', `cd ${folder} && zip -0 -q -r - . | cat >/dev/null`]),
        ),
        measured: await rateOf(() => curl(many)),
      },
    })
  },
}

/** The beginning of a package of many files. */
export const packageStart: Measurement = {
  targets: [
    {
      id: 'P18a',
      what: ({ packagedFiles }) => `first byte of a package of ${thousands(packagedFiles)} files`,
      unit: 's',
      reach: { atMost: 1 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const home = await workshop.home(stack)
    const env = { DEPOSIT_MAX_FILES: String(workshop.scale.packagedFiles) }
    const daemon = stack.use(await startDaemon({ ...home, env }))
    const draft = await daemon.draft()
    await sendFiles(workshop.scale.packagedFiles, draft.links.bucket, daemon.token)
    const url = await publishPackage(daemon, draft)
    return async () => ({ P18a: { measured: await seconds(() => firstBytes(url)) } })
  },
}

/** A range of a package that is larger than most disks: its bytes are holes. */
export const packageRange: Measurement = {
  targets: [
    {
      id: 'P18b',
      what: () => `a range of ${bytes(MiB)} in the middle of a package of ${bytes(huge)}`,
      against: () => `GET of a file of ${bytes(MiB)}`,
      unit: 'ms',
      reach: { atMost: 20 },
    },
  ],
  obstacle: () => missing('curl'),
  prepare: async (workshop, stack) => {
    const home = await workshop.home(stack)
    const paths = await publishSparse(home, huge)
    const daemon = stack.use(await startDaemon({ ...home, env: { DEPOSIT_SCRUB_DAYS: '0' } }))
    const { url, token } = daemon
    const range = `${huge / 2}-${huge / 2 + MiB - 1}`
    return async () => ({
      P18b: {
        reference: 1000 * (await timedGet(url + paths.file, token)),
        measured: 1000 * (await timedGet(url + paths.package, token, range)),
      },
    })
  },
}

/** What the memory of a daemon grows by while many read slowly. */
export const packageMemory: Measurement = {
  targets: [
    {
      id: 'P18c',
      what: () => `memory of the daemon for ${readers} slow readers of a package`,
      unit: 'MB',
      reach: { atMost: 150 },
    },
  ],
  obstacle: () => (process.platform === 'linux' ? undefined : 'peak memory is read from /proc'),
  prepare: async (workshop) => {
    const file = await workshop.file(workshop.scale.largeFile)
    return async () => {
      await using round = new AsyncDisposableStack()
      const daemon = round.use(await startDaemon(await workshop.home(round)))
      const draft = await daemon.draft()
      await curlAs(daemon.token, '-T', file, `${draft.links.bucket}/large.bin`)
      const url = await publishPackage(daemon, draft)
      await curl(url)
      const before = peakMemory(daemon.pid)
      await readSlowly(url, workshop.scale.loadSeconds)
      return { P18c: { measured: peakMemory(daemon.pid) - before } }
    }
  },
}

/** Many read a piece ten times a second. */
async function readSlowly(url: string, forSeconds: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: readers }, () => openAnswer(url)))
  for (let read = 0; read < forSeconds * 10; read++) {
    for (const answer of answers) answer.read()
    await sleep(100)
  }
  for (const answer of answers) answer.destroy()
}

/**
 * An upload that is slow for many minutes, one that stops, and one that is larger than memory.
 *
 *     npm run test:faults -- long-uploads                   ten minutes
 *     npm run test:faults -- long-uploads --rounds 1        one minute
 */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DepositBody, FileBody } from '../../../core/contract/schemas.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Checks } from '../checks.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tester } from '../tester.ts'
import { HealthWatch, mostMs } from './health-watch.ts'
import { processFigures } from './process-figures.ts'

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB

/** Bytes a second of the slow upload. */
const pace = 2 * KiB
const hugeSize = 5 * GiB
const mostGrowthMiB = 64
/** The timeout of the configuration, and the delay that its answer may have. */
const progressSeconds = 30
const graceSeconds = 10

export const longUploads: Experiment = {
  name: 'long-uploads',
  claim:
    'An upload may be slow for as long as it goes on, is ended when it stops, and takes no memory however large it is.',
  obstacle: () => undefined,
  run: uploadAtLength,
}

async function uploadAtLength({ seed, rounds = 10, say }: Settings): Promise<Outcome> {
  const checks = new Checks()
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const tester = await Tester.at(service, new Random(seed))
    const draft = await tester.user.createDraft()
    const context = { service, tester, draft, checks }
    const slow = drip(context, rounds * 60)
    const stopped = stop(context)
    say(`${hugeSize / GiB} GiB beside one of ${rounds} minutes and one that stops`)
    const huge = await uploadHuge(context)
    say(`waits for the slow one`)
    const seconds = await stopped
    await slow
    const figures = { 'minutes of the slow one': rounds, 'stopped one ended after (s)': seconds }
    return checks.outcome({ ...figures, ...huge })
  } finally {
    await service.kill()
  }
}

interface Context {
  readonly service: Service
  readonly tester: Tester
  readonly draft: DepositBody
  readonly checks: Checks
}

/** Never exceeds its pace: the limit is on progress, not on the total time. */
async function drip(context: Context, seconds: number): Promise<void> {
  const bytes = Readable.from(dripping(seconds))
  const { status } = await put(context, 'slow', seconds * pace, bytes)
  context.checks.expect('the slow upload', status, 201)
}

async function* dripping(seconds: number): AsyncGenerator<Buffer> {
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1000)
    yield Buffer.alloc(pace, 'x')
  }
}

/** Resolves to the seconds without a byte until it was ended. */
async function stop(context: Context): Promise<number> {
  const began = performance.now()
  const bytes = new Readable({ read: () => {} })
  bytes.push(Buffer.alloc(pace))
  const { status } = await put(context, 'stopped', MiB, bytes)
  const seconds = Math.round((performance.now() - began) / 1000)
  context.checks.expect('the upload that stops', status, 408)
  const isInTime = seconds >= progressSeconds && seconds <= progressSeconds + graceSeconds
  context.checks.expect(`it ends in time (${seconds} s)`, isInTime, true)
  return seconds
}

async function uploadHuge(context: Context): Promise<Readonly<Record<string, number>>> {
  const { service, checks } = context
  // Excludes code that is loaded on first use.
  await put(context, 'first', 64 * MiB, Readable.from(pieces(64 * MiB)))
  const before = (await processFigures(service.pid)).memoryMiB
  const watch = new MemoryWatch(service.pid)
  const healthWatch = new HealthWatch(service.url)
  const hash = createHash('sha256')
  const bytes = Readable.from(pieces(hugeSize, (piece) => hash.update(piece)))
  const { status, body } = await put(context, 'huge', hugeSize, bytes)
  const growth = (await watch.end()) - before
  const { p99, unanswered } = await healthWatch.end()
  checks.expect(`health within ${mostMs} ms beside it (${p99})`, p99 <= mostMs, true)
  checks.expect('health not answered beside it', unanswered, 0)
  checks.expect('the huge upload', status, 201)
  const { filesize, checksum } = JSON.parse(body) as Partial<FileBody>
  checks.expect('its size', filesize, hugeSize)
  checks.expect('its digest', checksum, `sha256:${hash.digest('hex')}`)
  checks.expect(`it takes no memory (${growth} MiB)`, growth < mostGrowthMiB, true)
  const figures = { 'huge upload (GiB)': hugeSize / GiB, 'memory for it (MiB)': growth }
  return { ...figures, '99 of 100 healths beside it (ms)': p99 }
}

/** Each piece begins with its number, which shows whether it is in its place. */
function* pieces(size: number, seen: (piece: Buffer) => void = () => {}): Generator<Buffer> {
  for (let sent = 0; sent < size; sent += MiB) {
    const piece = Buffer.alloc(MiB, `${sent / MiB} `)
    seen(piece)
    yield piece
  }
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Not by `fetch`, which has its own timeouts. */
async function put(
  { tester, draft, service }: Context,
  key: string,
  size: number,
  bytes: Readable,
): Promise<Answer> {
  const { pathname } = new URL(draft.links['bucket'] ?? '')
  const headers = { 'content-length': size, ...(await tester.user.authorization()) }
  const sent = request(`${service.url}${pathname}/${key}`, { method: 'PUT', headers })
  const answered = new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', (response) => {
      buffer(response)
        .then((body) => resolve({ status: response.statusCode ?? 0, body: String(body) }))
        .catch(reject)
    })
  })
  // An answer that comes before the end closes the connection.
  const sending = pipeline(bytes, sent).catch(() => {})
  const answer = await answered
  bytes.destroy()
  await sending
  return answer
}

/** The peak memory of a process. */
class MemoryWatch {
  readonly #watching: Promise<number>
  #isOver = false

  constructor(pid: number) {
    this.#watching = this.#watch(pid)
  }

  /** MiB. */
  end(): Promise<number> {
    this.#isOver = true
    return this.#watching
  }

  async #watch(pid: number): Promise<number> {
    let most = 0
    while (!this.#isOver) {
      most = Math.max(most, (await processFigures(pid)).memoryMiB)
      await sleep(250)
    }
    return most
  }
}

import { count, formatBytes, formatSeconds, grouped } from './units.ts'
import type { Streams } from './streams.ts'

/** Shows the progress of a transfer. */
export interface Progress extends Disposable {
  readonly advance: (bytes: number) => void
  readonly fileDone: () => void
}

export interface Transfer {
  /** Begins each line: `Uploading`. */
  readonly verb: string
  readonly files: number
  readonly bytes: number
}

export type ShowProgress = (transfer: Pick<Transfer, 'files' | 'bytes'>) => Progress

/** Interval between lines without a bar. */
const lineMs = 5000

/**
 * A bar on a terminal, a line every few seconds elsewhere, nothing with `quiet`; with
 * `--progress json` events.
 */
export async function startProgress(
  streams: Streams,
  transfer: Transfer,
  quiet: boolean,
): Promise<Progress> {
  const meter = new Meter(transfer)
  if (streams.hasEvents() && transfer.files > 0) return writeEvents(streams, meter)
  if (quiet || transfer.files === 0) return silent
  return streams.hasMotion ? drawBar(streams, meter) : writeLines(streams, meter)
}

const silent: Progress = { advance: () => {}, fileDone: () => {}, [Symbol.dispose]: () => {} }

/** A longer time that is left means that nothing is known of the speed. */
const longestSeconds = 100 * 3600

/** Counts files and bytes. */
class Meter {
  readonly transfer: Transfer
  bytes = 0
  files = 0
  readonly #began = performance.now()

  constructor(transfer: Transfer) {
    this.transfer = transfer
  }

  /** `3/12 files, 1.2 MB of 5.0 MB, 400 kB/s, 10 s left`; shorter where there is less room. */
  describe(room: number): string {
    const { files, bytes } = this.transfer
    const perSecond = this.bytes / Math.max((performance.now() - this.#began) / 1000, 0.001)
    const seconds = (bytes - this.bytes) / perSecond
    const left = seconds < longestSeconds ? [`${formatSeconds(seconds)} left`] : []
    const done = `${grouped(this.files)}/${count(files, 'file')}`
    const amount = `${formatBytes(this.bytes)} of ${formatBytes(bytes)}`
    const parts = [
      [done, amount, `${formatBytes(perSecond)}/s`, ...left],
      [done, amount, ...left],
      [amount],
    ]
    const texts = parts.map((part) => part.join(', '))
    return texts.find((text) => text.length <= room) ?? amount
  }
}

async function drawBar(streams: Streams, meter: Meter): Promise<Progress> {
  const { SingleBar } = await import('cli-progress')
  const { files, bytes } = meter.transfer
  const drawn = new SingleBar({
    format: (_, { progress }) => drawLine(meter, progress, streams.noteColumns),
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 10,
    stream: streams.err,
  })
  // Files count as bytes, so that many empty ones move the bar.
  drawn.start(bytes + files, 0)
  const draw = (): void => drawn.update(meter.bytes + meter.files)
  return observe(meter, draw, () => drawn.stop())
}

/** Width of the bar. */
const bar = { longest: 20, shortest: 6 } as const

/** @param done of 1 */
function drawLine(meter: Meter, done: number, columns: number): string {
  const percentage = `${Math.floor(done * 100)}%`
  const start = `${meter.transfer.verb} ${percentage.padStart(4)} `
  // The last column stays free: some terminals go to the next line when it is written.
  const room = columns - 1 - start.length
  const told = meter.describe(room)
  const size = Math.min(bar.longest, room - told.length - 1)
  if (size < bar.shortest) return start + told
  const filled = Math.round(done * size)
  return `${start}${'█'.repeat(filled)}${'░'.repeat(size - filled)} ${told}`
}

function writeLines(streams: Streams, meter: Meter): Progress {
  const line = (): void => streams.note(`${meter.transfer.verb}: ${meter.describe(Infinity)}`)
  const timer = setInterval(line, lineMs)
  return observe(
    meter,
    () => {},
    () => clearInterval(timer),
  )
}

/** Interval between events; the first and the last are always written. */
const eventMs = 1000

function writeEvents(streams: Streams, meter: Meter): Progress {
  const { verb, files, bytes } = meter.transfer
  const write = (): void =>
    streams.event({
      event: 'progress',
      action: verb.toLowerCase(),
      files: meter.files,
      files_total: files,
      bytes: meter.bytes,
      bytes_total: bytes,
    })
  write()
  const timer = setInterval(write, eventMs)
  const stop = (): void => {
    clearInterval(timer)
    write()
  }
  return observe(meter, () => {}, stop)
}

function observe(meter: Meter, show: () => void, stop: () => void): Progress {
  return {
    advance: (bytes) => {
      meter.bytes += bytes
      show()
    },
    fileDone: () => {
      meter.files += 1
      show()
    },
    [Symbol.dispose]: stop,
  }
}

/** Shows a spinner during `work` on a terminal. */
export async function spinWhile<T>(
  { hasMotion, hasEvents, err }: Streams,
  { quiet = false, text }: { readonly quiet?: boolean; readonly text: string },
  work: () => Promise<T>,
): Promise<T> {
  if (quiet || !hasMotion || hasEvents()) return work()
  const { default: ora } = await import('ora')
  // Leave standard input alone: it may hold the metadata.
  const spinner = ora({ text, stream: err, discardStdin: false }).start()
  try {
    return await work()
  } finally {
    spinner.stop()
  }
}

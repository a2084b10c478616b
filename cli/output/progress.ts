import { count, formatBytes, formatSeconds } from './units.ts'
import type { Streams } from './streams.ts'

/** Tells of a transfer while it goes on. */
export interface Progress extends Disposable {
  readonly advance: (bytes: number) => void
  readonly fileDone: () => void
}

export interface Transfer {
  /** What is done, for the beginning of a line: `Uploading`. */
  readonly verb: string
  readonly files: number
  readonly bytes: number
}

/** Between two lines where nothing can be drawn in place. */
const lineMs = 5000

/** A bar where it may move, a line every few seconds elsewhere, nothing where `quiet`. */
export async function startProgress(
  streams: Streams,
  transfer: Transfer,
  quiet: boolean,
): Promise<Progress> {
  if (quiet || transfer.files === 0) return silent
  const meter = new Meter(transfer)
  return streams.hasMotion ? drawBar(streams, meter) : writeLines(streams, meter)
}

const silent: Progress = { advance: () => {}, fileDone: () => {}, [Symbol.dispose]: () => {} }

/** Counts what has gone by. */
class Meter {
  readonly transfer: Transfer
  bytes = 0
  files = 0
  readonly #began = performance.now()

  constructor(transfer: Transfer) {
    this.transfer = transfer
  }

  /** `3/12 files, 1.2 MB of 5.0 MB, 400 kB/s, 10 s left`. */
  toString(): string {
    const { files, bytes } = this.transfer
    const rate = this.bytes / Math.max((performance.now() - this.#began) / 1000, 0.001)
    const left = this.bytes === 0 ? '' : `, ${formatSeconds((bytes - this.bytes) / rate)} left`
    const amount = `${formatBytes(this.bytes)} of ${formatBytes(bytes)}`
    return `${this.files}/${count(files, 'file')}, ${amount}, ${formatBytes(rate)}/s${left}`
  }
}

async function drawBar(streams: Streams, meter: Meter): Promise<Progress> {
  const { SingleBar } = await import('cli-progress')
  const { files, bytes, verb } = meter.transfer
  const bar = new SingleBar({
    format: `${verb} {bar} {percentage}% {meter}`,
    barsize: streams.columns < 100 ? 8 : 20,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 10,
    stream: streams.err,
  })
  // Files count as bytes do: many empty ones move the bar, too.
  bar.start(bytes + files, 0, { meter })
  const draw = (): void => bar.update(meter.bytes + meter.files, { meter })
  return observe(meter, draw, () => bar.stop())
}

function writeLines(streams: Streams, meter: Meter): Progress {
  const line = (): void => streams.note(`${meter.transfer.verb}: ${meter.toString()}`)
  const timer = setInterval(line, lineMs)
  return observe(
    meter,
    () => {},
    () => clearInterval(timer),
  )
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

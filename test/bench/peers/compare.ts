import { withinLimit } from '../measure.ts'
import type { Origin } from '../origin.ts'
import type { Scale } from '../scale.ts'
import { folderOf } from '../small-files.ts'
import { median } from '../statistics.ts'
import { seconds } from '../timing.ts'
import { bytes, thousands } from '../units.ts'
import type { Workshop } from '../workshop.ts'
import type { Works } from './peer.ts'
import { peers } from './servers.ts'

/** How fast each does the same work on one machine in one run. */
export interface Comparison {
  readonly origin: Origin
  /** What is done, in the order of the columns. */
  readonly works: readonly Work[]
  readonly peers: readonly Compared[]
}

interface Work {
  readonly id: keyof Works
  readonly what: string
  readonly unit: 's' | '/s'
}

interface Compared {
  readonly name: string
  readonly says: string
  /** Medians of what it can do. */
  readonly figures: Readonly<Partial<Record<keyof Works, number>>>
  /** Why there are none. */
  readonly obstacle?: string
}

/** Milliseconds after which no further round of the same begins. */
const longestMs = 60_000

/** Files of a folder. */
const filesOf = ({ isQuick }: Scale): number => (isQuick ? 200 : 1000)

function worksOf(scale: Scale): readonly Work[] {
  const large = bytes(scale.largeFile)
  const files = `${thousands(filesOf(scale))} files of 4 KiB`
  return [
    { id: 'send', what: `${large} sent by curl`, unit: 's' },
    { id: 'fetch', what: `${large} fetched by curl`, unit: 's' },
    { id: 'sendMany', what: `${files} on 16 connections`, unit: '/s' },
    { id: 'sendFolder', what: `a folder of ${files} by its command`, unit: '/s' },
  ]
}

/** @param told is called with each row */
export async function compare(
  workshop: Workshop,
  origin: Origin,
  told: (row: Compared) => void,
): Promise<Comparison> {
  const works = worksOf(workshop.scale)
  const rows: Compared[] = []
  for (const { name, says, obstacle, start } of peers) {
    const reason = obstacle()
    const row: Compared =
      reason === undefined
        ? { name, says, figures: await withinLimit(() => figuresOf(workshop, start)) }
        : { name, says, figures: {}, obstacle: reason }
    told(row)
    rows.push(row)
  }
  return { origin, works, peers: rows }
}

async function figuresOf(
  workshop: Workshop,
  start: (workshop: Workshop, stack: AsyncDisposableStack) => Promise<Works>,
): Promise<Compared['figures']> {
  await using stack = new AsyncDisposableStack()
  const { scale } = workshop
  const count = filesOf(scale)
  const file = await workshop.file(scale.largeFile)
  const folder = await workshop.folder(stack)
  await folderOf(count, folder)
  const works = await start(workshop, stack)
  const acts: Readonly<Record<keyof Works, (round: string) => Promise<unknown> | undefined>> = {
    send: (round) => works.send?.(file, round),
    fetch: (round) => works.fetch?.(round),
    sendMany: (round) => works.sendMany?.(count, `many-${round}`),
    sendFolder: (round) => works.sendFolder?.(folder, `folder-${round}`),
  }
  const figures: Partial<Record<keyof Works, number>> = {}
  for (const { id, unit } of worksOf(scale)) {
    if (works[id] === undefined) continue
    const times: number[] = []
    const begun = performance.now()
    for (let round = 0; round < scale.rounds; round += 1) {
      times.push(await seconds(async () => acts[id](`round-${round}`)))
      if (performance.now() - begun > longestMs) break
    }
    figures[id] = unit === 's' ? median(times) : count / median(times)
  }
  return figures
}

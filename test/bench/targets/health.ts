import * as busy from '../busy.ts'
import { Client, timesWhile } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { percentile } from '../statistics.ts'
import type { Figure, Measurement } from '../target.ts'
import { missing } from '../tools.ts'
import type { Workshop } from '../workshop.ts'

const works = {
  P14a: busy.sending,
  P14b: busy.fetching,
  P14c: busy.sendingSmall,
  P14d: busy.creating,
  P14e: busy.publishing,
  P14f: busy.searching,
} as const

/** Whoever asks how the service is hears it at once, whatever it does. */
export const health: Measurement = {
  targets: Object.entries(works).map(([id, { what }]) => ({
    id,
    what: (scale) => `\`/health\` while ${what(scale)}, p99`,
    unit: 'ms',
    reach: { atMost: 50 },
  })),
  obstacle: () => missing('curl', 'wrk'),
  isHeavy: true,
  prepare: async (workshop) => async () => {
    const figures: [string, Figure][] = []
    for (const [id, work] of Object.entries(works)) {
      figures.push([id, { measured: await healthDuring(work, workshop) }])
    }
    return Object.fromEntries(figures)
  },
}

async function healthDuring(work: busy.Busy, workshop: Workshop): Promise<number> {
  const deposits = work.deposits?.(workshop.scale)
  const home = deposits === undefined ? workshop.home() : workshop.homeWith(deposits)
  await using daemon = await startDaemon(await home)
  const start = await work.prepare(daemon, workshop)
  using client = new Client()
  const times = await timesWhile(client, `${daemon.url}/health`, start)
  return percentile(times, 0.99)
}

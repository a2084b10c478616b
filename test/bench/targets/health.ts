import * as busy from '../busy.ts'
import { Client, timesWhile } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { percentile } from '../statistics.ts'
import type { Measurement } from '../target.ts'
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

/** Health checks are answered at once under any load. */
export const health: readonly Measurement[] = Object.entries(works).map(([id, work]) => ({
  targets: [
    {
      id,
      what: (scale) => `\`/health\` while ${work.what(scale)}, p99`,
      unit: 'ms',
      reach: { atMost: 50 },
    },
  ],
  obstacle: () => missing('curl', 'wrk'),
  isHeavy: true,
  prepare: async (workshop) => async () => ({ [id]: { measured: await during(work, workshop) } }),
}))

/** Milliseconds, p99. */
async function during(work: busy.Busy, workshop: Workshop): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const deposits = work.deposits?.(workshop.scale)
  const daemon =
    deposits === undefined
      ? stack.use(await startDaemon(await workshop.home(stack)))
      : await workshop.daemonWith(deposits)
  const begin = await work.prepare(daemon, workshop, stack)
  const client = stack.use(new Client())
  return percentile(await timesWhile(client, `${daemon.url}/health`, begin), 0.99)
}

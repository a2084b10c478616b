import { Client, timesWhile } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { requestRate } from '../load.ts'
import { smallDocument } from '../small-document.ts'
import { percentile } from '../statistics.ts'
import type { Measurement } from '../target.ts'
import { impossible, missing } from '../tools.ts'

const connections = 32
const delaySeconds = 0.02

/** Slows every sync; the filter lets all other system calls pass untouched. */
const calls = 'fsync,fdatasync'
const slowed = `inject=${calls}:delay_enter=${delaySeconds * 1e6}`
const quiet = ['-qq', '-o', '/dev/null'] as const
const strace = ['strace', '-f', '--seccomp-bpf', ...quiet, '-e', `trace=${calls}`, '-e', slowed]

/** Reads do not wait for writes, however slow the disk. */
export const slowSyncs: Measurement = {
  targets: [
    {
      id: 'P16',
      what: () =>
        'GET of a deposit while 32 connections create and each sync takes 20 ms more, p99',
      unit: 'ms',
      reach: { atMost: 30 },
    },
  ],
  obstacle: () => missing('wrk') ?? impossible([...strace, 'true']),
  isHeavy: true,
  prepare: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack), strace))
    const { links } = await daemon.draft()
    const client = stack.use(new Client(daemon.token))
    const { url, token } = daemon
    const load = { url: `${url}/api/deposits`, token, json: smallDocument, connections }
    const create = async (): Promise<void> =>
      requireSlow(await requestRate({ ...load, seconds: workshop.scale.loadSeconds }))
    return async () => {
      const times = await timesWhile(client, links.self, create)
      return { P16: { measured: percentile(times, 0.99) } }
    }
  },
}

/** @throws {Error} more deposits were created than slow syncs permit */
function requireSlow(rate: number): void {
  const most = connections / delaySeconds
  if (rate > most * 1.1) throw new Error(`the syncs were not slowed: ${rate} a second, not ${most}`)
}

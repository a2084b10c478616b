import { curlAs } from '../curl.ts'
import { startDaemon } from '../daemon.ts'
import { putRate, requestRate, type Load } from '../load.ts'
import { smallDocument } from '../small-document.ts'
import { processorTimeOf, type ProcessorTime } from '../threads.ts'
import { missing } from '../tools.ts'
import type { Growth } from './curve.ts'

/** Large files under way at once. */
const together = 4

const MiB = 2 ** 20

/**
 * A model: the daemon has one thread that answers and the only one that writes rows, and others that
 * hash, write and read bytes. More cores give more until its busiest thread has one for itself. The
 * time of each thread is measured.
 */
export const cores: Growth = {
  id: 'cores',
  title: 'What more cores for the daemon would give, from the time of its threads',
  x: { label: 'cores', unit: 'count' },
  y: { label: 'requests or MiB', unit: '/s' },
  obstacle: () =>
    process.platform === 'linux' ? missing('curl', 'wrk') : 'threads are read from /proc',
  amounts: () => [1, 2, 4, 8],
  prepare: async (workshop, stack) => {
    const { scale } = workshop
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const { url, pid, token } = daemon
    const drafts = await Promise.all(Array.from({ length: 32 }, () => daemon.draft()))
    const [first] = drafts
    if (first === undefined) throw new Error('there is no draft')
    const file = await workshop.file(scale.largeFile)
    const load = { url: first.links.self, seconds: scale.loadSeconds, token } as const
    const targets = drafts.slice(0, together).map(({ links }) => `${links.bucket}/large.bin`)
    const rated = (rate: (load: Load) => Promise<number>) => async () =>
      (await rate(load)) * scale.loadSeconds
    const moved = (move: (target: string) => Promise<unknown>) => async () => {
      await Promise.all(targets.map(move))
      return (together * scale.largeFile) / MiB
    }
    const paths = drafts.map(({ links }) => new URL(links.bucket).pathname)
    const works: Readonly<Record<string, () => Promise<number>>> = {
      'creating deposits': rated((asked) =>
        requestRate({ ...asked, url: `${url}/api/deposits`, json: smallDocument }),
      ),
      'GET of a deposit': rated(requestRate),
      'PUT of 4 KiB': rated((asked) => putRate({ ...asked, paths })),
      'MiB of large files sent': moved((target) => curlAs(token, '-T', file, target)),
      'MiB of large files fetched': moved((target) => curlAs(token, target)),
    }
    const times: Record<string, ProcessorTime> = {}
    for (const [name, work] of Object.entries(works)) times[name] = await timeOfOne(pid, work)
    return async (count) =>
      Object.fromEntries(
        Object.entries(times).map(([name, { busiest, total }]) => [
          name,
          Math.min(1 / busiest, count / total),
        ]),
      )
  },
}

/** The processor time of one of so many that `work` does. */
async function timeOfOne(pid: number, work: () => Promise<number>): Promise<ProcessorTime> {
  await work()
  let done = 0
  const { busiest, total } = await processorTimeOf(pid, async () => (done = await work()))
  return { busiest: busiest / done, total: total / done }
}

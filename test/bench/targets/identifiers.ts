import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { dataciteSettings } from '../../support/doi-daemon.ts'
import type { LoggedRequest } from '../../support/services/service.ts'
import { Client } from '../client.ts'
import { startDaemon, type Daemon } from '../daemon.ts'
import { median } from '../statistics.ts'
import type { Measurement } from '../target.ts'

/** Time that DataCite takes to answer. Milliseconds. */
const answerMs = 500
/** Records that are published in a round: each has a DOI, and so has its concept. */
const recordsOfRound = 60
/** Time between two looks at what is in flight. Milliseconds. */
const lookMs = 100

/** DOIs are registered behind those who publish. */
export const registrations: Measurement = {
  targets: [
    {
      id: 'P27a',
      what: () => `registrations of DOIs in flight while DataCite answers in ${answerMs} ms`,
      unit: 'at once',
      reach: { atLeast: 8 },
    },
    {
      id: 'P27b',
      what: () => 'publish in the meantime, median',
      against: () => 'the same without DOIs',
      unit: 'ms',
      reach: { atMost: 1.1 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const datacite = stack.use(await startDatacite())
    const home = await workshop.home(stack)
    const env = await dataciteSettings(home.path, datacite.url)
    const registering = stack.use(await startDaemon({ ...home, env }))
    const plain = stack.use(await startDaemon(await workshop.home(stack)))
    let published = 0
    return async () => {
      const [measured, reference] = await publishInTurns(registering, plain)
      published += recordsOfRound
      const inFlight = await datacite.untilAnswered(2 * published)
      return {
        P27a: { measured: median(inFlight) },
        P27b: { measured: median(measured), reference: median(reference) },
      }
    }
  },
}

/** Publishes at one daemon and at the other, in turns. @returns the milliseconds of each */
async function publishInTurns(
  ...daemons: readonly [Daemon, Daemon]
): Promise<readonly [readonly number[], readonly number[]]> {
  const [one, other]: [number[], number[]] = [[], []]
  using client = new Client(daemons[0].token)
  using otherClient = new Client(daemons[1].token)
  for (let count = 0; count < recordsOfRound; count += 1) {
    const [draft, another] = [await daemons[0].draft(), await daemons[1].draft()]
    one.push(await client.time(draft.links.publish, 'POST', {}))
    other.push(await otherClient.time(another.links.publish, 'POST', {}))
  }
  return [one, other]
}

interface SlowDatacite extends AsyncDisposable {
  readonly url: string
  /**
   * Resolves once it has answered so many requests to the numbers of those that it was about to
   * answer, at each look.
   */
  readonly untilAnswered: (count: number) => Promise<readonly number[]>
}

const services = fileURLToPath(new URL('../../support/services/main.ts', import.meta.url))

/** A server that stands for DataCite, in a process of its own. */
async function startDatacite(): Promise<SlowDatacite> {
  const child = spawn(process.execPath, [services, 'datacite'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  const faults = JSON.stringify({ shares: { slow: 1 }, delay: answerMs })
  await fetch(`${url}/-/faults`, { method: 'PUT', body: faults })
  return {
    url,
    untilAnswered: async (count) => {
      const inFlight: number[] = []
      for (;;) {
        const requests = (await (await fetch(`${url}/-/requests`)).json()) as LoggedRequest[]
        const waiting = requests.filter(({ status }) => status === undefined).length
        if (requests.some(({ status = 200 }) => status >= 300))
          throw new Error('DataCite refused a registration')
        if (requests.length - waiting >= count) return inFlight
        inFlight.push(waiting)
        await sleep(lookMs)
      }
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

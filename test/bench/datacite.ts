import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LoggedRequest } from '../support/services/service.ts'

/** Time between two looks at what is in flight. Milliseconds. */
const lookMs = 100

/** A DataCite that takes its time. */
export interface SlowDatacite extends AsyncDisposable {
  readonly url: string
  /**
   * Resolves once it has answered so many requests to the numbers of those that it was about to
   * answer, at each look.
   */
  readonly untilAnswered: (count: number) => Promise<readonly number[]>
}

const services = fileURLToPath(new URL('../support/services/main.ts', import.meta.url))

/** A server that stands for DataCite, in a process of its own. @param answerMs until it answers */
export async function startDatacite(answerMs: number): Promise<SlowDatacite> {
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

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { patienceMs, within } from '../within.ts'

/** Time within which 99 of 100 new connections are answered under any load. */
export const mostMs = 50

export interface HealthSample {
  readonly ms: number
  /** False if there was no answer, or one that reports a fault. */
  readonly isAnswered: boolean
}

/** Answers of a service to new connections over a period. */
export interface HealthFigures {
  readonly asked: number
  readonly unanswered: number
  /** Milliseconds within which 99 of 100 were answered. */
  readonly p99: number
  readonly worst: number
}

/** Asks from a thread of its own, so that work of other threads does not count. */
export class HealthWatch {
  readonly #worker: Worker

  constructor(origin: string) {
    const script = new URL('./health-watch-worker.ts', import.meta.url)
    this.#worker = new Worker(script, { workerData: `${origin}/health` })
  }

  async end(): Promise<HealthFigures> {
    const told = once(this.#worker, 'message') as Promise<[readonly HealthSample[]]>
    this.#worker.postMessage('stop')
    const [samples] = await within(patienceMs, 'the end of asking for health', told)
    await this.#worker.terminate()
    return figuresOf(samples)
  }
}

function figuresOf(samples: readonly HealthSample[]): HealthFigures {
  const times = samples.map(({ ms }) => Math.round(ms)).sort((one, other) => one - other)
  return {
    asked: samples.length,
    unanswered: samples.filter(({ isAnswered }) => !isAnswered).length,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    worst: times.at(-1) ?? 0,
  }
}

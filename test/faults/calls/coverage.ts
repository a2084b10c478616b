import type { Outcome } from '../experiment.ts'
import type { Place } from './changing-calls.ts'
import { scenarios, type Scenario } from './scenarios.ts'

/** Counts the calls that were seen, and those that a fault has hit. */
export class Coverage {
  readonly #kinds = new Set<string>()
  #seen = 0
  #wanted = 0
  #hit = 0

  /** The calls of a scenario without faults, and the number of faults to inject. */
  see({ every }: Scenario, places: readonly Place[], points: number): void {
    for (const { call, count } of places) {
      this.#kinds.add(call)
      this.#seen += count
    }
    if (every) this.#wanted += points
  }

  hit({ every }: Scenario): void {
    if (every) this.#hit += 1
  }

  figures(): Outcome['figures'] {
    return {
      operations: scenarios.length,
      'kinds of calls': this.#kinds.size,
      'calls seen': this.#seen,
      'points of uploads and publish': this.#wanted,
      'of them hit': this.#hit,
    }
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from './experiment.ts'

/** A series of checks; all failures are reported, not only the first. */
export class Checks {
  readonly #failures: string[] = []
  #made = 0

  /** @param expected any of these values is right */
  expect(what: string, found: unknown, ...expected: readonly unknown[]): void {
    this.#made += 1
    if (expected.some((one) => isDeepStrictEqual(found, one))) return
    const wanted = expected.map((one) => JSON.stringify(one)).join(' or ')
    this.#failures.push(`${what}: ${JSON.stringify(found)}, not ${wanted}`)
  }

  outcome(figures: Outcome['figures'] = {}): Outcome {
    const { length } = this.#failures
    return { figures: { checks: this.#made, wrong: length, ...figures }, failures: this.#failures }
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from './experiment.ts'

/** Things to be seen, one after another; all of them are told, not only the first that is wrong. */
export class Checks {
  readonly #failures: string[] = []
  #made = 0

  /** @param expected what there may be: any of these */
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

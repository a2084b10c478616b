import { StartFailure } from '../start-failure.ts'
import { toStartFailure } from '../store-failure.ts'

/** Gathers what is wrong with a configuration, so that an operator sees all of it at once. */
export class ConfigFaults {
  readonly #found: StartFailure[] = []

  /** Undefined where `work` finds a fault. */
  async of<Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      const failure = toStartFailure(error)
      if (!failure) throw error
      this.#found.push(failure)
      return undefined
    }
  }

  add(message: string): void {
    this.#found.push(new StartFailure('config', message))
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  /** @throws {StartFailure} there were faults: a line for each */
  requireNone(): void {
    const [first] = this.#found
    if (!first) return
    const isConfig = this.#found.some(({ reason }) => reason === 'config')
    const messages = new Set(this.#found.map(({ message }) => message))
    throw new StartFailure(isConfig ? 'config' : first.reason, [...messages].join('\n'))
  }
}

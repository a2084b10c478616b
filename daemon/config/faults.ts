import { DepositError, MalformedJson, parseJson, type Json } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'

/** Gathers what is wrong with a configuration, so that an operator sees all of it at once. */
export class ConfigFaults {
  readonly #messages: string[] = []

  /** Undefined where `work` finds a fault. */
  async of<Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StartFailure) || error.reason !== 'config') throw error
      this.#messages.push(error.message)
      return undefined
    }
  }

  /** @throws {StartFailure} there were faults: a line for each */
  requireNone(): void {
    if (this.#messages.length > 0) throw this.toFailure()
  }

  toFailure(): StartFailure {
    return new StartFailure('config', this.#messages.join('\n'))
  }
}

/**
 * Reads a file of JSON.
 *
 * @throws {StartFailure} with the file and the line of the fault
 */
export function parseJsonFile(path: string, text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof DepositError)) throw error
    const [fault] = error instanceof MalformedJson ? error.faults : []
    const { position, message = error.message, field = '' } = fault ?? {}
    const line = position === undefined ? '' : `:${text.slice(0, position).split('\n').length}`
    const place = field === '' ? '' : ` (${field})`
    throw new StartFailure(
      'config',
      `${path}${line}: this is not valid JSON: ${message}${place}.`,
      {
        cause: error,
      },
    )
  }
}

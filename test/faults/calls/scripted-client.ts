import type { User } from '../../support/user.ts'
import type { Client } from '../load/client.ts'
import type { Findings } from '../load/compare.ts'
import { Crowd, userOf } from '../load/crowd.ts'
import type { Known, Operation } from '../load/operation.ts'
import type { Random } from '../random.ts'
import type { Service } from '../service.ts'
import type { Step } from './scenarios.ts'

/** One client that follows a script. */
export class ScriptedClient {
  readonly #crowd: Crowd
  readonly #steps: Step[]

  private constructor(crowd: Crowd, steps: Step[]) {
    this.#crowd = crowd
    this.#steps = steps
  }

  static async at(service: Service, random: Random): Promise<ScriptedClient> {
    const steps: Step[] = []
    const next = (deposits: readonly Known[]): Operation | undefined =>
      steps.shift()?.(deposits, random)
    return new ScriptedClient(await Crowd.of(service, [next]), steps)
  }

  get crowd(): Crowd {
    return this.#crowd
  }

  get client(): Client {
    const [member] = this.#crowd.members
    if (!member) throw new Error('There is one client')
    return member.client
  }

  /** Another client with the same account, whose requests this client does not track. */
  user({ url }: Service): User {
    return userOf(url, this.#crowd.members[0]?.token)
  }

  /** Takes the steps, until one is not acknowledged. */
  async take(service: Service, steps: readonly Step[]): Promise<void> {
    this.#steps.splice(0, Infinity, ...steps)
    await this.#crowd.work(service)
  }

  compare(service: Service): Promise<Findings> {
    return this.#crowd.compare(service, 'touched')
  }
}

import type { User } from '../../support/user.ts'
import { Crowd, userOf } from '../load/crowd.ts'
import { contentOf } from '../load/contents.ts'
import type { Findings } from '../load/compare.ts'
import type { Client } from '../load/client.ts'
import type { Known, Operation } from '../load/operation.ts'
import { create, publish, uploadContent } from '../load/operations.ts'
import type { Random } from '../random.ts'
import type { Service } from '../service.ts'

/** Bytes; two batches of the blob store. */
const uploaded = 700_000

type Step = (deposits: readonly Known[]) => Operation | undefined

/** One client that does what it is told, the same each time. */
export class ScriptedClient {
  readonly #random: Random
  readonly #crowd: Crowd
  readonly #steps: Step[]

  private constructor(random: Random, crowd: Crowd, steps: Step[]) {
    this.#random = random
    this.#crowd = crowd
    this.#steps = steps
  }

  static async at(service: Service, random: Random): Promise<ScriptedClient> {
    const steps: Step[] = []
    const crowd = await Crowd.of(service, [(deposits) => steps.shift()?.(deposits)])
    return new ScriptedClient(random, crowd, steps)
  }

  get crowd(): Crowd {
    return this.#crowd
  }

  get client(): Client {
    const [member] = this.#crowd.members
    if (!member) throw new Error('There is one client')
    return member.client
  }

  /** Somebody else with the same account, who sends what the client knows nothing of. */
  user({ url }: Service): User {
    return userOf(url, this.#crowd.members[0]?.token)
  }

  create(service: Service): Promise<void> {
    return this.#do(service, () => create(this.#random))
  }

  /** Uploads a file into the newest deposit, and publishes it. */
  uploadAndPublish(service: Service): Promise<void> {
    const random = this.#random
    return this.#do(
      service,
      (deposits) => onNewest(deposits, (draft) => uploadFile(draft, random)),
      (deposits) => onNewest(deposits, (draft) => publish(draft, random)),
    )
  }

  compare(service: Service): Promise<Findings> {
    return this.#crowd.compare(service, 'touched')
  }

  async #do(service: Service, ...steps: readonly Step[]): Promise<void> {
    this.#steps.splice(0, Infinity, ...steps)
    await this.#crowd.work(service)
  }
}

function uploadFile(draft: Known, random: Random): Operation {
  return uploadContent(draft, random, contentOf(random, uploaded))
}

function onNewest(
  deposits: readonly Known[],
  plan: (draft: Known) => Operation,
): Operation | undefined {
  const newest = deposits.at(-1)
  return newest && plan(newest)
}

import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import { User } from '../../support/user.ts'
import type { Random } from '../random.ts'
import { operate, type Service } from '../service.ts'
import { Client, type Planner, type Work } from './client.ts'
import { compare, type Findings } from './compare.ts'
import { nextOperation } from './next-operation.ts'
import type { Observers } from './observe.ts'

/** A client and its token. */
export interface Member {
  readonly client: Client
  readonly token: string
}

/** Several clients at once, each with deposits and an account of its own. */
export class Crowd {
  readonly #members: readonly Member[]

  private constructor(members: readonly Member[]) {
    this.#members = members
  }

  /** Clients that perform random operations. */
  static gather(service: Service, size: number, random: Random): Promise<Crowd> {
    const planners = Array.from({ length: size }, (): Planner => {
      const own = random.fork()
      return (deposits) => nextOperation(deposits, own)
    })
    return Crowd.of(service, planners)
  }

  /** Clients that follow a given plan. */
  static async of(service: Service, planners: readonly Planner[]): Promise<Crowd> {
    const members: Member[] = []
    for (const [number, planner] of planners.entries()) {
      const email = `client-${number + 1}@example.org`
      await operate(service, 'user add', { email })
      // So that they accept what they have submitted themselves: reviews are optional.
      await operate(service, 'role grant', { email, role: 'reviewer' })
      const scope = `${writeScope} ${actionsScope}`
      const token = await operate(service, 'token create', { user: email, scope })
      members.push({ client: new Client(planner), token })
    }
    return new Crowd(members)
  }

  get members(): readonly Member[] {
    return this.#members
  }

  get acknowledged(): number {
    return this.#members.reduce((sum, { client }) => sum + client.acknowledged, 0)
  }

  /** Operations of the clients that were neither acknowledged nor refused. */
  get pending(): number {
    return this.#members.filter(({ client }) => client.pending).length
  }

  /** Of each operation that was not acknowledged, what came: `publish: 503`, `update: no answer`. */
  get missing(): readonly string[] {
    const members = this.#members.filter(({ client }) => client.pending)
    return members.map(({ client: { pending, refusal } }) => {
      return `${pending?.name}: ${refusal?.status ?? 'no answer'}`
    })
  }

  get surprises(): readonly string[] {
    return this.#members.flatMap(({ client }) => client.surprises)
  }

  /** All work until the end, or each until its first failure. */
  async work({ url }: Pick<Service, 'url'>, work: Work = {}): Promise<void> {
    await Promise.all(
      this.#members.map(({ client, token }) => client.work(userOf(url, token), work)),
    )
  }

  /** Compares the deposits touched since the last time, all, or this many of each client. */
  async compare(
    { url }: Pick<Service, 'url'>,
    what: 'touched' | 'everything' | number,
  ): Promise<Findings> {
    const comparing = this.#members.map(({ client, token }) => {
      const observers: Observers = { owner: userOf(url, token), visitor: userOf(url) }
      return compare(client, observers, chosen(client, what))
    })
    return together(await Promise.all(comparing))
  }
}

function chosen({ deposits, touched }: Client, what: 'touched' | 'everything' | number) {
  if (what === 'touched') return touched
  if (what === 'everything') return deposits
  const every = Math.max(1, Math.floor(deposits.length / what))
  return deposits.filter((_, at) => at % every === 0)
}

function together(findings: readonly Findings[]): Findings {
  return {
    lost: findings.flatMap(({ lost }) => lost),
    half: findings.flatMap(({ half }) => half),
    mismatched: findings.flatMap(({ mismatched }) => mismatched),
  }
}

export function userOf(origin: string, token?: string): User {
  return new User(`${origin}/api`, async () => token)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import type { DepositBody, RecordBody } from '../../../core/contract/schemas.ts'
import type { FakeService } from '../../support/services/service.ts'
import { User } from '../../support/user.ts'
import type { Random } from '../random.ts'
import { operate, type Service } from '../service.ts'
import { doisOf, findDifferences, later, readRecord, type Said } from './compare-dois.ts'

/** Clients at once. */
export const clients = 3

/**
 * Clients that publish, edit, make new versions, withdraw and take away, and the deposits that they
 * know.
 */
export class RegisteringClients {
  changes = 0
  /** Set while answers do not count, because the service is to be gone already. */
  isDeaf = false
  readonly #random: Random
  readonly #token: string
  readonly #deposits = new Set<string>()
  /** Values of records that lead to another, or may do so. */
  readonly #moved = new Set<string>()
  /** Those that may be withdrawn. */
  readonly #withdrawn = new Set<string>()
  /** Deposits whose first publication was acknowledged. */
  readonly #published = new Set<string>()
  /** Deposits that nobody changes after their publication. */
  readonly #alone = new Set<string>()
  /** Those of them whose DOI the service said is registered. */
  readonly #registered = new Set<string>()

  private constructor(random: Random, token: string) {
    this.#random = random
    this.#token = token
  }

  static async at(service: Service, random: Random): Promise<RegisteringClients> {
    const email = 'ada@example.org'
    await operate(service, 'user add', { email })
    const scope = `${writeScope} ${actionsScope}`
    return new RegisteringClients(
      random,
      await operate(service, 'token create', { user: email, scope }),
    )
  }

  /** Works on services that run at the time, some of which may be gone in the middle of a request. */
  async work(services: () => readonly Service[], isOver: () => boolean): Promise<void> {
    const one = async (): Promise<void> => {
      while (!isOver()) {
        const service = this.#random.pick([...services()])
        await (service ? this.#change(service) : sleep(5)).catch(() => sleep(5))
      }
    }
    await Promise.all(Array.from({ length: clients }, one))
  }

  async #change(service: Service): Promise<void> {
    const user = this.#user(service)
    const id = this.#random.pick([...this.#deposits].filter((each) => !this.#alone.has(each)))
    const dice = this.#random.fraction()
    const title = `Title ${this.changes} ${this.#random.between(0, 1e9)}`
    if (dice < 0.1) await this.#leaveAlone(user, title)
    else if (id === undefined || dice < 0.5) await this.#publishNew(user, title, dice < 0.2)
    else if (dice < 0.75) await this.#publishAgain(user, id, title)
    else if (dice < 0.93) await this.#publishNext(user, id, title)
    else if (dice < 0.95) await this.#move(service, user, id)
    else if (dice < 0.98) await this.#withdraw(user, id)
    else await this.#restore(service)
    await this.#lookAtOne(user)
    this.changes += 1
  }

  #user({ url }: Service): User {
    return new User(`${url}/api`, async () => this.#token)
  }

  async #publish(user: User, deposit: Pick<DepositBody, 'id'>): Promise<void> {
    await user.publish(deposit)
    if (!this.isDeaf) this.#published.add(deposit.id)
  }

  async #leaveAlone(user: User, title: string): Promise<void> {
    const draft = await user.createDraft({ title, keywords: ['tide'] })
    this.#alone.add(draft.id)
    this.#deposits.add(draft.id)
    await this.#publish(user, draft)
  }

  async #lookAtOne(user: User): Promise<void> {
    const id = this.#random.pick([...this.#alone])
    if (id === undefined) return
    const { pids } = await user.show({ id })
    if (pids.doi?.status === 'registered' && !this.isDeaf) this.#registered.add(id)
  }

  /** How many DOIs the service said are registered, of deposits that nobody changes. */
  get told(): number {
    return this.#registered.size
  }

  /** What was told and is not so any more, though nobody changed it. */
  async findForgotten(service: Service): Promise<readonly string[]> {
    const user = this.#user(service)
    const failures: string[] = []
    for (const id of this.#registered) {
      const { status, body } = await user.get(`/deposits/${id}`)
      const said = (body as Partial<DepositBody>).pids?.doi?.status
      if (said !== 'registered') failures.push(`${id} was registered, and is ${said ?? status}`)
    }
    for (const id of this.#published) {
      if ((await recordOf(user, id)) === undefined) failures.push(`${id} was published, and is not`)
    }
    return failures
  }

  async #publishNew(user: User, title: string, isReserved: boolean): Promise<void> {
    const draft = await user.createDraft({ title, keywords: ['tide'] })
    this.#deposits.add(draft.id)
    if (isReserved) await user.act(draft, 'reserve')
    await this.#publish(user, draft)
  }

  async #publishAgain(user: User, id: string, title: string): Promise<void> {
    await user.edit({ id })
    await user.put(`/deposits/${id}`, { title })
    await this.#publish(user, { id })
  }

  async #publishNext(user: User, id: string, title: string): Promise<void> {
    const { body } = await user.act({ id }, 'newversion')
    const next = body as DepositBody
    if (next.id === undefined) return
    this.#deposits.add(next.id)
    await user.put(`/deposits/${next.id}`, { title })
    await this.#publish(user, next)
  }

  /** Takes a record away: its address leads to another one from then on. */
  async #move(service: Service, user: User, id: string): Promise<void> {
    const other = this.#random.pick([...this.#deposits].filter((each) => !this.#alone.has(each)))
    const [from, to] = [await recordOf(user, id), await recordOf(user, other ?? id)]
    if (from === undefined || to === undefined || from === to) return
    if ([from, to].some((each) => this.#moved.has(each) || this.#withdrawn.has(each))) return
    this.#moved.add(from)
    await operate(service, 'pid redirect', { type: 'recid', value: from, target: to })
  }

  async #withdraw(user: User, id: string): Promise<void> {
    const value = await recordOf(user, id)
    if (value === undefined || this.#moved.has(value)) return
    this.#withdrawn.add(value)
    await user.post(`/deposits/${id}/actions/withdraw`, { json: { reason: 'test' } })
  }

  /** It stays among those that may be withdrawn. */
  async #restore(service: Service): Promise<void> {
    const value = this.#random.pick([...this.#withdrawn])
    if (value !== undefined) await operate(service, 'record restore', { value })
  }

  /** Compares all deposits with all DOIs, once it is quiet. */
  async compare(service: Service, datacite: FakeService): Promise<readonly string[]> {
    const user = this.#user(service)
    const dois = new Map(Object.entries(doisOf(datacite)))
    const failures: string[] = []
    const newest = new Map<string, RecordBody | undefined>()
    const expectOf = (value: string, said: Said | undefined): void => {
      const doi = `10.5072/${value}`
      failures.push(...findDifferences(doi, dois.get(doi), said))
      dois.delete(doi)
    }
    for (const id of this.#deposits) {
      const { body } = await user.get(`/deposits/${id}`)
      const { metadata, pids } = body as DepositBody
      const value = metadata._deposit?.value
      if (value === undefined) {
        if (this.#published.has(id)) failures.push(`${id} was published, and is not`)
        continue
      }
      const record = await readRecord(service, value)
      expectOf(value, record && { record, url: record.links['html'], doi: record.pids.doi })
      const known = newest.get(pids.concept.value)
      newest.set(pids.concept.value, later(known, record))
    }
    for (const [concept, record] of newest) {
      const url = record?.links['html']?.replace(record.id, concept)
      expectOf(concept, record && { record, url, doi: record.pids.concept.doi })
    }
    if (dois.size > 0) failures.push(`nobody asked for ${[...dois.keys()].join(', ')}`)
    const posts = datacite.requests.filter(({ method }) => method !== 'PUT' && method !== 'GET')
    if (posts.length > 0) failures.push(`${posts.length} requests are neither PUT nor GET`)
    return failures
  }
}

async function recordOf(user: User, id: string): Promise<string | undefined> {
  const { status, body } = await user.get(`/deposits/${id}`)
  return status === 200 ? (body as DepositBody).metadata._deposit?.value : undefined
}

/**
 * Publishes, edits, makes new versions, withdraws records and restores them, and takes some away while a third of DataCite's answers
 * fail and the daemon is killed again and again, and compares what DataCite has with what the service
 * says, once it is quiet.
 *
 *     npm run test:faults -- killed-registration              1,000 changes, 100 kills
 *     npm run test:faults -- killed-registration --rounds 5   10 changes for each kill
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import type { ProvidedPid } from '../../../core/contract/pids.ts'
import type { DepositBody, RecordBody } from '../../../core/contract/schemas.ts'
import { dataciteSettings } from '../../support/doi-daemon.ts'
import { startDataCite } from '../../support/services/datacite/datacite.ts'
import type { Doi } from '../../support/services/datacite/doi.ts'
import type { FakeService } from '../../support/services/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { User } from '../../support/user.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { operate, startService, type Service } from '../service.ts'

const preset = 100
/** Acknowledged changes for each kill. */
const changesOfRound = 10
/** Time for which clients work before a kill, at most. */
const longestMs = 1500
const clients = 3
/** Times for DataCite to have everything. */
const quietMs = 20 * 60_000

/** A third of all answers, in every way that the server knows. */
const shares = {
  error: 0.08,
  tooMany: 0.02,
  html: 0.04,
  gatewayTimeout: 0.04,
  brokenJson: 0.03,
  lostAnswer: 0.06,
  cutRequest: 0.02,
  cutAnswer: 0.02,
  slow: 0.02,
} as const

export const killedRegistration: Experiment = {
  name: 'killed-registration',
  claim:
    'With a third of DataCite’s answers failing and the daemon killed at any moment, every DOI ends up saying what its record says: none is findable whose record is not public, none is made twice, none is forgotten.',
  obstacle: () => undefined,
  run,
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const random = new Random(seed)
  const folder = stack.use(await temporaryFolder())
  const datacite = stack.use(
    await startDataCite({ limit: 10_000_000, faults: { seed, shares, delay: 1000 } }),
  )
  const home = join(folder.path, 'home')
  const settings = await dataciteSettings(folder.path, datacite.url)
  const env = { ...settings, DEPOSIT_PUBLIC_URL: 'http://localhost:8420' }
  let service = await startService(home, { env })
  stack.defer(() => service.kill())
  const world = new World(random, await tokenOf(service))
  const failures: string[] = []
  for (let round = 1; round <= rounds; round += 1) {
    await world.workUntilKilled(service, round * changesOfRound)
    service = await startService(home, { env })
    failures.push(...(await findTooPublic(service, datacite, random)))
    say(
      `kill ${round} of ${rounds}: ${world.changes} changes, ${datacite.requests.length} requests`,
    )
  }
  datacite.misbehave()
  failures.push(...(await becomeQuiet(service)))
  failures.push(...(await world.compare(service, datacite)))
  const failed = datacite.requests.filter(({ fault }) => fault !== undefined).length
  return {
    failures,
    figures: {
      kills: rounds,
      changes: world.changes,
      requests: datacite.requests.length,
      'of them failed': failed,
      DOIs: Object.keys(doisOf(datacite)).length,
      'of them hidden': Object.values(doisOf(datacite)).filter(({ state }) => state !== 'findable')
        .length,
      wrong: failures.length,
    },
  }
}

async function tokenOf(service: Service): Promise<string> {
  const email = 'ada@example.org'
  await operate(service, 'user add', { email })
  return operate(service, 'token create', { user: email, scope: `${writeScope} ${actionsScope}` })
}

/** The clients, and the deposits that they know. */
class World {
  changes = 0
  readonly #random: Random
  readonly #token: string
  readonly #deposits = new Set<string>()
  /** Values of records that lead to another, or may do so. */
  readonly #moved = new Set<string>()

  constructor(random: Random, token: string) {
    this.#random = random
    this.#token = token
  }

  async workUntilKilled(service: Service, target: number): Promise<void> {
    const over = performance.now() + this.#random.between(50, longestMs)
    const isOver = (): boolean => performance.now() > over && this.changes >= target - clients
    const working = Array.from({ length: clients }, async () => {
      while (!isOver()) {
        // The service is gone at the end of each round, in the middle of what is asked.
        await this.#change(service).catch(() => sleep(5))
      }
    })
    await Promise.race(working)
    await service.kill()
    await Promise.all(working)
  }

  async #change(service: Service): Promise<void> {
    const user = this.#user(service)
    const id = this.#random.pick([...this.#deposits])
    const dice = this.#random.fraction()
    const title = `Title ${this.changes} ${this.#random.between(0, 1e9)}`
    if (id === undefined || dice < 0.5) await this.#publishNew(user, title, dice < 0.2)
    else if (dice < 0.75) await this.#publishAgain(user, id, title)
    else if (dice < 0.88) await this.#publishNext(user, id, title)
    else if (dice < 0.98) await this.#withdrawOrRestore(user, id)
    else await this.#move(service, user, id)
    this.changes += 1
  }

  #user({ url }: Service): User {
    return new User(`${url}/api`, async () => this.#token)
  }

  async #publishNew(user: User, title: string, isReserved: boolean): Promise<void> {
    const draft = await user.createDraft({ title, keywords: ['tide'] })
    this.#deposits.add(draft.id)
    if (isReserved) await user.act(draft, 'reserve')
    await user.publish(draft)
  }

  async #publishAgain(user: User, id: string, title: string): Promise<void> {
    await user.edit({ id })
    await user.put(`/deposits/${id}`, { title })
    await user.publish({ id })
  }

  async #publishNext(user: User, id: string, title: string): Promise<void> {
    const { body } = await user.act({ id }, 'newversion')
    const next = body as DepositBody
    if (next.id === undefined) return
    this.#deposits.add(next.id)
    await user.put(`/deposits/${next.id}`, { title })
    await user.publish(next)
  }

  /** Takes a record out of sight, or back. What is done already is refused. */
  async #withdrawOrRestore(user: User, id: string): Promise<void> {
    const { withdrawn } = await user.show({ id })
    const json = { reason: 'test', destroy_bytes: this.#random.chance(0.2) }
    if (withdrawn) await user.act({ id }, 'restore-record')
    else await user.post(`/deposits/${id}/actions/withdraw`, { json })
  }

  /** Takes a record away: its address leads to another one from then on. */
  async #move(service: Service, user: User, id: string): Promise<void> {
    const other = this.#random.pick([...this.#deposits].filter((each) => each !== id))
    const [from, to] = [await recordOf(user, id), await recordOf(user, other ?? id)]
    if (from === undefined || to === undefined || from === to) return
    if (this.#moved.has(from) || this.#moved.has(to)) return
    this.#moved.add(from)
    await operate(service, 'pid redirect', { type: 'recid', value: from, target: to })
  }

  /** Compares all deposits with all DOIs. */
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
      if (value === undefined) continue
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

/** The one that was published later, of those that are public. */
function later(one: RecordBody | undefined, other: RecordBody | undefined): RecordBody | undefined {
  return one && (!other || one.created > other.created) ? one : other
}

async function recordOf(user: User, id: string): Promise<string | undefined> {
  const { status, body } = await user.get(`/deposits/${id}`)
  return status === 200 ? (body as DepositBody).metadata._deposit?.value : undefined
}

/** The record as everybody sees it; undefined for one that is not public. */
async function readRecord({ url }: Service, value: string): Promise<RecordBody | undefined> {
  const response = await fetch(`${url}/api/records/${value}`, { redirect: 'manual' })
  return response.status === 200 ? ((await response.json()) as RecordBody) : undefined
}

/** What the service says of a DOI. */
interface Said {
  readonly record: RecordBody
  readonly url: string | undefined
  readonly doi: ProvidedPid | undefined
}

/** @param said undefined where nothing public has it */
function findDifferences(
  name: string,
  doi: Doi | undefined,
  said: Said | undefined,
): readonly string[] {
  if (!said) {
    return doi === undefined || doi.state === 'registered' ? [] : [`${name} is ${doi.state}`]
  }
  if (!doi) return [`${name} was forgotten`]
  const { title, keywords } = said.record.metadata as {
    readonly title?: string
    readonly keywords?: readonly string[]
  }
  const here = {
    state: 'findable',
    url: said.url,
    titles: [title],
    subjects: keywords ?? [],
    status: 'registered',
  }
  const there = {
    state: doi.state,
    url: doi.url,
    titles: texts(doi.metadata['titles'], 'title'),
    subjects: texts(doi.metadata['subjects'], 'subject'),
    status: said.doi?.status,
  }
  const [one, other] = [JSON.stringify(here), JSON.stringify(there)]
  return one === other ? [] : [`${name}: ${one} here, ${other} there`]
}

function texts(list: unknown, name: string): readonly unknown[] {
  return Array.isArray(list)
    ? list.map((each: Readonly<Record<string, unknown>>) => each[name])
    : []
}

function doisOf(datacite: FakeService): Readonly<Record<string, Doi>> {
  return datacite.state() as Readonly<Record<string, Doi>>
}

/** Some DOIs that are findable, and whose record was never published here. */
async function findTooPublic(
  service: Service,
  datacite: FakeService,
  random: Random,
): Promise<readonly string[]> {
  const found: string[] = []
  const findable = Object.values(doisOf(datacite)).filter(({ state }) => state === 'findable')
  for (const { doi } of random.shuffle(findable).slice(0, looked)) {
    const [, value = ''] = doi.split('/')
    const { status } = await fetch(`${service.url}/api/records/${value}`, {
      method: 'HEAD',
      redirect: 'manual',
    })
    // A concept leads to its newest version; a record that leads to another, or was withdrawn, is
    // hidden a little later.
    if (![200, 301, 302, 410].includes(status))
      found.push(`${doi} is findable, its record: ${status}`)
  }
  return found
}

/** DOIs that are looked at after each kill. */
const looked = 50

/** Waits until nothing is on its way, and the service itself finds no difference. */
async function becomeQuiet(service: Service): Promise<readonly string[]> {
  const over = performance.now() + quietMs
  while (performance.now() < over) {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    if (/^deposit_doi_pending 0$/m.test(metrics)) return []
    await sleep(500)
  }
  return [`DOIs are on their way after ${quietMs / 60_000} minutes`]
}

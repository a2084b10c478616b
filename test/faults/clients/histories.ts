/**
 * Several clients read and write the same few deposits at once; afterwards their answers must fit
 * one history for all of them.
 *
 *     npm run test:faults -- histories                      one minute
 *     npm run test:faults -- histories --rounds 10          ten minutes
 */
import { join } from 'node:path'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { User } from '../../support/user.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService } from '../service.ts'
import { Tester } from '../tester.ts'
import { contradictions, type Event } from './history.ts'

const clients = 8
const deposits = 3

export const histories: Experiment = {
  name: 'histories',
  claim: 'Clients that use a deposit at the same time see one history (linearizable).',
  anywhere: true,
  obstacle: () => undefined,
  run: compareHistories,
}

async function compareHistories({ seed, rounds = 1 }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const { user } = await Tester.at(service, random)
    const drafts = await Promise.all(Array.from({ length: deposits }, () => user.createDraft()))
    const ids = drafts.map(({ id }) => id)
    const until = performance.now() + rounds * 60_000
    const logs = Array.from({ length: clients }, (_, number) =>
      new Worker(user, `client ${number}`, random.fork()).work(ids, until),
    )
    return outcomeOf((await Promise.all(logs)).flat())
  } finally {
    await service.kill()
  }
}

type Seen = Event & { readonly id: string }

function outcomeOf(events: readonly (Seen | string)[]): Outcome {
  const seen = events.filter((event) => typeof event !== 'string')
  const surprises = events.filter((event) => typeof event === 'string')
  const ids = [...new Set(seen.map(({ id }) => id))]
  const faults = ids.flatMap((id) => contradictions(seen.filter((event) => event.id === id)))
  const writes = seen.filter(({ kind }) => kind === 'write').length
  const figures = { clients, deposits, writes, reads: seen.length - writes }
  return {
    figures: { ...figures, contradictions: faults.length },
    failures: [...faults, ...surprises].slice(0, 20),
  }
}

/** A client that records its answers and their times. */
class Worker {
  readonly #user: User
  readonly #name: string
  readonly #random: Random
  #written = 0

  constructor(user: User, name: string, random: Random) {
    this.#user = user
    this.#name = name
    this.#random = random
  }

  async work(ids: readonly string[], until: number): Promise<readonly (Seen | string)[]> {
    const log: (Seen | string)[] = []
    while (performance.now() < until) {
      const id = this.#random.pick(ids) ?? ''
      const read = await this.#read(id)
      log.push(read)
      const expected = this.#random.chance(0.5) ? read.revision : undefined
      const written = this.#random.chance(0.5) ? await this.#write(id, expected) : undefined
      if (written) log.push(written)
    }
    return log
  }

  async #read(id: string): Promise<Seen> {
    const began = performance.now()
    const { revision, metadata } = await this.#user.show({ id })
    const { title: value = '' } = metadata as { readonly title?: string }
    return { id, kind: 'read', began, ended: performance.now(), revision, value }
  }

  /** Undefined if another client was faster. */
  async #write(id: string, expected: number | undefined): Promise<Seen | string | undefined> {
    const value = `${this.#name}, ${(this.#written += 1)}`
    const began = performance.now()
    const condition = expected === undefined ? {} : { 'if-match': `"${expected}"` }
    const reply = await this.#user.put(`/deposits/${id}`, { title: value }, condition)
    const ended = performance.now()
    if (reply.status === 412 && expected !== undefined) return undefined
    if (reply.status !== 200) return `a write was answered with ${reply.status}`
    const { revision } = reply.body as DepositBody
    const event = { id, kind: 'write', began, ended, revision, value } as const
    return expected === undefined ? event : { ...event, expected }
  }
}

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runDepositd } from '../support/depositd.ts'
import type { Findings } from './load/compare.ts'
import type { Crowd } from './load/crowd.ts'
import type { Service } from './service.ts'
import { within } from './within.ts'

/** Most failures of a kind that are reported in full. */
const told = 5

/** Adds up the findings of the rounds of an experiment. */
export class Tally {
  readonly #lost: string[] = []
  readonly #half: string[] = []
  readonly #mismatched: string[] = []
  readonly #other: string[] = []
  #rounds = 0
  #acknowledged = 0
  #pending = 0
  #slowestReadyMs = 0

  add({ lost, half, mismatched }: Findings): void {
    this.#lost.push(...lost)
    this.#half.push(...half)
    this.#mismatched.push(...mismatched)
  }

  round(): void {
    this.rounds(1)
  }

  rounds(count: number): void {
    this.#rounds += count
  }

  /** Requests that were under way when the service went away. */
  pending(requests: number): void {
    this.#pending += requests
  }

  /** Each start clears unfinished writes. */
  async started({ home, readyMs }: Service): Promise<void> {
    this.#slowestReadyMs = Math.max(this.#slowestReadyMs, readyMs)
    const tmp = join(home, 'tmp')
    // The folder does not exist if the bytes are in S3.
    const left = existsSync(tmp) ? await readdir(tmp) : []
    if (left.length > 0) this.fail(`tmp/ has ${left.join(', ')} after the start`)
  }

  addCrowd({ acknowledged, surprises }: Crowd): void {
    this.#acknowledged += acknowledged
    this.#other.push(...surprises)
  }

  fail(reason: string): void {
    this.#other.push(reason)
  }

  /** A crash may leave garbage in the store; any other finding is a failure. */
  async check({ home }: Pick<Service, 'home'>): Promise<void> {
    const checking = runDepositd(home, ['check', '--full'])
    const { status, stdout, stderr } = await within(
      1_800_000,
      'the end of depositd check',
      checking,
    )
    if (status !== 0) this.fail(`depositd check ended with ${status}: ${stdout}${stderr}`)
  }

  line(acknowledged: number): string {
    const [lost, half, mismatched] = [this.#lost, this.#half, this.#mismatched]
    return `${acknowledged} acknowledged, ${lost.length} lost, ${half.length} half, ${mismatched.length} mismatched`
  }

  /** @param rounds the name of the rounds */
  figures(rounds: string): Readonly<Record<string, number>> {
    return {
      [rounds]: this.#rounds,
      acknowledged: this.#acknowledged,
      'under way': this.#pending,
      lost: this.#lost.length,
      'half done': this.#half.length,
      mismatched: this.#mismatched.length,
      'slowest start (ms)': Math.round(this.#slowestReadyMs),
    }
  }

  get losses(): number {
    return this.#lost.length + this.#mismatched.length
  }

  failures(): readonly string[] {
    return [
      ...tell('lost', this.#lost),
      ...tell('half done', this.#half),
      ...tell('mismatched', this.#mismatched),
      ...tell('wrong', this.#other),
    ]
  }
}

function tell(kind: string, failures: readonly string[]): readonly string[] {
  const more = failures.length - told
  const first = failures.slice(0, told).map((failure) => `${kind}: ${failure.slice(0, 2000)}`)
  return more > 0 ? [...first, `${kind}: and ${more} more`] : first
}

import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../support/http.ts'

/** Asks for the health of a service as a newcomer does, again and again. */
export class HealthWatch {
  readonly #url: string
  readonly #watching: Promise<void>
  #isOver = false
  asked = 0
  /** How often there was no answer, or another one than that all is well. */
  unanswered = 0
  worstMs = 0

  constructor(origin: string) {
    this.#url = `${origin}/health`
    this.#watching = this.#watch()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const started = performance.now()
      const reply = await send('GET', this.#url, { headers: { connection: 'close' } }).catch(
        () => undefined,
      )
      this.asked += 1
      if (reply?.status !== 200) this.unanswered += 1
      this.worstMs = Math.max(this.worstMs, Math.round(performance.now() - started))
      await sleep(100)
    }
  }
}

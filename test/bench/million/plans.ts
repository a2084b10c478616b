import { setTimeout as sleep } from 'node:timers/promises'

/** Settings that make the server log the plan and the time of each statement. */
export const explaining = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
} as const

/** The plan of a statement. */
export interface Plan {
  readonly milliseconds: number
  /** The statement and its plan, as the server logs them. */
  readonly lines: readonly string[]
}

const heading = /duration: ([\d.]+) ms {2}plan:/

/** Reads the log of a server that is {@link explaining}. */
export class Plans {
  readonly #said: string[] = []

  readonly heard = (line: string): void => void this.#said.push(line)

  /** The slowest statement that the server ran for `work`. */
  async slowestOf(work: () => Promise<unknown>): Promise<Plan | undefined> {
    this.#said.length = 0
    await work()
    await sleep(200)
    return parse(this.#said).toSorted((a, b) => b.milliseconds - a.milliseconds)[0]
  }
}

/** The lines of a statement follow its heading, each after a tab. */
function parse(said: readonly string[]): readonly Plan[] {
  const plans: { milliseconds: number; lines: string[] }[] = []
  let plan: (typeof plans)[number] | undefined
  for (const line of said) {
    const found = heading.exec(line)
    if (found) {
      plan = { milliseconds: Number(found[1]), lines: [] }
      plans.push(plan)
    } else if (line.startsWith('\t')) plan?.lines.push(line.slice(1))
    else plan = undefined
  }
  return plans
}

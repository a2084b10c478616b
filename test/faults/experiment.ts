/** The outcome of a run: `failures` is empty where everything held. */
export interface Outcome {
  /** Counts and times for people and for machines, by name. */
  readonly figures: Readonly<Record<string, number | string>>
  readonly failures: readonly string[]
}

export interface Settings {
  readonly seed: number
  /** Number of rounds, cuts or points; each experiment has its own default. */
  readonly rounds?: number
  /** Called with each line of progress. */
  readonly say: (line: string) => void
}

/** An attempt to make the real daemon break its promises. */
export interface Experiment {
  readonly name: string
  /** The promise that must hold, as a sentence. */
  readonly claim: string
  /** Why it cannot run here; undefined if it can. */
  readonly obstacle: () => string | undefined
  /** It does not depend on the disk of the home, so it can run with rows and bytes elsewhere. */
  readonly anywhere?: true
  readonly run: (settings: Settings) => Promise<Outcome>
}

/** The outcome of a run: `failures` is empty where everything held. */
export interface Outcome {
  /** Counts and times for people and for machines, by name. */
  readonly figures: Readonly<Record<string, number | string>>
  readonly failures: readonly string[]
}

export interface Settings {
  readonly seed: number
  /** Number of rounds, cuts or points; the experiment's own if it is left out. */
  readonly rounds?: number
  /** Told of progress, a line at a time. */
  readonly say: (line: string) => void
}

/** Something that is done to the real daemon to break its promises. */
export interface Experiment {
  readonly name: string
  /** The promise that must hold, as a sentence. */
  readonly claim: string
  /** Why it cannot run here; undefined where it can. */
  readonly obstacle: () => string | undefined
  /** Nothing in it is about the disk of the home: it can be run with rows and bytes elsewhere. */
  readonly anywhere?: true
  readonly run: (settings: Settings) => Promise<Outcome>
}

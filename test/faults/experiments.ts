import type { Experiment } from './experiment.ts'
import { killLoop } from './kill/kill-loop.ts'
import { powerCuts } from './power/power-cuts.ts'
import { unsyncedPowerCuts } from './power/unsynced.ts'

/** What runs every night; each can be run alone, by its name. */
export const nightly: readonly Experiment[] = [killLoop, powerCuts, unsyncedPowerCuts]

/** What runs once a week. */
export const weekly: readonly Experiment[] = []

import { crashPoints } from './calls/crash-points.ts'
import { failingCalls } from './calls/failing-calls.ts'
import type { Experiment } from './experiment.ts'
import { killLoop } from './kill/kill-loop.ts'
import { powerCuts } from './power/power-cuts.ts'
import { noRoom } from './room/no-room.ts'
import { unsyncedPowerCuts } from './power/unsynced.ts'

/** What runs every night; each can be run alone, by its name. */
export const nightly: readonly Experiment[] = [
  killLoop,
  crashPoints,
  failingCalls,
  noRoom,
  powerCuts,
  unsyncedPowerCuts,
]

/** What runs once a week. */
export const weekly: readonly Experiment[] = []

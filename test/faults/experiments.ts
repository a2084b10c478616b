import { databaseAway } from './away/database-away.ts'
import { storeAway } from './away/store-away.ts'
import { crashPoints } from './calls/crash-points.ts'
import { failingCalls } from './calls/failing-calls.ts'
import { archives } from './clients/archives.ts'
import { foundAtOnce } from './clients/found-at-once.ts'
import { hostileMix } from './clients/hostile-mix.ts'
import { day } from './clients/day.ts'
import { histories } from './clients/histories.ts'
import { longUploads } from './clients/long-uploads.ts'
import { mergeLaws } from './clients/merge-laws.ts'
import { pauses } from './clients/pauses.ts'
import { slowClients } from './clients/slow-clients.ts'
import { soak } from './clients/soak.ts'
import { timing } from './clients/timing.ts'
import type { Experiment } from './experiment.ts'
import { killedDestruction } from './kill/killed-destruction.ts'
import { killedRegistration } from './dois/killed-registration.ts'
import { registeringDaemons } from './dois/registering-daemons.ts'
import { registrationPowerCuts } from './dois/registration-power-cuts.ts'
import { killLoop } from './kill/kill-loop.ts'
import { powerCuts } from './power/power-cuts.ts'
import { unsyncedPowerCuts } from './power/unsynced.ts'
import { killedPush } from './push/killed-push.ts'
import { killedTarget } from './push/killed-target.ts'
import { noRoom } from './room/no-room.ts'
import { readOnly } from './room/read-only.ts'
import { killedDaemons } from './several/killed-daemons.ts'

/** The experiments of every night; each can be run alone, by its name. */
export const nightly: readonly Experiment[] = [
  killLoop,
  crashPoints,
  failingCalls,
  powerCuts,
  unsyncedPowerCuts,
  noRoom,
  readOnly,
  slowClients,
  hostileMix,
  longUploads,
  histories,
  foundAtOnce,
  timing,
  mergeLaws,
  pauses,
  storeAway,
  databaseAway,
  killedDaemons,
  archives,
  killedRegistration,
  killedDestruction,
  registeringDaemons,
  registrationPowerCuts,
  killedPush,
  killedTarget,
]

/** The experiments of every week. */
export const weekly: readonly Experiment[] = [soak, day]

import type { Measurement } from './target.ts'
import { allSearches } from './targets/all-deposits.ts'
import { commandUpload } from './targets/command-upload.ts'
import { download } from './targets/download.ts'
import { status, table } from './targets/folders-and-tables.ts'
import { health } from './targets/health.ts'
import { registrations } from './targets/identifiers.ts'
import { people } from './targets/people.ts'
import { pushes } from './targets/pushes.ts'
import { lists, ownSearches } from './targets/many-deposits.ts'
import { manyFiles } from './targets/many-files.ts'
import { memory } from './targets/memory.ts'
import { packageMemory, packageRange, packages, packageStart } from './targets/packages.ts'
import { exports, harvests, searchPage } from './targets/public-records.ts'
import { create, read } from './targets/requests.ts'
import { slowSyncs } from './targets/slow-syncs.ts'
import { smallFiles } from './targets/small-files.ts'
import { commands, start } from './targets/start-up.ts'
import { uploads } from './targets/uploads.ts'

/** Every target, in the order of their numbers. */
export const measurements: readonly Measurement[] = [
  uploads,
  commandUpload,
  memory,
  smallFiles,
  create,
  read,
  lists,
  ownSearches,
  allSearches,
  start,
  download,
  commands,
  ...health,
  manyFiles,
  slowSyncs,
  packages,
  packageStart,
  packageRange,
  packageMemory,
  exports,
  harvests,
  searchPage,
  pushes,
  people,
  status,
  table,
  registrations,
]

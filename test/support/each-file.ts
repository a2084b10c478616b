import { afterAll, vi } from 'vitest'
import { endFile } from './end-of-file.ts'
import { moveIn } from './house.ts'

// Test files may run one after another in the same process, which saves each of them
// the loading of the whole program. What one leaves there must not reach the next.
// SQLite reads this when the process opens its first database, which may be in a later file than the
// one that loads `connect.ts`.
process.env['SQLITE_USE_URI'] = '1'
const environment = { ...process.env }
const home = moveIn()

afterAll(async () => {
  await endFile()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) {
    if (!(name in environment)) delete process.env[name]
  }
  Object.assign(process.env, environment)
  home[Symbol.dispose]()
})

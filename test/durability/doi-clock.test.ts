import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { dataciteSettings, doiOf } from '../support/doi-daemon.ts'
import { scriptedDatacite } from '../support/scripted-datacite.ts'
import { noSetTime, setTime } from '../support/set-time.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

const year = 365 * 86_400

/** Seconds that the clock is ahead, one after another, while the daemon runs. */
const leaps = [
  ['a year forth and back', [year, 0]],
  ['a year back and forth', [-year, 0]],
  ['back, forth and back', [-year, year, 0]],
] as const

const isSkipped = unless('doi-clock.test.ts', noSetTime)

describe.skipIf(isSkipped)('When the clock is changed while DataCite fails', () => {
  it.for(leaps)('every DOI is registered as soon as it answers: %s', async ([, stations]) => {
    await using time = await setTime()
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const settings = await dataciteSettings(folder.path, datacite.url)
    await using daemon = await startDaemon({ ...time.env, ...settings })
    await daemon.operate(['user', 'add', 'ada@example.org'])
    const scope = ['--scope', 'deposit:write deposit:actions', '--expires', 'never']
    const made = await daemon.operate(['token', 'create', '--user', 'ada@example.org', ...scope])
    const ada = new User(`${daemon.url}/api`, async () => made.trim().split('\n').at(-1) ?? '')

    datacite.fault = () => ({ status: 503 })
    const published = [await ada.createPublished()]
    for (const station of stations) {
      await time.setAhead(station)
      const asked = datacite.requests.length
      published.push(await ada.createPublished())
      await expect.poll(() => datacite.requests.length).toBeGreaterThan(asked)
    }
    datacite.fault = () => undefined
    const started = performance.now()
    for (const each of published) await doiOf(ada, each, 'registered')
    // Not after a year, nor after the longest wait of six hours.
    expect(performance.now() - started).toBeLessThan(240_000)
    const states = Object.values(datacite.dois()).map(({ state }) => state)
    expect(states.filter((state) => state !== 'findable')).toEqual([])
  })
})

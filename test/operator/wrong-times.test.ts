import { describe, expect, it } from 'vitest'
import { scrub, systemClock, type Parts } from '../../core/index.ts'
import { checkIntegrity } from '../../core/service/check-integrity.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { openDatabase } from '../../daemon/stores/open-stores.ts'
import { openBlobs, openManifests } from '../../daemon/stores/storages.ts'
import { clockReading } from '../support/clock-reading.ts'
import { homeWithData, type HomeWithData } from './home-with-data.ts'

describe('bytes that were checked while the clock was ahead', () => {
  it('are read again by the scrub, which then rests', async () => {
    await using home = await homeWithData()
    home.edit(`UPDATE blobs SET checked = '2038-01-19T03:14:08.000Z'`)
    const stopping = new AbortController()
    const rates = { bytesPerSecond: 1e12, againMs: 86_400_000, restMs: 10 }

    await onHome(home, async (parts) => {
      const running = scrub(parts, { ...rates, found: () => {}, signal: stopping.signal })
      await expect.poll(() => readAhead(home)).toBe(0)
      stopping.abort()
      await running
    })
  })

  it('are read again by an incremental check', async () => {
    await using home = await homeWithData()
    home.edit(`UPDATE blobs SET checked = '2038-01-19T03:14:08.000Z'`)

    await onHome(home, (parts) => check(parts, new AbortController()))

    expect(readAhead(home)).toBe(0)
  })
})

describe('An incremental check', () => {
  it('reads each file once while the clock is set back by years', async () => {
    await using home = await homeWithData()
    home.edit('UPDATE blobs SET checked = NULL')
    const times = ['2038-01-19T03:14:08.000Z']
    const clock = clockReading(() => times.pop() ?? '2026-11-01T00:00:00.000Z')

    const read = await onHome(home, (parts) => check({ ...parts, clock }, new AbortController()))

    expect(read).toBe(home.blobs.length)
  })
})

type Opened = Pick<Parts, 'database' | 'blobs' | 'clock'> & {
  readonly manifests: Awaited<ReturnType<typeof openManifests>>
}

async function onHome<Answer>(
  { path }: HomeWithData,
  work: (parts: Opened) => Promise<Answer>,
): Promise<Answer> {
  const home = homeAt(path)
  await using database = await openDatabase(home, () => {})
  await using blobs = await openBlobs(home, { database })
  return await work({ database, blobs, manifests: await openManifests(home), clock: systemClock })
}

/** Returns the number of blobs read; gives up if the check does not end. */
async function check(parts: Opened, stopping: AbortController): Promise<number> {
  let read = 0
  const progress = (done: number, all: number): void => {
    read = done
    if (done > 3 * all) stopping.abort(new Error('The check goes round in circles.'))
  }
  const options = { depth: 'incremental', quarantine: false, progress } as const
  const findings = checkIntegrity(parts, { ...options, signal: stopping.signal })
  for await (const finding of findings) expect(finding).toBeUndefined()
  return read
}

function readAhead(home: HomeWithData): unknown {
  return home.query(`SELECT count(*) FROM blobs WHERE checked > '2037'`)
}

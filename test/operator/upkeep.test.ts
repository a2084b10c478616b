import { randomUUID } from 'node:crypto'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lockHome } from '../../daemon/home/home-lock.ts'
import { prepareHome } from '../../daemon/home/home.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { blobsIn, editSmall } from '../support/stored-blobs.ts'
import { date } from './damage.ts'
import { homeWithData, type HomeWithData } from './home-with-data.ts'

const hourMs = 3_600_000

/** Adds a small blob without a row that names it. */
function leaveRow(home: HomeWithData): string {
  const [blob = ''] = home.small
  const id = randomUUID()
  editSmall(blob, 'INSERT INTO blobs (id, written, bytes) VALUES (@other, 0, zeroblob(15))', {
    other: id,
  })
  return id
}

/** Writes a blob without a row that names it, dated `hours` ago. */
async function leaveBytes(home: string, hours: number): Promise<string> {
  const id = randomUUID()
  const folder = join(home, 'blobs', id.slice(0, 2), id.slice(2, 4))
  const path = join(folder, id)
  await mkdir(folder, { recursive: true })
  await writeFile(path, 'left by a crash')
  const then = new Date(Date.now() - hours * hourMs)
  await utimes(path, then, then)
  return id
}

/** Sets the time of these blobs far back. */
async function makeOld(paths: readonly string[]): Promise<void> {
  for (const path of paths) await date(path, new Date(0))
}

describe('depositd gc', () => {
  it('removes only bytes without a row for a day', async () => {
    await using home = await homeWithData()
    await makeOld(home.blobs)
    const old = await leaveBytes(home.path, 25)
    const young = await leaveBytes(home.path, 23)

    const { status, stdout, stderr } = await operateHere(home.path, ['gc'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${old}\n` })
    expect(stderr).toContain('Removed 1 blob without a row (15 B) from ')
    expect(stderr).toContain('Left 1 blob younger than a day.')
    const left = (await blobsIn(home.path)).filter((path) => !path.endsWith(young))
    expect(left).toEqual(home.blobs)
    expect((await operateHere(home.path, ['check'])).status).toBe(0)
  })

  it('removes small files as well', async () => {
    await using home = await homeWithData()
    const old = leaveRow(home)

    const { status, stdout } = await operateHere(home.path, ['gc'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${old}\n` })
    expect(await blobsIn(home.path)).toEqual(home.blobs)
  })

  it('keeps files with a time in the future after the clock was set back', async () => {
    await using home = await homeWithData()
    const id = await leaveBytes(home.path, -48)

    const { status, stdout } = await operateHere(home.path, ['gc'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect((await blobsIn(home.path)).some((path) => path.endsWith(id))).toBe(true)
  })

  it('runs in the daemon if there is one', async () => {
    await using daemon = await startDaemon()
    const id = await leaveBytes(daemon.home, 25)

    const { status, stdout } = await operateHere(daemon.home, ['gc'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${id}\n` })
    expect(await blobsIn(daemon.home)).toEqual([])
  })
})

describe('depositd reindex', () => {
  it('reports its counts without a daemon, and marks skipped deposits for indexing', async () => {
    await using home = await homeWithData()
    home.edit('UPDATE deposits SET indexed = 0')

    const { status, stdout, stderr } = await operateHere(home.path, ['reindex'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(/2 deposits and 1 record in \S+ is made when the daemon first needs it/)
    expect(home.query('SELECT count(*) FROM deposits WHERE indexed = 0')).toBe(0)
  })

  it('rebuilds the index of a running daemon with the same results', async () => {
    await using daemon = await lastingDaemon()
    for (const title of ['Tides', 'Currents', 'Tides of March']) {
      await daemon.owner.createDraft({ title })
    }
    const found = async () => (await daemon.owner.search('q=tides')).hits
    const before = await found()

    const { status, stderr } = await operateHere(daemon.home, ['reindex'])

    expect(status).toBe(0)
    expect(stderr).toMatch(/The index of 3 deposits and 0 records in \S+ is made again\./)
    expect(before.total).toBe(2)
    expect(await found()).toEqual(before)
  })
})

describe('a command on a home whose daemon is starting', () => {
  it.for([['user', 'list'], ['check']])('waits for it (%s)', async (command) => {
    await using home = await homeWithData()
    const lock = await lockHome(await prepareHome(home.path))
    const child = spawnDepositd(home.path, command)
    // Long enough to meet the lock; the number of attempts is not tested.
    await Promise.race([child.ended, sleep(4000)])
    lock[Symbol.dispose]()

    expect((await child.ended).status).toBe(0)
  })
})

import { existsSync } from 'node:fs'
import { mkdir, open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

/** As few in memory as possible: searches across owners use the index on disk. */
const env = { DEPOSIT_SEARCH_MEMORY: '1000' }

/** Total of an administrator's search. */
async function total(daemon: TestDaemon, q: string, name = 'root'): Promise<number> {
  const { hits } = await daemon.as(name, { admin: true }).search(`q=${encodeURIComponent(q)}`)
  return hits.total
}

describe('a daemon with more deposits than it keeps in memory', () => {
  it('finds each change in the next request', async () => {
    await using folder = await temporaryFolder()
    await using daemon = await testDaemon({ env, home: folder.path })
    for (const name of ['ada', 'bob', 'eve']) await daemon.as(name).createDraft({ title: 'Tides' })
    await total(daemon, 'tides')
    await expect.poll(() => existsSync(join(folder.path, 'search', 'deposits.db'))).toBe(true)
    for (let count = 0; count < 20; count += 1) {
      const made = await daemon.as('ada').createDraft({ title: `Currents c${count}` })
      expect(await total(daemon, `c${count}`)).toBe(1)
      if (count % 2) await daemon.as('ada').delete(`/deposits/${made.id}`)
      else await daemon.as('ada').post(`/deposits/${made.id}/actions/publish`)
      expect(await total(daemon, `c${count}`)).toBe(count % 2 ? 0 : 1)
      expect(await total(daemon, `c${count} AND _deposit.status:published`)).toBe(count % 2 ? 0 : 1)
    }
    expect(await total(daemon, 'tides OR currents')).toBe(13)
    expect((await daemon.as('bob').search('q=currents')).hits.total).toBe(0)
  })

  it('finds the same after a restart and after reindex, and keeps its index', async () => {
    await using folder = await temporaryFolder()
    for (const time of [1, 2]) {
      await using daemon = await testDaemon({ env, home: folder.path })
      for (const name of ['ada', 'bob']) {
        await daemon.as(name + time).createDraft({ title: 'Tides' })
      }
      expect(await total(daemon, 'tides', `root${time}`)).toBe(2 * time)
      expect((await runDepositd(daemon.home, ['reindex'])).status).toBe(0)
      expect(await total(daemon, 'tides', `root${time}`)).toBe(2 * time)
    }
    expect(existsSync(join(folder.path, 'search', 'deposits.db'))).toBe(true)
  })

  it('reports whether its index on disk is up to date', async () => {
    await using folder = await temporaryFolder()
    const ready = async (daemon: TestDaemon): Promise<string | undefined> => {
      const { bytes } = await daemon.visitor.get(`${daemon.origin}/metrics`)
      return /^deposit_search_ready (\d)$/m.exec(bytes.toString())?.[1]
    }
    {
      await using daemon = await testDaemon({ env, home: folder.path })
      for (const name of ['ada', 'bob', 'eve']) await daemon.as(name).createDraft()
      await total(daemon, 'tides')
      await expect.poll(() => ready(daemon)).toBe('1')
    }
    const index = join(folder.path, 'search', 'deposits.db')
    await rm(index)
    await mkdir(index)
    await using daemon = await testDaemon({ env, home: folder.path })
    await expect.poll(() => ready(daemon)).toBe('0')
  })

  const damages: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    removed: (path) => rm(path),
    emptied: (path) => truncate(path, 0),
    'cut short': async (path) => truncate(path, Math.floor((await stat(path)).size / 2)),
    'overwritten at its beginning': (path) => overwrite(path, 0),
    'overwritten in its middle': async (path) => {
      for (let page = 1; page * 4096 < (await stat(path)).size; page += 1) {
        await overwrite(path, page * 4096 + 8)
      }
    },
  }

  it.for(Object.entries(damages))(
    'finds the same after its index was %s while it was stopped, and accepts every change',
    async ([, damage]) => {
      await using folder = await temporaryFolder()
      {
        await using daemon = await testDaemon({ env, home: folder.path })
        for (const name of ['ada', 'bob', 'eve'])
          await daemon.as(name).createDraft({ title: 'Tides' })
        expect(await total(daemon, 'tides')).toBe(3)
        expect((await runDepositd(daemon.home, ['reindex'])).status).toBe(0)
      }
      await damage(join(folder.path, 'search', 'deposits.db'))

      await using daemon = await testDaemon({ env, home: folder.path })

      const { id } = await daemon.as('dora').createDraft({ title: 'Tides again' })
      expect(await total(daemon, 'tides', 'root2')).toBe(4)
      await daemon.as('dora').delete(`/deposits/${id}`)
      expect((await runDepositd(daemon.home, ['reindex'])).status).toBe(0)
      expect(await total(daemon, 'tides', 'root2')).toBe(3)
    },
  )
})

async function overwrite(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+')
  await file.write(Buffer.alloc(1000, 'garbage'), 0, 1000, at)
}

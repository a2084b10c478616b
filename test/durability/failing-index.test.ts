import { expect, it } from 'vitest'
import { inject, injectionObstacle, threadsOf } from '../faults/calls/injection.ts'
import { unless } from '../faults/obstacle.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** As few documents in memory as possible: all others are in an index on disk. */
const env = { DEPOSIT_SEARCH_MEMORY: '1000', DEPOSIT_LOG_LEVEL: 'silent' }

const cannotInject = unless('an index whose disk fails', injectionObstacle())

/** The metrics of the index on disk. */
async function isReady({ origin }: LastingDaemon): Promise<boolean> {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  return /^deposit_search_ready 1$/m.test(metrics)
}

/** Makes every write of the index threads fail until it is disposed of. */
async function failIndex({ pid }: LastingDaemon, error: string): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const threads = (await threadsOf(pid())).filter(({ name }) => name.startsWith('search'))
  expect(threads).not.toEqual([])
  for (const thread of threads) {
    const folder = stack.use(await temporaryFolder()).path
    const fault = { call: 'pwrite64', effect: `error=${error}`, at: 1, lasts: true }
    const injection = await inject(thread, fault, folder)
    stack.defer(async () => void (await injection.end()))
  }
  return stack.move()
}

/** Counts of the owner's deposits, and of records, that have the word. */
async function found({ owner }: LastingDaemon, word: string): Promise<readonly number[]> {
  const records = await owner.get(`/records/?q=${word}`)
  const { hits } = records.body as { readonly hits: { readonly total: number } }
  return [(await owner.search(`q=${word}`)).hits.total, hits.total]
}

it.skipIf(cannotInject).for(['EIO', 'ENOSPC'])(
  'an index that cannot be written (%s) fails no change, and every change is found',
  async (error) => {
    await using daemon = await lastingDaemon({ env })
    const { owner } = daemon
    for (const title of ['One', 'Two', 'Three', 'Four']) {
      await owner.publish(await owner.createDraft({ title }))
    }
    expect(await found(daemon, 'one')).toEqual([1, 1])
    await expect.poll(() => isReady(daemon)).toBe(true)
    const before = await owner.createDraft({ title: 'Before' })
    {
      await using _ = await failIndex(daemon, error)
      // The first change meets the failure, the others an abandoned index.
      await owner.createDraft({ title: 'Failure first' })
      await expect.poll(() => isReady(daemon)).toBe(false)
      expect((await owner.put(`/deposits/${before.id}`, { title: 'Failure' })).status).toBe(200)
      expect((await owner.upload(before, 'a')).status).toBe(201)
      const published = await owner.createPublished({ title: 'Failure published' })
      expect((await owner.act(published, 'edit')).status).toBe(201)
      const gone = await owner.createDraft({ title: 'Failure gone' })
      expect((await owner.delete(`/deposits/${gone.id}`)).status).toBe(204)
      expect(await found(daemon, 'failure')).toEqual([3, 1])
    }
    expect((await fetch(`${daemon.origin}/ready`)).status).toBe(200)
    expect(await found(daemon, 'failure')).toEqual([3, 1])

    await daemon.kill()
    await daemon.start()
    await expect.poll(() => isReady(daemon)).toBe(true)
    expect(await found(daemon, 'failure')).toEqual([3, 1])
    expect(await found(daemon, 'before')).toEqual([0, 0])
  },
)

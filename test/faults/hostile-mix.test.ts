import { expect, it } from 'vitest'
import { mix } from './clients/hostile-mix.ts'

it('answers new clients while others send costly requests', async () => {
  const few = { drafts: 8, revisions: 4, owners: 1, documents: 1, searchers: 2, merges: 1 }
  const { outcome, peakMiB } = await mix({ seed: 20, say: () => {} }, few, 2000)

  expect(outcome.failures).toEqual([])
  expect(peakMiB).toBeLessThan(750)
})

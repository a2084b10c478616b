import { describe, expect, it } from 'vitest'
import { KnownRows } from '../../core/adapters/database/known-rows.ts'
import { sampleDraft } from '../support/rows.ts'

/** Characters of documents. */
const bounds = { longest: 8 * 1024, total: 10_000 }

describe('cached rows', () => {
  it('are one object while reads see the same rows, and are read again afterwards', async () => {
    let view = {}
    const known = new KnownRows(() => view, bounds)
    const draft = sampleDraft()
    const read = async () => ({ item: { ...draft }, length: 2 })
    const first = await known.get(draft.id, read)
    const again = await known.get(draft.id, read)
    view = {}
    const anew = await known.get(draft.id, read)

    expect(again).toBe(first)
    expect(anew).toEqual(first)
    expect(anew).not.toBe(first)
  })

  it('are not cached when something changed while they were read', async () => {
    let view = {}
    const known = new KnownRows(() => view, bounds)
    const draft = sampleDraft()
    const before = { ...draft, revision: 1 }
    const torn = await known.get(draft.id, async () => {
      view = {}
      // Another reader reads the present row in between.
      await known.get(sampleDraft().id, async () => undefined)
      return { item: before, length: 2 }
    })
    const after = await known.get(draft.id, async () => ({ item: draft, length: 2 }))

    expect(torn).toBe(before)
    expect(after).toBe(draft)
  })

  it('are not cached when their documents are large, or when there is no row', async () => {
    const view = {}
    const known = new KnownRows(() => view, bounds)
    const draft = sampleDraft()
    let reads = 0
    const read = (length: number) => async () => {
      reads += 1
      return { item: draft, length }
    }
    expect(await known.get(draft.id, async () => undefined)).toBeUndefined()
    await known.get(draft.id, read(100_000))
    await known.get(draft.id, read(100_000))
    expect(reads).toBe(2)
  })

  it('stay within their bounds', async () => {
    const view = {}
    const known = new KnownRows(() => view, bounds)
    let reads = 0
    const read = async () => {
      reads += 1
      return { item: {}, length: 4000 }
    }
    for (const name of ['a', 'b', 'b', 'c', 'c', 'a', 'a']) await known.get(name, read)

    // The third did not fit beside the others, which were read again.
    expect(reads).toBe(4)
  })
})

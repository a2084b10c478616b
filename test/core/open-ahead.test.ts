import { describe, expect, it } from 'vitest'
import { openAhead } from '../../core/packages/open-ahead.ts'

const KiB = 1024

/** Parts of these sizes, and what happened to each, in order. */
function partsOf(sizes: readonly number[], broken?: number) {
  const events: string[] = []
  const parts = openAhead({
    first: 0,
    end: sizes.length,
    sizeOf: (index) => sizes[index] ?? 0,
    open: async (index) => {
      events.push(`open ${index}`)
      if (index === broken) throw new Error('broken')
      return index
    },
    close: (index) => void events.push(`close ${index}`),
  })
  return { events, parts }
}

async function toArray<Part>(parts: AsyncIterable<Part>): Promise<readonly Part[]> {
  const all: Part[] = []
  for await (const part of parts) all.push(part)
  return all
}

describe('parts that are opened ahead', () => {
  it('are used in their order', async () => {
    const { parts } = partsOf([0, 300 * KiB, 2 ** 40, 1, 600 * KiB, 300 * KiB])
    expect(await toArray(parts)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('are at most eight, of at most 512 KiB', async () => {
    for (const [sizes, count] of [
      [Array.from({ length: 20 }, () => 0), 8],
      [Array.from({ length: 20 }, () => 200 * KiB), 2],
      [[600 * KiB, 0, 0], 1],
      [[1, 2 ** 40, 0], 1],
    ] as const) {
      const { events, parts } = partsOf(sizes)
      await parts[Symbol.asyncIterator]().next()
      expect(events.filter((event) => event.startsWith('open'))).toHaveLength(count)
    }
  })

  it('are closed where they are not used', async () => {
    const { events, parts } = partsOf([1, 1, 1, 1], 2)
    for await (const index of parts) if (index === 1) break
    await Promise.resolve()
    expect(events.filter((event) => event.startsWith('close'))).toEqual(['close 1', 'close 3'])
  })

  it('fail in their turn', async () => {
    const { parts } = partsOf([1, 1, 1, 1], 2)
    const used: number[] = []
    const reading = async (): Promise<void> => {
      for await (const index of parts) used.push(index)
    }

    await expect(reading()).rejects.toThrow('broken')
    expect(used).toEqual([0, 1])
  })
})

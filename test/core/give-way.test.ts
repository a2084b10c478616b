import { expect, it } from 'vitest'
import { giveWay } from '../../core/base/turns.ts'

/** Blocks the event loop. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('runs pieces of work in their order, and lets timers run between them', async () => {
  const order: number[] = []
  let turns = 0
  const count = setInterval(() => (turns += 1), 0)
  const pieces = Array.from({ length: 40 }, async (_, index) => {
    await giveWay()
    order.push(index)
    work(5)
  })
  await Promise.all(pieces)
  clearInterval(count)

  expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index))
  expect(turns).toBeGreaterThan(15)
})

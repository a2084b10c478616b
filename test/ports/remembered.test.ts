import { expect, it } from 'vitest'
import { Remembered } from '../../core/adapters/database/remembered.ts'

it('what is remembered is read once, until something is changed', async () => {
  let reads = 0
  const remembered = new Remembered(async () => (reads += 1))

  expect([await remembered.get(), await remembered.get()]).toEqual([1, 1])
  remembered.changed()
  expect([await remembered.get(), await remembered.get()]).toEqual([2, 2])
})

it('what was changed while it was read is read again', async () => {
  const gate = Promise.withResolvers<string>()
  const answers = [gate.promise, Promise.resolve('new')]
  const remembered = new Remembered(async () => answers.shift())
  const early = remembered.get()
  remembered.changed()
  gate.resolve('old')

  expect(await early).toBe('old')
  expect(await remembered.get()).toBe('new')
})

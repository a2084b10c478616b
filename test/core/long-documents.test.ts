import { expect, it, vi } from 'vitest'
import { giveWay } from '../../core/base/turns.ts'
import { parseInTurn, withDocument } from '../../core/deposit/document.ts'

const KiB = 1024

/** A document long enough to be parsed only on demand. */
function longText(name: string, kilobytes = 100): string {
  return JSON.stringify({ name, description: 'x'.repeat(kilobytes * KiB) })
}

function read(name: string, kilobytes?: number) {
  return withDocument({ name }, longText(name, kilobytes), `digest of ${name}`)
}

it('parses a long document once for all readers of the same text', () => {
  const first = read('shared').metadata

  expect(read('shared').metadata).toBe(first)
  expect(read('another').metadata).not.toBe(first)
})

it('keeps only a few megabytes of text parsed', () => {
  const first = read('first of many', 700).metadata
  for (const name of ['second', 'third', 'fourth']) void read(name, 700).metadata

  expect(read('first of many', 700).metadata).not.toBe(first)
  expect(read('first of many', 700).metadata).toEqual(first)
  const large = read('large', 3000).metadata
  expect(read('large', 3000).metadata).not.toBe(large)
})

it('runs a short piece of work before the long documents that wait', async () => {
  const parse = vi.spyOn(JSON, 'parse')
  const count = 40
  const items = Array.from({ length: count }, (_, index) => read(`waiting ${index}`))
  const all = Promise.all(items.map(parseInTurn))
  await giveWay()
  const before = parse.mock.calls.length
  await all

  expect(before).toBeLessThan(count / 2)
  expect(parse.mock.calls).toHaveLength(count)
  parse.mockRestore()
})

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { guards } from './guards.ts'
import { readResults, toMarkdown } from './results.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('the guards that are switched off one at a time', () => {
  it.each(guards)('has "$name" once in $file', ({ file, text }) => {
    expect(read(file).split(text)).toHaveLength(2)
  })

  it('name tests that exist, and have a name of their own', () => {
    const tests = guards.flatMap((guard) => guard.tests)

    expect(tests.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual(
      [],
    )
    expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length)
  })
})

describe('RESULTS.md', () => {
  it('is what the kept results come to', () => {
    expect(read('test/mutation/RESULTS.md')).toBe(toMarkdown(readResults()))
  })

  it('has no guard that was tried and that no test holds', () => {
    const survivors = Object.entries(readResults()).filter(([, { killedBy }]) => !killedBy)

    expect(survivors.map(([name]) => name)).toEqual([])
  })
})

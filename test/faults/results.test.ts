import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nightly } from './experiments.ts'
import { pagesOf, readResults } from './results.ts'

describe('the results that are kept', () => {
  it('are the ones that RESULTS.md and the README show', async () => {
    for (const [path, text] of Object.entries(await pagesOf(await readResults()))) {
      expect(await readFile(path, 'utf8'), basename(path)).toBe(text)
    }
  })

  it('include every experiment that runs every night, and each of them held', async () => {
    const results = await readResults()
    const held = nightly.filter(({ name }) => results[name]?.failures.length === 0)

    expect(held.map(({ name }) => name)).toEqual(nightly.map(({ name }) => name))
  })
})

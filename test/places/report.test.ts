import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { readResults as readExperiments } from '../faults/results.ts'
import { markdown, readResults, toMarkdown } from './report.ts'

it('the report has the results of the runs', async () => {
  const [results, experiments] = [await readResults(), await readExperiments()]

  expect(Object.keys(results)).not.toEqual([])
  expect(await readFile(markdown, 'utf8')).toBe(toMarkdown(results, experiments))
})

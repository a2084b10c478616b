import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { curves } from './curves.ts'
import { drawChart } from './growth/chart.ts'
import { toReport } from './report.ts'
import { pathOf, readResults, withRow, type Results, type Row } from './results.ts'
import { measurements } from './targets.ts'

const results = await readResults()
const text = (name: string): Promise<string> => readFile(pathOf(name), 'utf8')

describe('the results that are kept', () => {
  it('are the same for people and for machines', async () => {
    expect(await text('RESULTS.md')).toBe(toReport(results))
  })

  it('have a row for each target and a picture of each curve, and no others', async () => {
    const ids = measurements.flatMap(({ targets }) => targets.map(({ id }) => id))

    expect(Object.keys(results.targets).toSorted()).toEqual(ids.toSorted())
    expect(Object.keys(results.growth).toSorted()).toEqual(curves.map(({ id }) => id).toSorted())
  })

  it.for(Object.entries(results.growth))('draw the measured curve %s', async ([id, curve]) => {
    expect(await text(`growth-${id}.svg`)).toBe(drawChart(curve))
  })
})

describe('a run', () => {
  const whole = rowOf({ isQuick: false, value: 1 })
  const kept = (before: Row, now: Row): Row | undefined =>
    withRow(withRow(none, before), now).targets['P1']

  it('replaces the last one', () => {
    const next = rowOf({ isQuick: false, value: 2 })
    expect(kept(whole, next)).toBe(next)
  })

  it('reports its failures, whether or not there were figures before', () => {
    const failed: Row = { ...whole, outcome: { reason: 'it broke', isFailure: true } }
    expect(kept(whole, failed)).toBe(failed)
  })

  it('on a small scale keeps the figures of a whole one', () => {
    const quick = rowOf({ isQuick: true, value: 2 })
    expect(kept(whole, quick)).toBe(whole)
    expect(kept(quick, whole)).toBe(whole)
  })

  it('without the tools keeps the figures of one with them', () => {
    const skipped: Row = { ...whole, outcome: { reason: 'no wrk', isFailure: false } }
    expect(kept(whole, skipped)).toBe(whole)
  })
})

const none: Results = { targets: {}, growth: {} }

function rowOf({ isQuick, value }: { readonly isQuick: boolean; readonly value: number }): Row {
  return {
    id: 'P1',
    what: 'something',
    unit: 'ms',
    reach: { atMost: 1 },
    origin: { command: 'npm run bench', date: '2026-11-21', isQuick, machine: 'one' },
    outcome: { value, values: [value], measured: value, isReached: true },
  }
}

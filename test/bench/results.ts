import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { drawChart } from './growth/chart.ts'
import type { Curve } from './growth/curve.ts'
import type { Origin } from './origin.ts'
import type { Comparison } from './peers/compare.ts'
import type { PlacesCompared } from './places/compare.ts'
import { toReport } from './report.ts'
import type { Reach, Unit } from './target.ts'

/** All measurements, by the id of the target and of the curve. */
export interface Results {
  readonly targets: Readonly<Record<string, Row>>
  readonly growth: Readonly<Record<string, Curve>>
  readonly peers?: Comparison
  readonly places?: PlacesCompared
}

/** The last outcome of a target. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly against?: string
  readonly unit: Unit
  readonly reach: Reach
  readonly origin: Origin
  readonly outcome: Measured | NotMeasured
}

export interface Measured {
  /** Median of `values`, which are ratios where there is a reference. */
  readonly value: number
  /** Of each round. */
  readonly values: readonly number[]
  /** Medians of both sides. */
  readonly measured: number
  readonly reference?: number
  readonly isReached: boolean
}

/** Why there are no figures: a missing tool, or the failure. */
export interface NotMeasured {
  readonly reason: string
  readonly isFailure: boolean
}

/**
 * `results` with `row` in place of the earlier one. A row of a quick run, or of one without the
 * tools, does not replace the figures of a whole run.
 */
export function withRow(results: Results, row: Row): Results {
  const before = results.targets[row.id]
  const isSkipped = 'reason' in row.outcome && !row.outcome.isFailure
  if (before && (isSkipped || isPoorer(row, before))) return results
  return { ...results, targets: { ...results.targets, [row.id]: row } }
}

/** `results` with `curve`, as {@link withRow}. */
export function withCurve(results: Results, id: string, curve: Curve): Results {
  const before = results.growth[id]
  if (before && isPoorer(curve, before)) return results
  return { ...results, growth: { ...results.growth, [id]: curve } }
}

/** `results` with a comparison, as {@link withRow}. */
export function withPeers(results: Results, peers: Comparison): Results {
  const before = results.peers
  return before && isPoorer(peers, before) ? results : { ...results, peers }
}

/** `results` with a comparison of places, as {@link withRow}. */
export function withPlaces(results: Results, places: PlacesCompared): Results {
  const before = results.places
  return before && isPoorer(places, before) ? results : { ...results, places }
}

interface Kept {
  readonly origin: Origin
}

function isPoorer(now: Kept, before: Kept): boolean {
  return now.origin.isQuick && !before.origin.isQuick
}

export async function readResults(): Promise<Results> {
  const text = await readFile(pathOf('results.json'), 'utf8').catch(() => undefined)
  return text === undefined ? { targets: {}, growth: {} } : (JSON.parse(text) as Results)
}

/** Writes the results for machines and for people, with a picture of each curve. */
export async function writeResults(results: Results): Promise<void> {
  await writeFile(pathOf('results.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(pathOf('RESULTS.md'), toReport(results))
  for (const [id, curve] of Object.entries(results.growth)) {
    await writeFile(pathOf(`growth-${id}.svg`), drawChart(curve))
  }
}

/** A file beside this one. */
export function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

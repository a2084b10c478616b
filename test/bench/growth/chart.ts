import type { Point } from '../statistics.ts'
import { amount } from '../units.ts'
import type { Axis, Curve } from './curve.ts'

/** Pixels. */
const frame = { left: 80, right: 560, top: 48, bottom: 340, width: 800, height: 400 } as const

/** Minimum distance between two names at the ends of lines. */
const lineHeight = 16

/** Draws a curve as SVG, with logarithmic axes; it follows the reader's choice of light or dark. */
export function drawChart({ title, x, y, series }: Curve): string {
  const points = Object.values(series).flat()
  const across = logarithmic(extent(points.map((point) => point.x)), [frame.left, frame.right])
  const decades = toDecades(extent(points.map((point) => point.y)))
  const up = logarithmic(decades, [frame.bottom, frame.top])
  const at = (point: Point): Place => ({ x: across(point.x), y: up(point.y) })
  const lines = Object.entries(series).map(([name, line]) => ({ name, places: line.map(at) }))
  const amounts = [...new Set(points.map((point) => point.x))]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${escape(title)}">`,
    `<style>${style}</style>`,
    `<rect class="paper" width="${frame.width}" height="${frame.height}"/>`,
    `<text class="title" x="${frame.left}" y="26">${escape(title)}</text>`,
    ...decadesOf(decades).map((value) => horizontal(up(value), amount(value, y.unit))),
    ...amounts.map((value) => vertical(across(value), amount(value, x.unit))),
    ...axisLabels(x, y),
    ...lines.map(drawLine),
    ...drawNames(lines),
    '</svg>',
    '',
  ].join('\n')
}

interface Place {
  readonly x: number
  readonly y: number
}

interface Line {
  readonly name: string
  readonly places: readonly Place[]
}

type Range = readonly [from: number, to: number]

/** Maps values of `domain` to pixels of `range` by their logarithm. */
function logarithmic([low, high]: Range, [from, to]: Range): (value: number) => number {
  const width = Math.log(high) - Math.log(low) || 1
  return (value) => from + ((to - from) * (Math.log(value) - Math.log(low))) / width
}

function extent(values: readonly number[]): Range {
  return [Math.min(...values), Math.max(...values)]
}

/** The powers of ten around a range. */
function toDecades([low, high]: Range): Range {
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high))]
}

function decadesOf([low, high]: Range): readonly number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))]
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`))
}

function horizontal(y: number, label: string): string {
  const text = `<text class="tick" x="${frame.left - 8}" y="${px(y + 4)}" text-anchor="end">${label}</text>`
  return `<path class="grid" d="M${frame.left} ${px(y)}H${frame.right}"/>${text}`
}

function vertical(x: number, label: string): string {
  const text = `<text class="tick" x="${px(x)}" y="${frame.bottom + 18}" text-anchor="middle">${label}</text>`
  return `<path class="grid" d="M${px(x)} ${frame.top}V${frame.bottom}"/>${text}`
}

function axisLabels(x: Axis, y: Axis): readonly string[] {
  const middle = { x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2 }
  return [
    `<text class="axis" x="${middle.x}" y="${frame.bottom + 42}" text-anchor="middle">${escape(x.label)}</text>`,
    `<text class="axis" transform="translate(18 ${middle.y}) rotate(-90)" text-anchor="middle">${escape(y.label)}</text>`,
  ]
}

function drawLine({ places }: Line, index: number): string {
  const path = places.map(({ x, y }) => `${px(x)} ${px(y)}`).join('L')
  const dots = places.map(({ x, y }) => `<circle cx="${px(x)}" cy="${px(y)}" r="3"/>`)
  return `<g class="line of${index % palette.length}"><path d="M${path}"/>${dots.join('')}</g>`
}

/** The names at the ends of the lines, moved apart if they would overlap. */
function drawNames(lines: readonly Line[]): readonly string[] {
  const ends = lines.map(({ name, places }, index) => ({ name, index, y: places.at(-1)?.y ?? 0 }))
  let below = 0
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map(({ name, index, y }) => {
      below = Math.max(y, below + lineHeight)
      const place = `x="${frame.right + 10}" y="${px(below + 4)}"`
      return `<text class="name of${index % palette.length}" ${place}>${escape(name)}</text>`
    })
}

function px(value: number): string {
  return value.toFixed(1)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** Colours for light and dark backgrounds, distinct for the colour-blind, too (Okabe and Ito). */
const palette = [
  ['#0072b2', '#56b4e9'],
  ['#b34700', '#ff9d4d'],
  ['#007a5a', '#33c9a0'],
  ['#a83279', '#e08fc0'],
  ['#6b5900', '#e6cf3c'],
  ['#555555', '#bbbbbb'],
  ['#b3261e', '#ff8a80'],
] as const

const colours = (which: 0 | 1): string =>
  palette.map((pair, index) => `.of${index}{--ink:${pair[which]}}`).join('')

const style = [
  'svg{--paper:#ffffff;--text:#1f2328;--faint:#d8dee4;font:13px system-ui,sans-serif}',
  colours(0),
  `@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--text:#e6edf3;--faint:#30363d}${colours(1)}}`,
  '.paper{fill:var(--paper)}text{fill:var(--text)}.title{font-size:15px;font-weight:600}',
  '.tick{font-size:11px}.grid{stroke:var(--faint);fill:none}',
  '.line path{stroke:var(--ink);fill:none;stroke-width:2}.line circle{fill:var(--ink)}',
  'text.name{fill:var(--ink)}',
].join('')

import type { Curve } from './growth/curve.ts'
import type { Origin } from './origin.ts'
import type { Comparison } from './peers/compare.ts'
import { placesReport } from './places/report.ts'
import type { Results, Row } from './results.ts'
import { growthExponent } from './statistics.ts'
import { amount, round } from './units.ts'

const explanation = `Made by \`npm run bench\`; \`results.json\` has the same for machines. \`npm run bench -- P3\` measures one
of them again, \`-- --growth\` the curves, \`-- --quick\` all targets on a smaller scale.

Each result is the median of several rounds, with the least and the most of them in parentheses. A
ratio (×) divides what is measured by a reference that is taken in the same round on the same machine.
The daemon is the real one with its settings as they come: sign-in, permissions, validation, digests,
every answer after its sync; only its log is of warnings alone. All goes through HTTP or whole
commands, but for the homes with many deposits: \`seed.ts\` writes the rows that requests would write,
since a million requests take long.`

/** The report for people. */
export function toReport({ targets, growth, peers, places }: Results): string {
  const [rows, curves] = [Object.values(targets).toSorted(byId), Object.entries(growth)]
  return [
    '# How fast it is',
    '',
    explanation,
    '',
    '| # | what is measured | divided by | medians | result | to reach | reached |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`),
    '',
    '## How it grows',
    '',
    'The exponent is the power of the amount that the cost grows with: 0 is no growth, 1 is in',
    'proportion. It is fitted to the upper half of the points; below, what every request costs hides it.',
    '',
    ...curves.map(([id, { title }]) => `![${title}](growth-${id}.svg)\n`),
    '| cost | from | to | exponent |',
    '|---|---|---|---|',
    ...curves.flatMap(([, curve]) => growthRows(curve)),
    '',
    ...(peers ? beside(peers) : []),
    ...(places ? placesReport(places) : []),
    '## Where and when',
    '',
    ...madeBy([
      ...Object.entries(targets),
      ...curves,
      ...(peers ? [['beside others', peers] as const] : []),
      ...(places ? [['in other places', places] as const] : []),
    ]),
    '',
  ].join('\n')
}

/** P2 before P10. */
function byId(one: Row, other: Row): number {
  return one.id.localeCompare(other.id, 'en', { numeric: true })
}

/** A row on one line, for the terminal. */
export function describeRow(row: Row): string {
  const [id, what, against, medians, result, goal, reached] = cellsOf(row)
  if ('reason' in row.outcome) {
    return `${row.outcome.isFailure ? 'FAILED' : 'SKIPPED'} ${id} ${what}: ${row.outcome.reason}`
  }
  const ratio = against === '' ? what : `${what} ÷ ${against}`
  return `${id} ${ratio}: ${result}, to reach ${goal}: ${reached} (${medians})`
}

function cellsOf({ id, what, against = '', unit, reach, outcome }: Row): readonly string[] {
  const [sign, bound] = 'atMost' in reach ? ['≤', reach.atMost] : ['≥', reach.atLeast]
  const of = against === '' ? unit : '×'
  const goal = `${sign} ${bound} ${of}`
  if ('reason' in outcome) {
    const said = outcome.isFailure ? '**failed**' : 'not measured'
    return [id, what, against, '', `${said}: ${oneLine(outcome.reason)}`, goal, '']
  }
  const { value, values, measured, reference, isReached } = outcome
  const [least, most] = [round(Math.min(...values)), round(Math.max(...values))]
  const spread = values.length > 1 ? `(${least}–${most}) ` : ''
  const divided = reference === undefined ? '' : ` ÷ ${amount(reference, unit)}`
  const medians = `${amount(measured, unit)}${divided}`
  const result = `${round(value)} ${spread}${of}`
  return [id, what, against, medians, result, goal, isReached ? 'yes' : '**no**']
}

/** The part of a message that fits into a table. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '/').slice(0, 200)
}

function growthRows({ x, y, series }: Curve): readonly string[] {
  return Object.entries(series).map(([name, points]) => {
    const [first, last] = [points[0], points.at(-1)]
    const at = (point: typeof first): string =>
      point ? `${amount(point.y, y.unit)} at ${amount(point.x, x.unit)}` : ''
    const exponent = growthExponent(points)
    return `| ${name} | ${at(first)} | ${at(last)} | ${exponent.toFixed(2)} |`
  })
}

/** A row for each program that does the same. */
function beside({ works, peers }: Comparison): readonly string[] {
  const rows = peers.map(({ name, says, figures, obstacle }) => {
    const cells = works.map(({ id, unit }) => {
      const figure = figures[id]
      return figure === undefined ? (obstacle ?? '') : amount(figure, unit)
    })
    return `| ${[name, ...cells, says].join(' | ')} |`
  })
  return [
    '## Beside others',
    '',
    'One after another on the same machine, each as it comes: most answer before anything is safe.',
    'Medians of several rounds, of fewer where those take more than a minute.',
    '',
    `| program | ${works.map(({ what }) => what).join(' | ')} | before it answers |`,
    `|---|${works.map(() => '---|').join('')}---|`,
    ...rows,
    '',
  ]
}

/** A line for each command and machine, with its results. */
function madeBy(
  made: readonly (readonly [string, { readonly origin: Origin }])[],
): readonly string[] {
  const byOrigin = Map.groupBy(made, ([, { origin }]) => describe(origin))
  return [...byOrigin].map(
    ([origin, items]) => `- ${origin}: ${items.map(([id]) => id).join(', ')}`,
  )
}

function describe({ command, date, machine }: Origin): string {
  return `\`${command}\`, ${date}, ${machine}`
}

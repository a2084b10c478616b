import { round } from '../units.ts'
import type { PlaceFigure, PlacesCompared } from './compare.ts'

/** Tables of the rates, and of the processor time behind them. */
export function placesReport({ works, fleets }: PlacesCompared): readonly string[] {
  const [reference] = fleets
  const rateOf = ({ rate }: PlaceFigure, id: string, unit: string): string => {
    const ratio = rate / (reference?.figures[id]?.rate ?? rate)
    return `${round(rate)} ${unit}${ratio === 1 ? '' : ` (${round(ratio)} ×)`}`
  }
  const timeOf = ({ times: { daemons, database, store } }: PlaceFigure): string =>
    [daemons, database, store].map((time) => (time < 0 ? '–' : round(time))).join(' + ')
  const table = (cell: (figure: PlaceFigure, id: string, unit: string) => string) => [
    `| rows and bytes in | ${works.map(({ what }) => what).join(' | ')} |`,
    `|---|${works.map(() => '---|').join('')}`,
    ...fleets.map(({ name, figures }) => {
      const cells = works.map(({ id, unit }) => {
        const figure = figures[id]
        return figure === undefined ? '' : cell(figure, id, unit)
      })
      return `| ${[name, ...cells].join(' | ')} |`
    }),
    '',
  ]
  return [
    '## In other places, and by several daemons',
    '',
    'The same work, on 32 connections that are shared out among the daemons, one place after another;',
    'all servers and clients share the processors of one machine. In parentheses, divided by the first.',
    'PostgreSQL syncs its commits; the S3 server is OpenStack Swift in one process.',
    '',
    ...table(rateOf),
    'What one of them, or one MiB, takes of the processors, in milliseconds: the daemons + PostgreSQL +',
    'the S3 server. Where they come to the time that there is, more processors give more.',
    '',
    ...table(timeOf),
  ]
}

import type { Streams } from './streams.ts'

interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Shrinks on a narrow terminal. */
  readonly isFlexible?: true
}

/** Between two columns. */
const gap = 2

/** Minimum width of a flexible column. */
const leastWidth = 12

/**
 * Rows under titles, as wide as the terminal; for a pipe, the rows alone with tabs between.
 */
export async function formatTable(
  streams: Streams,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<readonly string[]> {
  if (!streams.isOutTerminal) return rows.map((row) => row.join('\t'))
  const { default: Table } = await import('cli-table3')
  const table = new Table({
    head: columns.map(({ title }) => title),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: await fitWidths(streams.columns, columns, rows),
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': gap, head: streams.hasColor ? ['bold'] : [] },
  })
  table.push(...rows.map((row) => [...row]))
  const lines = table.toString().split('\n')
  // A blank in the last column makes some terminals begin another line.
  return lines.map((line) => line.trimEnd())
}

const noBorders = Object.fromEntries(
  (
    'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid ' +
    'mid mid-mid right right-mid middle'
  )
    .split(' ')
    .map((place) => [place, '']),
)

/** Texts beside each other under their titles, each wrapped to its share of `columns`. */
export async function formatBeside(
  columns: number,
  texts: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { default: Table } = await import('cli-table3')
  const titles = Object.keys(texts)
  const width = Math.max(leastWidth, Math.floor((columns - gap) / titles.length))
  const words = Object.values(texts).flatMap((text) => text.split(' '))
  const table = new Table({
    head: ['', ...titles],
    colWidths: [gap, ...titles.map(() => width)],
    wordWrap: true,
    // A longer word would be cut.
    wrapOnWordBoundary: words.every(({ length }) => length <= width - gap),
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': gap, head: [] },
  })
  table.push(['', ...Object.values(texts)])
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd())
}

async function fitWidths(
  available: number,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<number[]> {
  const { default: stringWidth } = await import('string-width')
  const natural = columns.map(
    ({ title }, at) =>
      gap +
      Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map((text) => stringWidth(text))),
  )
  const excess = natural.reduce((sum, width) => sum + width, 0) - available
  if (excess <= 0) return natural
  return natural.map((width, at) =>
    columns[at]?.isFlexible ? Math.max(leastWidth, width - excess) : width,
  )
}

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Origin } from '../origin.ts'
import { median, percentile } from '../statistics.ts'
import { thousands } from '../units.ts'
import type { Plan } from './plans.ts'
import { filesEach } from './rows.ts'

/** Times of one operation at both sizes in milliseconds, and its plan at the larger size. */
export interface Compared {
  readonly what: string
  readonly fewer: readonly number[]
  readonly many: readonly number[]
  readonly plan: Plan | undefined
}

/** The size of a table on the disk at both sizes, with its indexes, in bytes. */
export interface TableSize {
  readonly name: string
  readonly fewer: number
  readonly many: number
  /** The share of indexes in `many`. */
  readonly indexes: number
}

export interface Report {
  readonly sizes: readonly [fewer: number, many: number]
  readonly origin: Origin
  readonly compared: readonly Compared[]
  readonly tables: readonly TableSize[]
}

const markdown = fileURLToPath(new URL('RESULTS.md', import.meta.url))

export async function keepReport(report: Report): Promise<void> {
  await writeFile(markdown, toMarkdown(report))
}

function toMarkdown({ sizes: [fewer, many], origin, compared, tables }: Report): string {
  return [
    `# ${thousands(many)} deposits in PostgreSQL`,
    '',
    `Made by \`${origin.command}\`: ${origin.date}, ${origin.machine}.`,
    'Both sizes were measured in turns in one run, through HTTP, a request at a time; each deposit has',
    `${filesEach} files, half of them are published, and the user who is measured with has 1,000. PostgreSQL`,
    'syncs its commits.',
    '',
    `| what | ${thousands(fewer)}, median (p90) | ${thousands(many)}, median (p90) | ratio of medians |`,
    '|---|---|---|---|',
    ...compared.map(rowOf),
    '',
    'What grows of these: a list counts what there is by its status, so that of an administrator goes',
    'through an index of all deposits (its ten rows it reads from the beginning of another). A search ranks',
    'and counts all that it finds, and there is more to find. Words with faults (`word~`), ranges, and the',
    'list of all records, which is counted as well, were not measured.',
    '',
    'On the disk, with indexes:',
    '',
    `| table | ${thousands(fewer)} | ${thousands(many)} | of that indexes |`,
    '|---|---|---|---|',
    ...tables.map(
      (table) =>
        `| \`${table.name}\` | ${toMb(table.fewer)} | ${toMb(table.many)} | ${toMb(table.indexes)} |`,
    ),
    '',
    `The statement of each that took longest at ${thousands(many)}, as \`auto_explain\` told it:`,
    '',
    ...compared.flatMap(planOf),
  ].join('\n')
}

function rowOf({ what, fewer, many }: Compared): string {
  const ratio = median(many) / median(fewer)
  return `| ${what} | ${told(fewer)} | ${told(many)} | ${ratio.toFixed(2)} × |`
}

function told(times: readonly number[]): string {
  return `${median(times).toFixed(1)} ms (${percentile(times, 0.9).toFixed(1)})`
}

function toMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** Shortens long texts in a statement, which do not help to read its plan. */
function planOf({ what, plan }: Compared): readonly string[] {
  if (!plan) return []
  const lines = plan.lines.map((line) => (line.length > 160 ? `${line.slice(0, 157)}…` : line))
  return [`## ${what}: ${plan.milliseconds} ms`, '', '```', ...lines, '```', '']
}

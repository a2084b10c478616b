import { setImmediate } from 'node:timers/promises'
import type { Client } from 'pg'

/** Settings that make the server log each statement with its plan, as one JSON text. */
export const explaining = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
} as const

/** A step of a plan, in the words of `EXPLAIN (FORMAT JSON)`. */
export interface Step {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly Step[]
}

/** A statement and how it was run. */
export interface Planned {
  readonly sql: string
  readonly plan: Step
}

const heading = /LOG: {2}duration: [\d.]+ ms {2}plan:$/

/** Reads the log of a server that is {@link explaining}. */
export class PlanLog {
  #statements: Planned[] = []
  #lines: string[] = []

  /** The lines of an entry follow its heading, each behind a tab. */
  readonly heard = (line: string): void => {
    if (heading.test(line)) this.#lines = []
    else this.#lines.push(line)
    if (line === '\t}') this.#statements.push(parse(this.#lines.join('\n')))
  }

  /** The statements since the last call, each once: a statement is logged before it is answered. */
  async take(client: Client): Promise<readonly Planned[]> {
    const mark = `SELECT '${this.#statements.length} statements'`
    await client.query(mark)
    while (this.#statements.at(-1)?.sql !== mark) await setImmediate()
    const taken = this.#statements.slice(0, -1)
    this.#statements = []
    return [...new Map(taken.map((each) => [each.sql, each])).values()]
  }
}

function parse(entry: string): Planned {
  const { 'Query Text': sql, Plan: plan } = JSON.parse(entry) as Entry
  return { sql, plan }
}

interface Entry {
  readonly 'Query Text': string
  readonly Plan: Step
}

/** Columns with the same value in most rows: a lookup by these alone reads nearly all rows. */
const flags = new Set(['latest', 'status', 'pid_type', 'kind', 'char_length(word)'])

/** Steps that read all of their input before they return the first row. */
const gathering = new Set(['Aggregate', 'Bitmap Heap Scan', 'Hash', 'Sort'])

/**
 * The steps of a plan whose cost grows with the stored rows: sorts, scans of a table, and scans of
 * an index without a lookup. Reading the first rows of an index is none of these.
 *
 * @param columns the columns of each index in their order, or the expressions in place of columns
 */
export function growthOf(
  plan: Step,
  columns: ReadonlyMap<string, readonly string[]>,
  takesFirst = false,
): readonly string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = plan
  const first = type === 'Limit' || (takesFirst && !gathering.has(type))
  const below = (plan.Plans ?? []).flatMap((step) => growthOf(step, columns, first))
  if (type === 'Seq Scan') return [...below, `walks through ${table}`]
  if (type === 'Sort') return [...below, 'sorts']
  if (index === undefined || looksUp(plan, columns.get(index) ?? [])) return below
  return takesFirst && plan.Filter === undefined ? below : [...below, `walks through ${index}`]
}

/** Whether the first column is looked up, or read up to a value, and some column narrows. */
function looksUp({ 'Index Cond': condition = '' }: Step, columns: readonly string[]): boolean {
  const names = (column: string, operator = '') =>
    bare(` ${condition}`).includes(bare(` ${column} ${operator}`))
  const [first = ''] = columns
  return (
    ['= ', '< ', '@> ', '@@ '].some((operator) => names(first, operator)) &&
    columns.some((column) => !flags.has(column) && names(column))
  )
}

/** Conditions and definitions of indexes have other parentheses, and quote other names. */
function bare(sql: string): string {
  return sql.replace(/[()"]/g, '')
}

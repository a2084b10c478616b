import type { CompiledQuery } from 'kysely'
import { blindChange, isSure } from '../database/prepared.ts'

/** Texts of merged statements that are remembered, at most. */
const mostKnown = 500

/** A text by the texts of which it is made, one after the other. */
interface Made {
  text?: string
  readonly next: Map<string, Made>
}

const made: Made = { next: new Map() }
let known = 0

/**
 * Makes as few statements of changes as can be, in their order: each takes as many messages, and as
 * much work of the server beside the change itself. Changes of different tables share a statement,
 * which is as if they were made at the same time.
 */
export function mergeChanges(changes: readonly CompiledQuery[]): readonly CompiledQuery[] {
  const merged: CompiledQuery[] = []
  let group: CompiledQuery[] = []
  const tables = new Set<string>()
  for (const change of changes) {
    const table = tableOf(change.sql)
    if (table === undefined || tables.has(table)) {
      if (group.length > 0) merged.push(mergeGroup(group))
      group = []
      tables.clear()
    }
    if (table === undefined) merged.push(change)
    else {
      group.push(change)
      tables.add(table)
    }
  }
  if (group.length > 0) merged.push(mergeGroup(group))
  return merged
}

/** The one table that a statement changes; undefined where it is not of that form. */
function tableOf(text: string): string | undefined {
  return /^(?:insert into|delete from|update) "?(\w+)"?/i.exec(text)?.[1]
}

function mergeGroup(group: readonly CompiledQuery[]): CompiledQuery {
  const [first] = group
  if (first && group.length === 1 && !isSure(first)) return first
  return blindChange(
    findText(group),
    group.flatMap(({ parameters }) => parameters),
  )
}

function findText(group: readonly CompiledQuery[]): string {
  let place: Made | undefined = made
  for (const { sql } of group) {
    const next: Made | undefined = place.next.get(sql)
    if (!next && known >= mostKnown) return mergeTexts(group)
    if (!next) known += 1
    const found: Made = next ?? { next: new Map() }
    place.next.set(sql, found)
    place = found
  }
  return (place.text ??= mergeTexts(group))
}

function mergeTexts(group: readonly CompiledQuery[]): string {
  let before = 0
  const parts = group.map((change) => {
    const { sql, parameters } = change
    const first = before
    before += parameters.length
    const text = sql.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + first}`)
    return isSure(change) ? `${text} returning 1` : text
  })
  const sure = group.flatMap((change, at) => (isSure(change) ? [at] : []))
  // Fails with a division by zero where one of those has changed no row.
  const demands = sure.map((at) => `1 / (select count(*) from c${at})`)
  const last = demands.length > 0 ? `select ${demands.join(', ')}` : (parts.pop() ?? '')
  return `with ${parts.map((part, at) => `c${at} as (${part})`).join(', ')} ${last}`
}

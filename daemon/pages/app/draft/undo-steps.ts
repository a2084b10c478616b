import type { HistoryBody } from '../../../../core/contract/history.ts'

/**
 * The next step back. An undo that is undone brings back what it took away: so behind undos the
 * change is found whose state is shown now, and the step leads to the state before it.
 *
 * @param changes newest first
 * @returns the body of the action; undefined where nothing is left to undo
 */
export function findStep(changes: HistoryBody): { readonly to?: number } | undefined {
  const [last] = changes
  if (!last) return undefined
  if (last.to === undefined) return {}
  const known = new Map(changes.map((change) => [change.n, change]))
  let shown = known.get(last.to)
  while (shown?.to !== undefined) shown = known.get(shown.to)
  return shown && { to: shown.n - 1 }
}

import { useEffect, useRef } from 'preact/hooks'
import type { UnfinishedUpload } from '../api/files.ts'

/** Milliseconds without a byte after which an upload has stopped. */
const rest = 10_000

/** Milliseconds between two looks at uploads that are under way elsewhere. */
const between = 3_000

/**
 * Ids of the uploads that another tab, browser or program is sending now.
 *
 * @param check asks for the list of uploads again
 */
export function useElsewhere(
  uploads: readonly UnfinishedUpload[],
  check: () => void,
): ReadonlySet<string> {
  const moves = useRef(new Map<string, { readonly offset: number; readonly at: number }>())
  const now = Date.now()
  for (const { id, offset, updated } of uploads) {
    const before = moves.current.get(id)
    // The clock of the service may be another one: it counts at the first look alone.
    if (!before) moves.current.set(id, { offset, at: Math.min(now, Date.parse(updated)) })
    else if (before.offset !== offset) moves.current.set(id, { offset, at: now })
  }
  const moving = uploads.filter(({ id }) => now - (moves.current.get(id)?.at ?? 0) < rest)
  const isAny = moving.length > 0
  const current = useRef(check)
  current.current = check
  useEffect(() => {
    if (!isAny) return undefined
    const timer = setInterval(() => current.current(), between)
    return () => clearInterval(timer)
  }, [isAny])
  return new Set(moving.map(({ id }) => id))
}

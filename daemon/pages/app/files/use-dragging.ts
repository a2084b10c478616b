import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * Lets the elements of a list be dragged by their handles, with a mouse or a finger.
 *
 * @param onSort told the `data-id`s in their new order
 */
export function useDragging(
  list: RefObject<HTMLElement | null>,
  isEnabled: boolean,
  onSort: (ids: readonly string[]) => void,
): void {
  const latest = useRef(onSort)
  latest.current = onSort
  useEffect(() => {
    const element = list.current
    if (!element || !isEnabled) return undefined
    const unmounted = new AbortController()
    void import('sortablejs').then(({ default: Sortable }) => {
      if (unmounted.signal.aborted) return
      let before: string[] = []
      const sortable = Sortable.create(element, {
        handle: '.drag-handle',
        dataIdAttr: 'data-id',
        animation: 150,
        onStart: () => (before = sortable.toArray()),
        onEnd: () => {
          const after = sortable.toArray()
          // The elements belong to the page's own drawing: they go back, and are drawn anew.
          sortable.sort(before)
          if (after.join() !== before.join()) latest.current(after)
        },
      })
      unmounted.signal.addEventListener('abort', () => sortable.destroy())
    })
    return () => unmounted.abort()
  }, [isEnabled])
}

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { focusMover } from '../ui/movers.tsx'
import type { Step } from '../ui/movers.tsx'
import { say } from '../ui/messages.tsx'
import { FileRow } from './file-row.tsx'
import { reordered, type Selection } from './file-tree.ts'
import type { RefObject } from 'preact'

interface FileListProps {
  /** All of the folder, in their order. */
  readonly files: readonly DepositFile[]
  /** Those of the page, and the place of the first of them. */
  readonly shown: readonly DepositFile[]
  readonly first: number
  /** The folder that is shown. */
  readonly base: string
  readonly selection: Selection | undefined
  readonly api: FileApi
  /** True where files can be renamed and removed. */
  readonly isOpen: boolean
  readonly isSortable: boolean
  /** Told the order they shall have, and where the file is then that was moved. */
  readonly onSorted: (files: readonly DepositFile[], at?: number) => void
  readonly onChanged: () => void
  readonly onPreview: (file: DepositFile) => void
  readonly onRemove: (files: readonly DepositFile[]) => void
}

/** The files in their order, which dragging or the arrow buttons change. */
export function FileList(props: FileListProps) {
  const { files, shown, first, api, isOpen, isSortable, onSorted, onChanged } = props
  const list = useRef<HTMLOListElement>(null)
  const moved = useRef<{ readonly index: number; readonly by: Step } | undefined>(undefined)
  // The list is drawn in its new order before the focus follows what was moved.
  useLayoutEffect(() => {
    if (!moved.current) return
    const { index, by } = moved.current
    focusMover(list.current?.children[index - first] ?? null, by)
    moved.current = undefined
  }, [files, first])
  const move = (index: number, by: Step) => {
    const [file] = files.slice(index, index + 1)
    if (!file) return
    const to = index + by
    moved.current = { index: to, by }
    onSorted(files.toSpliced(index, 1).toSpliced(to, 0, file), to)
    say(text('file.moved', { name: file.filename, position: to + 1, total: files.length }))
  }
  useDragging(list, isSortable, (ids) =>
    onSorted(
      reordered(
        files,
        ids.flatMap((id) => shown.find((file) => file.id === id) ?? []),
      ),
    ),
  )
  return (
    <ol class="file-list" ref={list}>
      {shown.map((file, at) => (
        <FileRow
          key={file.id}
          file={file}
          api={api}
          isOpen={isOpen}
          base={props.base}
          selection={props.selection}
          {...(isSortable &&
            files.length > 1 && { place: { index: first + at, total: files.length } })}
          onMove={(by) => move(first + at, by)}
          onRenamed={onChanged}
          onPreview={() => props.onPreview(file)}
          onRemove={() => props.onRemove([file])}
        />
      ))}
    </ol>
  )
}

/**
 * Lets the elements of a list be dragged by their handles, with a mouse or a finger.
 *
 * @param onSort told the `data-id`s in their new order
 */
function useDragging(
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
          // The elements belong to Preact: they are put back, and Preact moves them.
          sortable.sort(before)
          if (after.join() !== before.join()) latest.current(after)
        },
      })
      unmounted.signal.addEventListener('abort', () => sortable.destroy())
    })
    return () => unmounted.abort()
  }, [isEnabled])
}

import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { focusMover, type Step } from '../ui/movers.ts'
import { say } from '../ui/toasts.tsx'
import { FileRow } from './file-row.tsx'
import { useDragging } from './use-dragging.ts'

interface FileListProps {
  readonly files: readonly DepositFile[]
  readonly api: FileApi
  /** True where files can be renamed and removed. */
  readonly isOpen: boolean
  readonly isSortable: boolean
  /** Told the order they shall have. */
  readonly onSorted: (files: readonly DepositFile[]) => void
  readonly onChanged: () => void
  readonly onPreview: (file: DepositFile) => void
  readonly onRemove: (file: DepositFile) => void
}

/** The files in their order, which dragging or the arrow buttons change. */
export function FileList(props: FileListProps) {
  const { files, api, isOpen, isSortable, onSorted, onChanged } = props
  const list = useRef<HTMLOListElement>(null)
  const moved = useRef<{ readonly index: number; readonly by: Step } | undefined>(undefined)
  // The list is drawn in its new order before the focus follows what was moved.
  useLayoutEffect(() => {
    if (moved.current)
      focusMover(list.current?.children[moved.current.index] ?? null, moved.current.by)
    moved.current = undefined
  }, [files])
  const move = (index: number, by: Step) => {
    const [file] = files.slice(index, index + 1)
    if (!file) return
    const to = index + by
    moved.current = { index: to, by }
    onSorted(files.toSpliced(index, 1).toSpliced(to, 0, file))
    say(text('file.moved', { name: file.filename, position: to + 1, total: files.length }))
  }
  useDragging(list, isSortable, (ids) =>
    onSorted(ids.flatMap((id) => files.find((file) => file.id === id) ?? [])),
  )
  return (
    <ol class="file-list" ref={list}>
      {files.map((file, index) => (
        <FileRow
          key={file.id}
          file={file}
          api={api}
          isOpen={isOpen}
          {...(isSortable && files.length > 1 && { place: { index, total: files.length } })}
          onMove={(by) => move(index, by)}
          onRenamed={onChanged}
          onPreview={() => props.onPreview(file)}
          onRemove={() => props.onRemove(file)}
        />
      ))}
    </ol>
  )
}

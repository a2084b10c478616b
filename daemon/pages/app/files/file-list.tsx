import { useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { say, sayFailure } from '../ui/toasts.tsx'
import { FileRow } from './file-row.tsx'
import { useDragging } from './use-dragging.ts'

interface FileListProps {
  readonly files: readonly DepositFile[]
  readonly api: FileApi
  /** True where files can be renamed and removed. */
  readonly isOpen: boolean
  readonly isSortable: boolean
  readonly onSorted: (files: readonly DepositFile[]) => void
  readonly onChanged: () => void
  readonly onPreview: (file: DepositFile) => void
  readonly onRemove: (file: DepositFile) => void
}

/** The files in their order, which dragging or the arrow buttons change. */
export function FileList(props: FileListProps) {
  const { files, api, isOpen, isSortable, onSorted, onChanged } = props
  const list = useRef<HTMLOListElement>(null)
  const sort = async (ids: readonly string[]) => {
    const sorted = ids.flatMap((id) => files.find((file) => file.id === id) ?? [])
    onSorted(sorted)
    try {
      onSorted(await api.sort(ids))
    } catch (error) {
      sayFailure(error)
      onChanged()
    }
  }
  const move = (index: number, by: number) => {
    const [file] = files.slice(index, index + 1)
    if (!file) return
    const to = index + by
    void sort(
      files
        .map(({ id }) => id)
        .toSpliced(index, 1)
        .toSpliced(to, 0, file.id),
    )
    say(text('file.moved', { name: file.filename, position: to + 1, total: files.length }))
    requestAnimationFrame(() => focusMover(list.current, to, by, files.length))
  }
  useDragging(list, isSortable, (ids) => void sort(ids))
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

/** Keeps the focus on the button that moved a file, or on its twin at an end of the list. */
function focusMover(list: HTMLElement | null, index: number, by: number, total: number): void {
  const wanted = index === 0 ? 1 : index === total - 1 ? -1 : by
  list?.children[index]?.querySelector<HTMLElement>(`[data-move="${wanted}"]`)?.focus()
}

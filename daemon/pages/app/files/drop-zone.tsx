import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { sayFailure } from '../ui/toasts.tsx'
import { chosenFiles, droppedFiles, type Source } from './dropped-files.ts'

interface DropZoneProps {
  readonly onFiles: (sources: readonly Source[]) => void
}

/** Takes files and folders: dropped anywhere on the page, or chosen. */
export function DropZone({ onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const [files, folder] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)]
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(false)
      droppedFiles(event.dataTransfer).then(onFiles, sayFailure)
    }
    const listeners = [
      ['dragover', over],
      ['dragleave', leave],
      ['drop', drop],
    ] as const
    for (const [name, listener] of listeners) document.addEventListener(name, listener)
    return () => {
      for (const [name, listener] of listeners) document.removeEventListener(name, listener)
    }
  }, [onFiles])
  useEffect(() => {
    if (folder.current) folder.current.webkitdirectory = true
  }, [])
  const take = (input: HTMLInputElement) => onFiles(chosenFiles(input))
  return (
    <div class={`drop-zone ${isOver ? 'over' : ''}`}>
      <p class="drop-hint">{text('drop.hint')}</p>
      <p class="drop-buttons">
        <button type="button" onClick={() => files.current?.click()}>
          {text('drop.files')}
        </button>
        <button type="button" onClick={() => folder.current?.click()}>
          {text('drop.folder')}
        </button>
      </p>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={text('drop.files')}
        onChange={({ currentTarget }) => take(currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={text('drop.folder')}
        onChange={({ currentTarget }) => take(currentTarget)}
      />
    </div>
  )
}

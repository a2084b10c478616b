import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { sayFailure } from '../ui/messages.tsx'

interface DropZoneProps {
  /** The folder that files are added to; empty for the top. */
  readonly into: string
  readonly onFiles: (sources: readonly Source[]) => void
}

/** Takes files and folders: dropped anywhere on the page, or chosen. */
export function DropZone({ into, onFiles }: DropZoneProps) {
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
      {isOver && <div class="drop-veil">{text('drop.over')}</div>}
      <p class="drop-hint">
        {into === '' ? text('drop.hint') : text('drop.into', { folder: into })}
      </p>
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

/** A file to upload, with the path it had in its folder. */
export interface Source {
  readonly path: string
  readonly file: File
}

/** The files of a drop, those in folders included. */
async function droppedFiles(transfer: DataTransfer): Promise<readonly Source[]> {
  // The list empties itself as soon as the event is over: entries are taken before anything waits.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const found = await Promise.all(entries.map((entry) => filesIn(entry)))
  return found.flat()
}

/** The files of an `input`, with their paths where a folder was chosen. */
function chosenFiles(input: HTMLInputElement): readonly Source[] {
  const sources = [...(input.files ?? [])].map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }))
  input.value = ''
  return sources
}

async function filesIn(entry: FileSystemEntry): Promise<readonly Source[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  if (!isFolder(entry)) return []
  const found = await Promise.all((await entriesOf(entry)).map(filesIn))
  return found.flat()
}

/** A folder hands its entries out in portions; an empty one is the last. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (portion.length === 0) return all
    all.push(...portion)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

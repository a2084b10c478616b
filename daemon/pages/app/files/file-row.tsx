import { useEffect, useRef, useState } from 'preact/hooks'
import { canPreview } from '../../text/previews.ts'
import { Movers, type Step } from '../ui/movers.tsx'
import { text } from '../../text/text.ts'
import { formatBytes } from '../../../../core/base/amounts.ts'
import { linkDownload, readBytes } from '../api/files.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { sayFailure } from '../ui/messages.tsx'
import { safeKey } from '../../../../core/contract/file-key.ts'

interface FileRowProps {
  readonly file: DepositFile
  readonly api: FileApi
  /** True where the file can be renamed and removed. */
  readonly isOpen: boolean
  /** Its place in the list; absent if the order cannot be changed. */
  readonly place?: { readonly index: number; readonly total: number }
  readonly onMove: (by: Step) => void
  readonly onRenamed: () => void
  readonly onPreview: () => void
  readonly onRemove: () => void
}

/** A file with its details, and the actions on it. */
export function FileRow(props: FileRowProps) {
  const { file, api, isOpen, place, onRenamed } = props
  const { id, filename, filesize, checksum } = file
  const [isRenaming, setRenaming] = useState(false)
  return (
    <li class="file" data-id={id}>
      {isRenaming ? (
        <RenameField
          file={file}
          api={api}
          onEnd={(isRenamed) => {
            setRenaming(false)
            if (isRenamed) onRenamed()
          }}
        />
      ) : (
        <span class="file-name">
          {place && (
            <span class="drag-handle" aria-hidden="true">
              ⠿
            </span>
          )}
          {filename}
        </span>
      )}
      <span class="file-facts">
        {formatBytes(filesize)}
        <code class="digest" title={checksum}>
          {checksum}
        </code>
      </span>
      <span class="file-actions" hidden={isRenaming}>
        {place && (
          <Movers
            isFirst={place.index === 0}
            isLast={place.index === place.total - 1}
            nameOf={(by) => text(by < 0 ? 'file.up' : 'file.down', { name: filename })}
            onMove={props.onMove}
          />
        )}
        {canPreview(filename, filesize) && (
          <FileButton label="preview" name={filename} onClick={props.onPreview} />
        )}
        <FileButton label="download" name={filename} onClick={() => void saveBytes(file)} />
        {isOpen && (
          <>
            <FileButton label="rename" name={filename} onClick={() => setRenaming(true)} />
            <FileButton label="remove" name={filename} onClick={props.onRemove} />
          </>
        )}
      </span>
    </li>
  )
}

interface FileButtonProps {
  readonly label: 'preview' | 'download' | 'rename' | 'remove'
  readonly name: string
  readonly onClick: () => void
}

function FileButton({ label, name, onClick }: FileButtonProps) {
  return (
    <button type="button" class="quiet-button" onClick={onClick}>
      {text(`file.${label}`)}
      <span class="visually-hidden"> {name}</span>
    </button>
  )
}

/** Bytes. Larger files do not go through the memory of the page. */
const mostInMemory = 64 * 2 ** 20

/** Saves a file on this machine. */
async function saveBytes(file: DepositFile): Promise<void> {
  try {
    await (file.filesize < mostInMemory ? saveFromMemory(file) : saveByLink(file))
  } catch (error) {
    sayFailure(error)
  }
}

/** The bytes come with the token of the page, which no link carries. */
async function saveFromMemory({ filename, links }: DepositFile): Promise<void> {
  const url = URL.createObjectURL(await readBytes(links.download))
  follow(url, filename)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** The browser writes the bytes to the disk itself, by a link that works once. */
async function saveByLink({ filename, links }: DepositFile): Promise<void> {
  follow(await linkDownload(links.download), filename)
}

function follow(url: string, filename: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = filename.slice(filename.lastIndexOf('/') + 1)
  link.click()
}

interface RenameFieldProps {
  readonly file: DepositFile
  readonly api: FileApi
  /** Told whether the file has another name now. */
  readonly onEnd: (isRenamed: boolean) => void
}

/** A new name, typed where the old one stood: Enter takes it, Escape leaves everything as it was. */
function RenameField({ file, api, onEnd }: RenameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState('')
  useEffect(() => field.current?.select(), [])
  const rename = async (wanted: string) => {
    const safe = safeKey(wanted)
    if ('reason' in safe) {
      setFault(safe.reason)
      return
    }
    try {
      await api.rename(file, safe.key)
      onEnd(true)
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const wanted = field.current?.value ?? ''
    if (wanted === file.filename) onEnd(false)
    else void rename(wanted)
  }
  return (
    <form class="rename" onSubmit={submit}>
      <input
        ref={field}
        aria-label={text('file.newName', { name: file.filename })}
        aria-invalid={fault !== ''}
        aria-describedby="rename-fault"
        defaultValue={file.filename}
        onKeyDown={({ key }) => key === 'Escape' && onEnd(false)}
      />
      <button class="primary">{text('file.rename')}</button>
      <button type="button" onClick={() => onEnd(false)}>
        {text('cancel')}
      </button>
      <p id="rename-fault" class="faults" aria-live="polite">
        {fault}
      </p>
    </form>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import { canPreview } from '../../text/previews.ts'
import { Movers, type Step } from '../ui/movers.tsx'
import { formatSize, text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { saveBytes } from './save-bytes.ts'
import type { Selection } from './file-tree.ts'
import { safeKey } from '../../../../core/contract/file-key.ts'

interface FileRowProps {
  readonly file: DepositFile
  readonly api: FileApi
  /** True where the file can be renamed and removed. */
  readonly isOpen: boolean
  /** The folder that is shown, which its name need not repeat. */
  readonly base: string
  /** Absent where nothing can be selected. */
  readonly selection: Selection | undefined
  /** Its place in the list; absent if the order cannot be changed. */
  readonly place?: { readonly index: number; readonly total: number }
  readonly onMove: (by: Step) => void
  readonly onRenamed: () => void
  readonly onPreview: () => void
  readonly onRemove: () => void
}

/** A file with its details, and the actions on it. */
export function FileRow(props: FileRowProps) {
  const { file, api, isOpen, place, base, selection, onRenamed } = props
  const { id, filename, filesize, checksum } = file
  const [isRenaming, setRenaming] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  const wasRenaming = useRef(false)
  useEffect(() => {
    // The field that had the focus is gone.
    if (wasRenaming.current && !isRenaming)
      row.current?.querySelector<HTMLElement>('[data-do=rename]')?.focus()
    wasRenaming.current = isRenaming
  }, [isRenaming])
  return (
    <li class="file" data-id={id} ref={row}>
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
          {isOpen && selection && (
            <input
              type="checkbox"
              aria-label={text('files.select', { name: filename })}
              checked={selection.selected.has(id)}
              onChange={({ currentTarget }) => selection.onToggle([file], currentTarget.checked)}
            />
          )}
          {place && (
            <span class="drag-handle" aria-hidden="true">
              ⠿
            </span>
          )}
          {filename.slice(base.length)}
        </span>
      )}
      <span class="file-facts">
        {formatSize(filesize)}
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
    <button type="button" class="quiet-button" data-do={label} onClick={onClick}>
      {text(`file.${label}`)}
      <span class="visually-hidden"> {name}</span>
    </button>
  )
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

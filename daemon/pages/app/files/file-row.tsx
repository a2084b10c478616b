import { useState } from 'preact/hooks'
import { canPreview } from '../../text/previews.ts'
import { text } from '../../text/text.ts'
import { formatBytes } from '../../text/units.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { saveBytes } from './save-bytes.ts'
import { RenameField } from './rename-field.tsx'

interface FileRowProps {
  readonly file: DepositFile
  readonly api: FileApi
  /** True where the file can be renamed and removed. */
  readonly isOpen: boolean
  /** Where it stands in the list; absent where the order cannot be changed. */
  readonly place?: { readonly index: number; readonly total: number }
  readonly onMove: (by: -1 | 1) => void
  readonly onRenamed: () => void
  readonly onPreview: () => void
  readonly onRemove: () => void
}

/** A file: what it is, and what can be done with it. */
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
        {place && <Movers {...place} name={filename} onMove={props.onMove} />}
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

interface MoversProps {
  readonly index: number
  readonly total: number
  readonly name: string
  readonly onMove: (by: -1 | 1) => void
}

function Movers({ index, total, name, onMove }: MoversProps) {
  return (
    <>
      {([-1, 1] as const).map((by) => (
        <button
          key={by}
          type="button"
          class="icon-button"
          data-move={by}
          disabled={by < 0 ? index === 0 : index === total - 1}
          aria-label={text(by < 0 ? 'file.up' : 'file.down', { name })}
          onClick={() => onMove(by)}
        >
          {by < 0 ? '↑' : '↓'}
        </button>
      ))}
    </>
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

import { useEffect, useRef, useState } from 'preact/hooks'
import { safeKey } from '../../../../core/contract/file-key.ts'
import { text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'

interface RenameFieldProps {
  readonly file: DepositFile
  readonly api: FileApi
  /** Told whether the file has another name now. */
  readonly onEnd: (isRenamed: boolean) => void
}

/** A new name, typed where the old one stood: Enter takes it, Escape leaves everything as it was. */
export function RenameField({ file, api, onEnd }: RenameFieldProps) {
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

import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { PreviewDialog } from '../preview/preview-dialog.tsx'

interface PreviewButtonProps {
  readonly name: string
  readonly download: string
}

/** Shows a file of a record in front of its page. */
export function PreviewButton({ name, download }: PreviewButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {text('file.preview')}
        <span class="visually-hidden"> {name}</span>
      </button>
      {isOpen && <PreviewDialog name={name} download={download} onClose={() => setOpen(false)} />}
    </>
  )
}

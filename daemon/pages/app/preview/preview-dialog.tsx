import { useEffect, useState } from 'preact/hooks'
import { previewKind } from '../../text/previews.ts'
import { text } from '../../text/text.ts'
import { readBytes } from '../api/files.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { ImagePreview } from './image-preview.tsx'
import { TablePreview } from './table-preview.tsx'

interface PreviewDialogProps {
  readonly name: string
  readonly download: string
  readonly onClose: () => void
}

/**
 * Shows a file without opening it. Nothing in it can run: text stays text, a table is made of
 * cells with text, and an image is decoded as one, whatever else it may be.
 */
export function PreviewDialog({ name, download, onClose }: PreviewDialogProps) {
  const [bytes, setBytes] = useState<Blob>()
  const [failure, setFailure] = useState('')
  useEffect(() => {
    const abort = new AbortController()
    readBytes(download, abort.signal).then(setBytes, (error: unknown) => {
      if (!abort.signal.aborted) setFailure(error instanceof Error ? error.message : String(error))
    })
    return () => abort.abort()
  }, [download])
  return (
    <Dialog title={name} wide onClose={onClose}>
      <div class="preview">
        {failure && <Notice kind="bad">{failure}</Notice>}
        {!bytes && !failure && <p class="quiet preview-wait">{text('preview.loading')}</p>}
        {bytes && <Content name={name} bytes={bytes} />}
      </div>
    </Dialog>
  )
}

function Content({ name, bytes }: { readonly name: string; readonly bytes: Blob }) {
  const kind = previewKind(name) ?? 'text'
  if (kind === 'image') return <ImagePreview name={name} bytes={bytes} />
  return <TextContent isTable={kind === 'table'} bytes={bytes} />
}

/** Bytes of a text that are shown; the rest is for a program made for it. */
const shown = 200_000

function TextContent({ isTable, bytes }: { readonly isTable: boolean; readonly bytes: Blob }) {
  const [content, setContent] = useState<string>()
  useEffect(() => void bytes.slice(0, shown).text().then(setContent), [bytes])
  if (content === undefined) return null
  const rest = bytes.size > shown && <p class="quiet preview-wait">{text('preview.cut')}</p>
  return (
    <>
      {isTable ? <TablePreview content={content} /> : <pre tabIndex={0}>{content}</pre>}
      {rest}
    </>
  )
}

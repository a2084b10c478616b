import { useEffect, useState } from 'preact/hooks'
import { previewKind } from '../../text/previews.ts'
import { text } from '../../text/text.ts'
import { readBytes } from '../api/files.ts'
import { Dialog } from './dialog.tsx'
import { Notice } from './messages.tsx'

interface PreviewDialogProps {
  readonly name: string
  readonly download: string
  readonly onClose: () => void
}

/**
 * Shows a file without opening it. Nothing in it can run: text stays text, a table is made of
 * cells with text, and an image is decoded as one, even if it is something else.
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

interface ImagePreviewProps {
  readonly name: string
  readonly bytes: Blob
}

/** An image, decoded by the browser from memory. */
function ImagePreview({ name, bytes }: ImagePreviewProps) {
  const [url, setUrl] = useState('')
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(bytes)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (isBroken) return <Notice kind="warn">{text('preview.broken')}</Notice>
  return url === '' ? null : <img src={url} alt={name} onError={() => setBroken(true)} />
}

/** Rows that are shown. */
const most = 200

/** The first rows of a table, whose separator is detected. */
function TablePreview({ content }: { readonly content: string }) {
  const [rows, setRows] = useState<readonly (readonly string[])[]>([])
  useEffect(() => {
    void import('papaparse').then(({ default: papaparse }) => {
      const { data } = papaparse.parse<string[]>(content, { preview: most, skipEmptyLines: true })
      setRows(data)
    })
  }, [content])
  const [head = [], ...body] = rows
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={text('preview.table')}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

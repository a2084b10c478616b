import { useEffect, useState } from 'preact/hooks'
import { previewWords } from '../../text/preview-words.ts'
import { previewKind, type PreviewKind } from '../../text/previews.ts'
import { addTexts, formatNumber, text } from '../../text/text.ts'
import { readBytes } from '../api/files.ts'
import { Dialog } from './dialog.tsx'
import { Notice } from './messages.tsx'
import type * as WidePreviews from './wide-previews.tsx'

addTexts(previewWords)

interface PreviewDialogProps {
  readonly name: string
  readonly download: string
  readonly onClose: () => void
  /** Shows the file before or after it; absent where there is none. */
  readonly onPrevious?: (() => void) | undefined
  readonly onNext?: (() => void) | undefined
}

/**
 * Shows a file without opening it. Nothing in it can run: text stays text, a table is made of
 * cells with text, and an image is decoded as one, even if it is something else.
 */
export function PreviewDialog(props: PreviewDialogProps) {
  const { name, download, onClose, onPrevious, onNext } = props
  const [bytes, setBytes] = useState<Blob>()
  const [failure, setFailure] = useState('')
  useEffect(() => {
    const abort = new AbortController()
    setBytes(undefined)
    setFailure('')
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
        {bytes?.size === 0 && <p class="quiet preview-wait">{text('preview.empty')}</p>}
        {bytes && bytes.size > 0 && <Content key={download} name={name} bytes={bytes} />}
      </div>
      {(onPrevious ?? onNext) && (
        <footer class="dialog-foot">
          <button type="button" disabled={!onPrevious} onClick={onPrevious}>
            {text('preview.previous')}
          </button>
          <button type="button" disabled={!onNext} onClick={onNext}>
            {text('preview.next')}
          </button>
        </footer>
      )}
    </Dialog>
  )
}

type Wide = Pick<typeof WidePreviews, 'WidePreview'>

/** Kinds whose previews are loaded when one of them is first shown. */
const wide: ReadonlySet<PreviewKind> = new Set<PreviewKind>([
  'markdown',
  'json',
  'notebook',
  'audio',
  'video',
  'zip',
  'pdf',
])

function Content({ name, bytes }: { readonly name: string; readonly bytes: Blob }) {
  const kind = previewKind(name) ?? 'text'
  const [loaded, setLoaded] = useState<Wide>()
  useEffect(() => {
    if (wide.has(kind)) void import('./wide-previews.tsx').then((module) => setLoaded(module))
  }, [kind])
  if (kind === 'image') return <ImagePreview name={name} bytes={bytes} />
  if (wide.has(kind))
    return loaded ? <loaded.WidePreview kind={kind} bytes={bytes} name={name} /> : null
  return <TextContent isTable={kind === 'table'} bytes={bytes} />
}

/** Bytes of a text that are shown; the rest is for a program made for it. */
const shown = 200_000

function TextContent({ isTable, bytes }: { readonly isTable: boolean; readonly bytes: Blob }) {
  const [content, setContent] = useState<string>()
  useEffect(() => void bytes.slice(0, shown).text().then(setContent), [bytes])
  if (content === undefined) return null
  const isCut = bytes.size > shown
  return (
    <>
      {isTable ? (
        <TablePreview content={content} isCut={isCut} />
      ) : (
        <pre tabIndex={0}>{content}</pre>
      )}
      {isCut && <p class="quiet preview-wait">{text('preview.cut')}</p>}
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
    // A drawing in SVG is shown as an image, in which no script runs and nothing is loaded.
    const type = /\.svg$/i.test(name) ? 'image/svg+xml' : bytes.type
    const made = URL.createObjectURL(bytes.slice(0, bytes.size, type))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (isBroken) return <Notice kind="warn">{text('preview.broken')}</Notice>
  return url === '' ? null : <img src={url} alt={name} onError={() => setBroken(true)} />
}

/** Rows that are shown. */
const most = 200

/** The first rows of a table, whose separator is detected. */
function TablePreview({ content, isCut }: { readonly content: string; readonly isCut: boolean }) {
  const [total, setTotal] = useState(0)
  const [rows, setRows] = useState<readonly (readonly string[])[]>([])
  useEffect(() => {
    void import('papaparse').then(({ default: papaparse }) => {
      const { data } = papaparse.parse<string[]>(content, { skipEmptyLines: true })
      setTotal(data.length)
      setRows(data.slice(0, most))
    })
  }, [content])
  const [head = [], ...body] = rows
  const size = { rows: formatNumber(Math.max(0, total - 1)), columns: head.length }
  return (
    <>
      {total > 0 && (
        <p class="quiet preview-wait">
          {text(isCut ? 'preview.sizeCut' : 'preview.size', size)}
          {total > most && ` ${text('preview.firstRows', { count: most - 1 })}`}
        </p>
      )}
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
    </>
  )
}

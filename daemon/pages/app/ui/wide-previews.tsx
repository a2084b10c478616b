import { useEffect, useState } from 'preact/hooks'
import type { PreviewKind } from '../../text/previews.ts'
import { counted, formatSize, text } from '../../text/text.ts'
import { fieldOf, isArray, type Json } from '../api/json.ts'
import { Markdown } from './markdown.tsx'
import { Notice } from './messages.tsx'
import { readZip, type ZipEntry } from './zip-contents.ts'

interface WidePreviewProps {
  readonly kind: PreviewKind
  readonly name: string
  readonly bytes: Blob
}

/** Previews of files that are read before they are shown. */
export function WidePreview({ kind, name, bytes }: WidePreviewProps) {
  if (kind === 'audio' || kind === 'video') return <Media kind={kind} name={name} bytes={bytes} />
  if (kind === 'pdf') return <PdfPreview name={name} bytes={bytes} />
  if (kind === 'zip') return <ZipPreview bytes={bytes} />
  return <ReadText kind={kind} bytes={bytes} />
}

/** Bytes in which a PDF says that it is one. */
const beginning = 1_024

/** Milliseconds that another tab has to read a file once the preview is closed. */
const patienceMs = 60_000

/**
 * Leads to the PDF viewer of the browser, in a tab of its own: the policy of the pages allows no frame,
 * and the viewer needs none of it. The bytes are said to be a PDF, so that nothing else is made of
 * them; a browser without a viewer saves them.
 */
function PdfPreview({ name, bytes }: Pick<WidePreviewProps, 'name' | 'bytes'>) {
  const [url, setUrl] = useState<string | false>()
  useEffect(() => {
    let made: string | undefined
    const read = async () => {
      const isPdf = (await bytes.slice(0, beginning).text()).includes('%PDF-')
      if (isPdf) made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
      setUrl(made ?? false)
    }
    void read()
    return () => {
      setTimeout(() => made !== undefined && URL.revokeObjectURL(made), patienceMs)
    }
  }, [bytes])
  if (url === undefined) return null
  if (url === false) return <Notice kind="bad">{text('preview.noPdf')}</Notice>
  return (
    <p class="preview-wait">
      <a class="button primary" href={url} target="_blank" rel="noopener">
        {text('preview.openPdf')}
        <span class="visually-hidden"> {name}</span>
      </a>
    </p>
  )
}

/** Bytes of a text that are shown. */
const shown = 200_000

function ReadText({ kind, bytes }: Pick<WidePreviewProps, 'kind' | 'bytes'>) {
  const [content, setContent] = useState<string>()
  // Of a part, JSON cannot be read.
  const isWhole = kind !== 'markdown' && bytes.size <= 20 * shown
  useEffect(() => void (isWhole ? bytes : bytes.slice(0, shown)).text().then(setContent), [bytes])
  if (content === undefined) return null
  if (kind === 'markdown')
    return (
      <div class="prose preview-prose" tabIndex={0}>
        <Markdown source={content} />
      </div>
    )
  const json = parsed(content)
  const cells = kind === 'notebook' ? fieldOf(json, 'cells') : undefined
  if (isArray(cells)) return <Notebook cells={cells} />
  return <pre tabIndex={0}>{json === undefined ? content : indented(json)}</pre>
}

function parsed(content: string): Json | undefined {
  try {
    return JSON.parse(content) as Json
  } catch {
    return undefined
  }
}

function indented(json: Json): string {
  return JSON.stringify(json, null, 2).slice(0, shown)
}

/** Cells of a notebook that are shown. */
const mostCells = 200

/** The texts, programs and printed results of a notebook. Pictures and widgets are left out. */
function Notebook({ cells }: { readonly cells: readonly Json[] }) {
  return (
    <div class="prose preview-prose notebook" tabIndex={0}>
      {cells.slice(0, mostCells).map((cell, at) => {
        const source = joined(fieldOf(cell, 'source'))
        if (fieldOf(cell, 'cell_type') === 'markdown') return <Markdown key={at} source={source} />
        return (
          <div key={at}>
            <pre>
              <code>{source}</code>
            </pre>
            {outputsOf(cell) !== '' && <pre class="output">{outputsOf(cell)}</pre>}
          </div>
        )
      })}
    </div>
  )
}

function outputsOf(cell: Json): string {
  const outputs = fieldOf(cell, 'outputs')
  if (!isArray(outputs)) return ''
  return outputs
    .map((output) =>
      joined(fieldOf(output, 'text') ?? fieldOf(fieldOf(output, 'data'), 'text/plain')),
    )
    .filter(Boolean)
    .join('\n')
}

/** Notebooks keep a text whole, or as its lines. */
function joined(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return isArray(value) ? value.filter((line) => typeof line === 'string').join('') : ''
}

function Media({ kind, name, bytes }: WidePreviewProps) {
  const [url, setUrl] = useState('')
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(bytes)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (isBroken) return <Notice kind="warn">{text('preview.unplayable')}</Notice>
  if (url === '') return null
  const props = { src: url, controls: true, 'aria-label': name, onError: () => setBroken(true) }
  return (
    <div class="preview-wait">{kind === 'audio' ? <audio {...props} /> : <video {...props} />}</div>
  )
}

/** Entries that are shown. */
const mostEntries = 1_000

function ZipPreview({ bytes }: { readonly bytes: Blob }) {
  const [entries, setEntries] = useState<readonly ZipEntry[]>()
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    readZip(bytes).then(setEntries, () => setBroken(true))
  }, [bytes])
  if (isBroken) return <Notice kind="warn">{text('preview.noZip')}</Notice>
  if (!entries) return null
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={text('preview.entries')}>
      <p class="quiet preview-wait">{counted('files.count', entries.length)}</p>
      <table>
        <tbody>
          {entries.slice(0, mostEntries).map(({ name, size }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{formatSize(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length > mostEntries && <p class="quiet preview-wait">{text('preview.cut')}</p>}
    </div>
  )
}

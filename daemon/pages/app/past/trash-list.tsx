import { useEffect, useRef, useState } from 'preact/hooks'
import type { TrashedFileBody } from '../../../../core/contract/history.ts'
import { past } from '../../text/past.ts'
import { addTexts, counted, formatDay, formatSize, text } from '../../text/text.ts'
import type { FileApi } from '../api/files.ts'
import { Confirm } from '../ui/dialog.tsx'
import { say, sayFailure } from '../ui/messages.tsx'
import { isTaken, RestoreDialog } from './restore-dialog.tsx'

addTexts(past)

interface TrashListProps {
  readonly api: FileApi
  /** Changes whenever the files do: then the list is asked for again. */
  readonly version: unknown
  /** Called when a file is back. */
  readonly onRestored: () => void
}

/** Files that are shown at first, and with each click on more. */
const step = 25

/** The files that were deleted from a draft: brought back, or deleted for good. */
export function TrashList({ api, version, onRestored }: TrashListProps) {
  const [trashed, setTrashed] = useState<readonly TrashedFileBody[]>([])
  const [most, setMost] = useState(step)
  const [asking, ask] = useState<TrashedFileBody | 'all'>()
  const [taken, setTaken] = useState<TrashedFileBody>()
  const heading = useRef<HTMLElement>(null)
  // Without the list, nothing is lost but the way back.
  const load = () => api.trash().then(setTrashed, () => undefined)
  useEffect(() => void load(), [version])
  const change = async (
    task: () => Promise<unknown>,
    done: string,
    isAsked: (error: unknown) => boolean = () => false,
  ) => {
    try {
      await task()
      say(done)
    } catch (error) {
      if (isAsked(error)) return
      sayFailure(error)
    }
    await load()
    // The button that was pressed went with its row.
    heading.current?.focus()
  }
  const restore = (file: TrashedFileBody) =>
    change(
      async () => {
        await api.restore(file)
        onRestored()
      },
      text('trash.restored', { name: file.filename }),
      (error) => isTaken(error) && (setTaken(file), true),
    )
  const removeAsked = () => {
    const chosen = asking
    ask(undefined)
    if (chosen === 'all') void change(() => api.emptyTrash(), text('trash.emptied'))
    else if (chosen)
      void change(() => api.removeTrashed(chosen), text('trash.removed', { name: chosen.filename }))
  }
  if (trashed.length === 0) return null
  return (
    <details class="trash">
      <summary ref={heading}>{counted('trash.title', trashed.length)}</summary>
      <p class="hint">{text('trash.explain')}</p>
      <ul class="file-list" aria-label={text('trash.list')}>
        {trashed.slice(0, most).map((file) => (
          <TrashRow
            key={file.id}
            file={file}
            onRestore={() => void restore(file)}
            onRemove={() => ask(file)}
          />
        ))}
      </ul>
      <p class="file-actions">
        {trashed.length > most && (
          <button type="button" onClick={() => setMost(most + step)}>
            {counted('trash.more', trashed.length - most)}
          </button>
        )}
        <button type="button" class="danger" onClick={() => ask('all')}>
          {text('trash.empty')}
        </button>
      </p>
      {taken && (
        <RestoreDialog
          file={taken}
          api={api}
          onClose={() => setTaken(undefined)}
          onRestored={(name) => {
            setTaken(undefined)
            void change(async () => onRestored(), text('trash.restored', { name }))
          }}
        />
      )}
      {asking !== undefined && (
        <Confirm
          title={
            asking === 'all'
              ? text('trash.askEmpty')
              : text('trash.askRemove', { name: asking.filename })
          }
          confirm={text(asking === 'all' ? 'trash.confirmEmpty' : 'trash.remove')}
          danger
          onConfirm={removeAsked}
          onClose={() => ask(undefined)}
        >
          <p>{text(asking === 'all' ? 'trash.explainEmpty' : 'trash.explainRemove')}</p>
        </Confirm>
      )}
    </details>
  )
}

interface TrashRowProps {
  readonly file: TrashedFileBody
  readonly onRestore: () => void
  readonly onRemove: () => void
}

function TrashRow({ file, onRestore, onRemove }: TrashRowProps) {
  const { filename, filesize, deleted, expires } = file
  const facts = text('trash.facts', { size: formatSize(filesize), day: formatDay(deleted) })
  return (
    <li class="file">
      <span class="file-name">{filename}</span>
      <span class="file-facts">
        <span>
          {facts}
          {expires !== undefined && `, ${text('trash.until', { day: formatDay(expires) })}`}
        </span>
      </span>
      <span class="file-actions">
        <button type="button" class="quiet-button" onClick={onRestore}>
          {text('trash.restore')}
          <span class="visually-hidden"> {filename}</span>
        </button>
        <button type="button" class="quiet-button" onClick={onRemove}>
          {text('trash.remove')}
          <span class="visually-hidden"> {filename}</span>
        </button>
      </span>
    </li>
  )
}

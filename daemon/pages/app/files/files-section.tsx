import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { addTexts, counted, formatNumber, formatSize, text } from '../../text/text.ts'
import { uploads } from '../../text/uploads.ts'
import { canPreview } from '../../text/previews.ts'
import type { Deposit } from '../api/deposits.ts'
import type { DepositFile } from '../api/files.ts'
import type { Page } from '../api/page.ts'
import { settled, track } from '../api/pending.ts'
import { PreviewDialog } from '../ui/preview-dialog.tsx'
import { later } from '../ui/later.tsx'
import { say, sayFailure } from '../ui/messages.tsx'
import type { AddedNotes } from './added-notes.tsx'
import { DropZone, type Source } from './drop-zone.tsx'
import { FileBrowser } from './file-browser.tsx'
import { reordered } from './file-tree.ts'
import { RestoreDialog } from '../past/restore-dialog.tsx'
import { TrashList } from '../past/trash-list.tsx'
import { UnfinishedRow } from './unfinished-row.tsx'
import { UploadRow } from './upload-row.tsx'
import { shortTotals, UploadTotalsBar } from './upload-totals.tsx'
import { useFiles } from './use-files.ts'
import { useRemoval } from './use-removal.ts'

addTexts(uploads)

const AddedNotesBox = later(async () => (await import('./around-uploads.ts')).AddedNotesBox)

interface FilesSectionProps {
  readonly page: Page
  readonly deposit: Deposit
  /** Raised whenever another program may have changed it. */
  readonly others: number
  /** True where it is a draft that the person may change. */
  readonly isDraft: boolean
  /** Told which uploads are not finished. */
  readonly onUploads: (ids: ReadonlySet<string>) => void
  /** Told in a few words how many files there are, and how far the uploads. */
  readonly onStatus: (status: string) => void
}

/** Uploads that are shown at once. */
const mostUploads = 25

/** The files of a deposit: there, on their way, and a place to drop more. */
export function FilesSection(props: FilesSectionProps) {
  const { page, deposit, others, isDraft, onUploads, onStatus } = props
  const offer = useRef<ReturnType<typeof useRemoval>['offerUndoOfReplace']>(undefined)
  const { api, files, isWhole, unfinished, elsewhere, sort, reload, queue } = useFiles(
    page,
    deposit,
    { others, onUploads, onReplaced: (ids, now) => offer.current?.(ids, now) },
  )
  const removal = useRemoval(api, reload)
  const { leaving, remove, progress, taken, onAnswered } = removal
  offer.current = removal.offerUndoOfReplace
  const [previewed, preview] = useState<DepositFile>()
  const heading = useRef<HTMLHeadingElement>(null)
  const { value } = deposit.metadata._deposit
  const isOpen = isDraft && typeof value !== 'string'
  const staying = files?.filter(({ id }) => !leaving.has(id)) ?? []
  const bytes = staying.reduce((sum, { filesize }) => sum + filesize, 0)
  const status = queue.size > 0 ? shortTotals(queue.totals) : formatNumber(staying.length)
  useEffect(() => onStatus(files ? status : ''), [files !== undefined, status])
  const underWay = queue.shown(mostUploads)
  const [notes, setNotes] = useState<AddedNotes>()
  const [into, setInto] = useState('')
  const shown = useRef(staying)
  shown.current = staying
  const addFiles = useCallback(
    async (sources: readonly Source[], isAsked = true) => {
      const { examineSources, leaveOutUnchanged, placedIn, warnOfNames } =
        await import('./around-uploads.ts')
      const { hidden, ...found } = examineSources(sources, isAsked)
      // What was left out before has its place.
      const place = (those: readonly Source[]) => placedIn(isAsked ? into : '', those)
      const [taken, leftOut] = [place(found.taken), place(found.leftOut)]
      const warnings = warnOfNames(
        taken,
        shown.current.map(({ filename }) => filename),
      )
      setNotes(leftOut.length + warnings.length > 0 ? { leftOut, hidden, warnings } : undefined)
      // A file that is being deleted has its name no more.
      await settled()
      // Publishing waits for it.
      const changed = await track(leaveOutUnchanged(taken, shown.current, () => api.list()))
      const unchanged = taken.length - changed.length
      if (unchanged > 0) say(counted('files.unchanged', unchanged))
      if (changed.length > 0) say(counted('uploads.added', changed.length))
      queue.add(changed)
    },
    [api, queue, into],
  )
  const take = useCallback(
    (sources: readonly Source[], isAsked?: boolean) =>
      void addFiles(sources, isAsked).catch(sayFailure),
    [addFiles],
  )
  return (
    <section class="card files" aria-labelledby="files-heading">
      <h2 ref={heading} tabIndex={-1} id="files-heading">
        {text('files.title')}{' '}
        {isWhole && staying.length > 0 && (
          <small>
            {counted('files.count', staying.length)}, {formatSize(bytes)}
          </small>
        )}
      </h2>
      {isDraft && !isOpen && <p class="hint">{text('files.frozen')}</p>}
      {files?.length === 0 && !isOpen && <p class="quiet">{text('files.none')}</p>}
      {!isWhole && <p class="quiet">{loadingIn(deposit, files)}</p>}
      {progress && (
        <p class="quiet" role="status">
          {text('files.removing', {
            done: formatNumber(progress.done),
            total: formatNumber(progress.total),
          })}
        </p>
      )}
      {queue.size > 1 && <UploadTotalsBar queue={queue} />}
      {underWay.length + unfinished.length > 0 && (
        <ul class="file-list uploads" aria-label={text('uploads.label')}>
          {underWay.map((upload) => (
            <UploadRow key={upload.id} upload={upload} queue={queue} />
          ))}
          {queue.size > underWay.length && (
            <li class="file quiet">{counted('uploads.more', queue.size - underWay.length)}</li>
          )}
          {unfinished.map((upload) => (
            <UnfinishedRow
              key={upload.id}
              upload={upload}
              api={api}
              queue={queue}
              isElsewhere={elsewhere.has(upload.id)}
              isThere={staying.some(
                ({ filename, filesize }) =>
                  filename === upload.filename && filesize === upload.filesize,
              )}
              isOpen={isOpen}
              onDeleted={() => {
                void reload()
                heading.current?.focus()
              }}
            />
          ))}
        </ul>
      )}
      {staying.length > 0 && files && (
        <FileBrowser
          files={staying}
          api={api}
          isOpen={isOpen}
          isSortable={isDraft && isWhole}
          onFolder={setInto}
          onSorted={(sorted) => void sort(reordered(files, sorted))}
          onChanged={() => void reload()}
          onPreview={preview}
          onRemove={remove}
        />
      )}
      {notes && (
        <AddedNotesBox
          notes={notes}
          onTake={(sources) => take(sources, false)}
          onClose={() => setNotes(undefined)}
        />
      )}
      {isOpen && <DropZone into={into} onFiles={take} />}
      {isOpen && page.isByLink !== true && (
        <TrashList
          api={api}
          version={isWhole ? files : undefined}
          onRestored={() => void reload()}
        />
      )}
      {taken && (
        <RestoreDialog
          key={taken.id}
          file={taken}
          api={api}
          onClose={onAnswered}
          onRestored={(name) => {
            onAnswered()
            say(text('trash.restored', { name }))
            void reload()
          }}
        />
      )}
      {previewed && (
        <PreviewDialog
          {...neighbours(staying, previewed, preview)}
          name={previewed.filename}
          download={previewed.links.download}
          onClose={() => preview(undefined)}
        />
      )}
    </section>
  )
}

function loadingIn({ files: stored }: Deposit, shown: readonly DepositFile[] | undefined): string {
  if (!shown || !stored) return text('edit.loading')
  const [done, total] = [formatNumber(shown.length), formatNumber(stored.count)]
  return text('files.loading', { done, total })
}

/** Leads to the previews before and after that of a file. */
function neighbours(
  files: readonly DepositFile[],
  { id }: DepositFile,
  show: (file: DepositFile) => void,
) {
  const shown = files.filter(({ filename, filesize }) => canPreview(filename, filesize))
  const at = shown.findIndex((file) => file.id === id)
  const [before, after] = [at > 0 ? shown[at - 1] : undefined, shown[at + 1]]
  return {
    onPrevious: before && (() => show(before)),
    onNext: after && (() => show(after)),
  }
}

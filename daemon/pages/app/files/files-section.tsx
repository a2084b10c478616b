import { useRef, useState } from 'preact/hooks'
import { counted, text } from '../../text/text.ts'
import { formatBytes } from '../../../../core/base/amounts.ts'
import type { Deposit } from '../api/deposits.ts'
import type { DepositFile } from '../api/files.ts'
import type { Page } from '../api/page.ts'
import { PreviewDialog } from '../ui/preview-dialog.tsx'
import { DropZone } from './drop-zone.tsx'
import { FileList } from './file-list.tsx'
import { TrashList } from '../past/trash-list.tsx'
import { UnfinishedRow } from './unfinished-row.tsx'
import { UploadRow } from './upload-row.tsx'
import { useFiles, useRemoval } from './use-files.ts'

interface FilesSectionProps {
  readonly page: Page
  readonly deposit: Deposit
  /** True where it is a draft that the person may change. */
  readonly isDraft: boolean
  /** Told which uploads are not finished. */
  readonly onUploads: (ids: ReadonlySet<string>) => void
}

/** The files of a deposit: there, on their way, and a place to drop more. */
export function FilesSection({ page, deposit, isDraft, onUploads }: FilesSectionProps) {
  const { api, files, unfinished, sort, reload, queue } = useFiles(page, deposit, onUploads)
  const { leaving, remove } = useRemoval(api, reload)
  const [previewed, preview] = useState<DepositFile>()
  const heading = useRef<HTMLHeadingElement>(null)
  const { value } = deposit.metadata._deposit
  const isOpen = isDraft && typeof value !== 'string'
  const staying = files?.filter(({ id }) => !leaving.has(id)) ?? []
  const bytes = staying.reduce((sum, { filesize }) => sum + filesize, 0)
  return (
    <section class="card files" aria-labelledby="files-heading">
      <h2 ref={heading} tabIndex={-1} id="files-heading">
        {text('files.title')}{' '}
        {staying.length > 0 && (
          <small>
            {counted('files.count', staying.length)}, {formatBytes(bytes)}
          </small>
        )}
      </h2>
      {isDraft && !isOpen && <p class="hint">{text('files.frozen')}</p>}
      {files?.length === 0 && !isOpen && <p class="quiet">{text('files.none')}</p>}
      {staying.length > 0 && (
        <FileList
          files={staying}
          api={api}
          isOpen={isOpen}
          isSortable={isDraft && leaving.size === 0}
          onSorted={(sorted) => void sort(sorted)}
          onChanged={() => void reload()}
          onPreview={preview}
          onRemove={remove}
        />
      )}
      {queue.views.length + unfinished.length > 0 && (
        <ul class="file-list uploads" aria-label={text('uploads.label')}>
          {queue.views.map((upload) => (
            <UploadRow key={upload.id} upload={upload} queue={queue} />
          ))}
          {unfinished.map((upload) => (
            <UnfinishedRow
              key={upload.id}
              upload={upload}
              api={api}
              queue={queue}
              isOpen={isOpen}
              onDeleted={() => {
                void reload()
                heading.current?.focus()
              }}
            />
          ))}
        </ul>
      )}
      {isOpen && <DropZone onFiles={(sources) => queue.add(sources)} />}
      {isOpen && page.isByLink !== true && (
        <TrashList api={api} version={files} onRestored={() => void reload()} />
      )}
      {previewed && (
        <PreviewDialog
          name={previewed.filename}
          download={previewed.links.download}
          onClose={() => preview(undefined)}
        />
      )}
    </section>
  )
}

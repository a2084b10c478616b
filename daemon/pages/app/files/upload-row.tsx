import { formatSize, text } from '../../text/text.ts'
import { localUpload, uploadElement } from './unfinished-uploads.ts'
import type { UploadQueue } from './upload-queue.ts'
import type { UploadTotals, UploadView } from './upload-view.ts'
import { speedInWords } from './upload-totals.tsx'

interface UploadRowProps {
  readonly upload: UploadView
  readonly queue: UploadQueue
}

/** A file on its way. */
export function UploadRow({ upload, queue }: UploadRowProps) {
  const { id, key, size, sent, state, isAway, failure, upload: begun } = upload
  const isStopped = state === 'failed' || state === 'exists'
  const told = state === 'sending' && isAway ? 'away' : state
  const percent = size === 0 ? 100 : Math.floor((sent / size) * 100)
  return (
    <li class={`file upload ${state}`} id={uploadElement(begun ?? localUpload(id))} tabIndex={-1}>
      <span class="file-name">{key}</span>
      <span class="file-facts">
        {(isStopped ? failure : undefined) ?? text(`upload.${told}`, { percent })} ·{' '}
        {formatSize(size)}
        {/* Several have their speed in the bar above them. */}
        {queue.size === 1 && told === 'sending' && speedOf(queue.totals)}
      </span>
      <progress
        max={Math.max(size, 1)}
        value={sent}
        aria-label={text('upload.of', { name: key })}
      />
      <span class="file-actions">
        {(state === 'sending' || state === 'waiting') && (
          <UploadButton label="pause" name={key} onClick={() => void queue.pause(id)} />
        )}
        {(state === 'paused' || state === 'failed' || state === 'signed-out') && (
          <UploadButton label="resume" name={key} onClick={() => queue.resume(id)} />
        )}
        {state === 'exists' && (
          <UploadButton label="replace" name={key} onClick={() => queue.replace(id)} />
        )}
        {state !== 'stored' && (
          <UploadButton label="cancel" name={key} onClick={() => void queue.cancel(id)} />
        )}
      </span>
    </li>
  )
}

function speedOf(totals: UploadTotals): string {
  return speedInWords(totals)
    .map((part) => text('record.between') + part)
    .join('')
}

interface UploadButtonProps {
  readonly label: 'pause' | 'resume' | 'replace' | 'cancel'
  readonly name: string
  readonly onClick: () => void
}

function UploadButton({ label, name, onClick }: UploadButtonProps) {
  return (
    <button type="button" onClick={onClick}>
      {text(`upload.do.${label}`)}
      <span class="visually-hidden"> {name}</span>
    </button>
  )
}

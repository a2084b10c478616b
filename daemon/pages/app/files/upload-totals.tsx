import { formatNumber, formatSize, text } from '../../text/text.ts'
import type { UploadQueue } from './upload-queue.ts'
import type { UploadTotals } from './upload-view.ts'

/** How far all uploads are, how fast they go, and what stops or ends them together. */
export function UploadTotalsBar({ queue }: { readonly queue: UploadQueue }) {
  const totals = queue.totals
  const { files, done, size, sent, paused, taken } = totals
  const isMoving = queue.isBusy
  return (
    <div class="upload-totals" role="group" aria-label={text('uploads.all')}>
      <p>
        <strong>{text('uploads.done', { done, files })}</strong>{' '}
        <span class="quiet">{inWords(totals)}</span>
      </p>
      <progress max={Math.max(size, 1)} value={sent} aria-label={text('uploads.all')} />
      <p class="file-actions">
        {isMoving && (
          <button type="button" onClick={() => void queue.pauseAll()}>
            {text('uploads.pauseAll')}
          </button>
        )}
        {paused > 0 && (
          <button type="button" onClick={() => queue.resumeAll()}>
            {text('uploads.resumeAll')}
          </button>
        )}
        {taken > 1 && (
          <>
            <button type="button" onClick={() => queue.replaceAll()}>
              {text('uploads.replaceAll', { count: formatNumber(taken) })}
            </button>
            <button type="button" onClick={() => void queue.skipAll()}>
              {text('uploads.skipAll', { count: formatNumber(taken) })}
            </button>
          </>
        )}
        <button type="button" onClick={() => void queue.cancelAll()}>
          {text('uploads.cancelAll')}
        </button>
      </p>
    </div>
  )
}

/** In a few words, for where there is little room. */
export function shortTotals({ files, done, stopped }: UploadTotals): string {
  const said = text('uploads.done', { done, files })
  return stopped === 0 ? said : `${said}, ${text('uploads.stopped', { count: stopped })}`
}

/** The speed, and the time left; nothing while no byte is sent. */
export function speedInWords({ size, sent, speed }: UploadTotals): readonly string[] {
  if (speed <= 0) return []
  return [
    text('uploads.speed', { speed: formatSize(Math.round(speed)) }),
    text('uploads.left', { time: toTime((size - sent) / speed) }),
  ]
}

function inWords(totals: UploadTotals): string {
  const { size, sent, stopped } = totals
  const amount = text('uploads.amount', { sent: formatSize(sent), size: formatSize(size) })
  const parts = [amount, ...speedInWords(totals)]
  if (stopped > 0) parts.push(text('uploads.stopped', { count: stopped }))
  return parts.join(text('record.between'))
}

/** `45 s`, `12 min`, `3 h 20 min`: no more exact than it can be known. */
function toTime(seconds: number): string {
  if (seconds < 60) return text('time.seconds', { count: Math.max(1, Math.round(seconds)) })
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return text('time.minutes', { count: minutes })
  return text('time.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

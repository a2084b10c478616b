import { useRef } from 'preact/hooks'
import { formatSize, text } from '../../text/text.ts'
import type { FileApi, UnfinishedUpload } from '../api/files.ts'
import { say, sayFailure } from '../ui/messages.tsx'
import { uploadElement } from './unfinished-uploads.ts'
import type { UploadQueue } from './upload-queue.ts'

interface UnfinishedRowProps {
  readonly upload: UnfinishedUpload
  readonly api: FileApi
  readonly queue: UploadQueue
  /** True while another tab, browser or program is sending it. */
  readonly isElsewhere: boolean
  /** True where the deposit has a file of its name and size. */
  readonly isThere: boolean
  /** True where files can be uploaded and deleted. */
  readonly isOpen: boolean
  readonly onDeleted: () => void
}

/** An upload that another tab, browser or program began, and of which something is missing. */
export function UnfinishedRow(props: UnfinishedRowProps) {
  const { upload, api, queue, isElsewhere, isThere, isOpen, onDeleted } = props
  const { id, filename: name, filesize, offset, partial, length_deferred: isStream } = upload
  const isForeign = partial ?? isStream ?? false
  const input = useRef<HTMLInputElement>(null)
  const percent = filesize === 0 ? 0 : Math.floor((offset / filesize) * 100)
  const foreign = isStream ? 'upload.stream' : 'upload.part'
  const hint = isThere ? 'upload.there' : isForeign ? foreign : 'upload.chooseAgain'
  const resume = async (file: File) => {
    if (file.size !== filesize) {
      const sizes = { name: file.name, size: formatSize(file.size), wanted: formatSize(filesize) }
      say(text('upload.otherFile', sizes), { kind: 'bad' })
      return
    }
    const fields = await api.fieldsOf(upload)
    const replaces = fields['replace'] === 'true'
    // Other programs do not say which state of a file they send: the person who chose it knows.
    const changed = Math.floor(Number(fields['changed'] ?? NaN))
    if (!Number.isNaN(changed) && changed !== file.lastModified) {
      await api.giveUp(upload)
      onDeleted()
      say(text('upload.fromStart', { name }))
      queue.finish(upload, file, { fromStart: true, replaces })
    } else queue.finish(upload, file, { fromStart: false, replaces })
  }
  const remove = async () => {
    await api.giveUp(upload)
    say(text('upload.deleted', { name }))
    onDeleted()
  }
  return (
    <li class="file upload unfinished" id={uploadElement(id)} tabIndex={-1}>
      <span class="file-name">{name}</span>
      <span class="file-facts">
        {isStream
          ? text('upload.arrived', { size: formatSize(offset) })
          : `${text(isElsewhere ? 'upload.elsewhere' : 'upload.stopped', { percent })} · ${formatSize(filesize)}`}
      </span>
      {!isStream && (
        <progress
          max={Math.max(filesize, 1)}
          value={offset}
          aria-label={text('upload.of', { name })}
        />
      )}
      {isOpen && (
        <>
          {!isElsewhere && <span class="file-hint">{text(hint)}</span>}
          <span class="file-actions">
            {!isForeign && !isThere && (
              <button type="button" onClick={() => input.current?.click()}>
                {text('upload.do.choose')}
                <span class="visually-hidden"> {name}</span>
              </button>
            )}
            <button type="button" onClick={() => void remove().catch(sayFailure)}>
              {text('upload.do.delete')}
              <span class="visually-hidden"> {name}</span>
            </button>
          </span>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={text('upload.chooseFor', { name })}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              currentTarget.value = ''
              if (file) void resume(file).catch(sayFailure)
            }}
          />
        </>
      )}
    </li>
  )
}

import type { Ref } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Fault } from '../api/http.ts'
import { ReadingView } from '../read/reading-view.tsx'
import type { FilesSection } from '../files/files-section.tsx'
import { DepositForm } from '../form/deposit-form.tsx'
import { ImportButton } from '../import/import-button.tsx'
import { revealField } from '../form/object-template.tsx'
import { later } from '../ui/later.tsx'
import { Notice, say, sayFailure } from '../ui/messages.tsx'
import type { JsonObject } from '../api/json.ts'
import { hasScope } from '../api/session.ts'
import { writeScope } from '../../../../core/contract/scopes.ts'
import type { Page } from '../api/page.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import type { Loaded } from '../draft/load-deposit.ts'
import { isChangeable } from '../people/standing.ts'
import { useAddMe } from './add-me.ts'
import { CorrectSubmitted, type Correction } from './correct-submitted.tsx'

// Most drafts are shown without them.
const ConflictPanel = later(async () => (await import('../draft/conflict-panel.tsx')).ConflictPanel)
const AsideNotice = later(async () => (await import('../draft/aside-notice.tsx')).AsideNotice)
const FaultSummary = later(async () => (await import('./fault-summary.tsx')).FaultSummary)

/** Milliseconds: a day. The message goes with the conflict. */
const untilSettled = 86_400_000

interface EditMainProps {
  readonly page: Page
  readonly editor: DraftEditor
  readonly loaded: Loaded
  readonly correction: Correction
  /** True while an action runs: the form waits for its end. */
  readonly isBusy: boolean
  /** Faults that are already certain while the user types. */
  readonly live: readonly Fault[]
  /** Faults of the last rehearsal. */
  readonly rehearsed: readonly Fault[]
  readonly summary: Ref<HTMLDivElement>
  readonly onChange: (document: JsonObject) => void
  /** Told which uploads are not finished. */
  readonly onUploads: (ids: ReadonlySet<string>) => void
}

/** Conflicts and faults, the form, and the files; for those who may not change it, the text to read. */
export function EditMain(props: EditMainProps) {
  const { page, editor, loaded, correction, live, rehearsed, summary } = props
  const { isBusy, onChange, onUploads } = props
  const { deposit, document: metadata, conflict, formVersion } = editor.view
  const { schema } = loaded.form
  const addMe = useAddMe(page, editor)
  const [filesStatus, setFilesStatus] = useState('')
  useEffect(() => {
    if (!conflict) return undefined
    // The panel is at the top of the page, which may be out of sight.
    return say(text('save.conflictAbove'), { kind: 'bad', forMs: untilSettled })
  }, [conflict !== undefined])
  const faults = useMemo(() => [...live, ...rehearsed], [live, rehearsed])
  return (
    <div class="edit-main">
      <nav class="edit-nav" aria-label={text('edit.parts')}>
        <a href="#metadata-part">{text('reading.label')}</a>
        <a href="#files-heading">
          {text('files.title')} <span class="count">{filesStatus}</span>
        </a>
      </nav>
      {editor.view.aside && <AsideNotice editor={editor} labels={schema} />}
      {conflict && (
        <ConflictPanel
          of="saved"
          merge={conflict}
          labels={schema}
          onSettle={(choices) => void editor.settle(choices)}
        />
      )}
      {deposit.review && deposit.review.state !== 'accepted' && (
        <Notice kind={deposit.review.state === 'returned' ? 'warn' : 'info'}>
          <p>{text(`review.${deposit.review.state}`)}</p>
          {deposit.review.message !== undefined && (
            <p class="comment-text">{text('review.said', { message: deposit.review.message })}</p>
          )}
          <CorrectSubmitted
            page={page}
            deposit={deposit}
            standing={loaded.standing}
            correction={correction}
          />
        </Notice>
      )}
      <div ref={summary} id="metadata-part" tabIndex={-1}>
        {rehearsed.length > 0 && (
          <FaultSummary editor={editor} faults={rehearsed} labels={schema} onGo={revealField} />
        )}
      </div>
      {editor.isOpen && <ImportButton editor={editor} schema={schema} />}
      {editor.isOpen ? (
        <div key="form" inert={isBusy}>
          <DepositForm
            key={formVersion}
            form={loaded.form}
            layout={loaded.layout}
            document={metadata}
            faults={faults}
            onChange={onChange}
            addMe={addMe}
          />
        </div>
      ) : (
        <ReadingView key="reading" schema={schema} document={metadata} />
      )}
      <Files
        key="files"
        page={page}
        deposit={deposit}
        others={editor.view.others}
        isDraft={isChangeable(deposit, loaded.standing) && hasScope(writeScope)}
        onUploads={onUploads}
        onStatus={setFilesStatus}
      />
    </div>
  )
}

/** {@link FilesSection}, once it is loaded: the form is shown before it. */
function Files(props: Parameters<typeof FilesSection>[0]) {
  const [Loaded, setLoaded] = useState<typeof FilesSection>()
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { FilesSection: found } = await import('../files/files-section.tsx')
      setLoaded(() => found)
    }
    load().catch(sayFailure)
  }, [])
  if (Loaded) return <Loaded {...props} />
  return (
    <section class="card files">
      <h2>{text('files.title')}</h2>
    </section>
  )
}

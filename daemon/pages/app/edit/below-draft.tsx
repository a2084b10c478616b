import '../styles/review.css'
import type { DepositApi } from '../api/deposits.ts'
import type { Page } from '../api/page.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import type { Loaded } from '../draft/load-deposit.ts'
import { HistorySection } from '../past/history-section.tsx'
import { PeopleSection } from '../people/people-section.tsx'
import { mayLeave, mayManage } from '../people/standing.ts'
import { ReviewSection } from '../review/review-section.tsx'

interface BelowDraftProps {
  readonly page: Page
  readonly api: DepositApi
  readonly editor: DraftEditor
  readonly loaded: Loaded
}

/** Review, history and people of a deposit: below the first view, so they are loaded after it. */
export function BelowDraft({ page, api, editor, loaded }: BelowDraftProps) {
  const { standing } = loaded
  const { deposit } = editor.view
  return (
    <>
      <ReviewSection page={page} deposit={deposit} standing={standing} />
      <HistorySection api={api} editor={editor} standing={standing} labels={loaded.form.schema} />
      <PeopleSection
        page={page}
        id={deposit.id}
        mayManage={mayManage(standing)}
        mayLeave={mayLeave(standing)}
      />
    </>
  )
}

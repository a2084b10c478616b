import { useEffect, useState } from 'preact/hooks'
import { mostOfComment, type CommentBody } from '../../../../core/contract/review.ts'
import { writeScope } from '../../../../core/contract/scopes.ts'
import { formatTime, text } from '../../text/text.ts'
import { reviewApi } from '../api/reviews.ts'
import type { Deposit } from '../api/deposits.ts'
import type { Page } from '../api/page.ts'
import { hasScope } from '../api/session.ts'
import { isSubmitted, mayChange, mayJudge, type Standing } from '../people/standing.ts'
import { say, sayFailure } from '../ui/messages.tsx'

interface ReviewSectionProps {
  readonly page: Page
  readonly deposit: Deposit
  readonly standing: Standing
}

/** What owners and reviewers say to each other, and the steps of the review. */
export function ReviewSection({ page, deposit, standing }: ReviewSectionProps) {
  const api = reviewApi(page)
  const { id, revision } = deposit
  const [comments, setComments] = useState<readonly CommentBody[]>()
  // Without them the page is whole: they are asked for again with the next change.
  const load = () => api.comments(id).then(setComments, () => undefined)
  useEffect(() => {
    void load()
    const refresh = () => void load()
    addEventListener('focus', refresh)
    return () => removeEventListener('focus', refresh)
  }, [id, revision])
  if (!comments || (page.review === undefined && comments.length === 0)) return null
  const isJudge = mayJudge(standing) && isSubmitted(deposit)
  const mayComment = (mayChange(standing) || isJudge) && hasScope(writeScope)
  return (
    <section class="card comments" aria-labelledby="comments-heading">
      <h2 id="comments-heading">{text('comments.title')}</h2>
      <p class="hint">
        {text(page.review === undefined ? 'comments.explain' : 'comments.explainReviewers')}
      </p>
      {comments.length === 0 && <p class="quiet">{text('comments.none')}</p>}
      {comments.length > 0 && (
        <ol class="comment-list" aria-label={text('comments.list')}>
          {comments.map((comment) => (
            <CommentRow key={comment.id} comment={comment} />
          ))}
        </ol>
      )}
      {mayComment && (
        <AddComment
          onAdd={async (words) => {
            await api.comment(id, words)
            say(text('comments.added'))
            await load()
          }}
        />
      )}
    </section>
  )
}

function CommentRow({ comment }: { readonly comment: CommentBody }) {
  const { at, by, action, text: words } = comment
  const name = by.name ?? text('comments.unknown')
  return (
    <li class="comment">
      <p>
        <strong>{action === undefined ? name : text(`comments.did.${action}`, { name })}</strong>{' '}
        <time class="quiet" dateTime={at}>
          {formatTime(at)} UTC
        </time>
      </p>
      {words !== '' && (
        <p class="comment-text" dir="auto">
          {words}
        </p>
      )}
    </li>
  )
}

function AddComment({ onAdd }: { readonly onAdd: (words: string) => Promise<void> }) {
  const [words, setWords] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy || words.trim() === '') return
    setBusy(true)
    try {
      await onAdd(words.trim())
      setWords('')
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  return (
    <form class="comment-form" onSubmit={(event) => void submit(event)}>
      <label>
        {text('comments.text')}
        <textarea
          rows={3}
          required
          maxLength={mostOfComment}
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </label>
      <button type="submit" aria-disabled={isBusy}>
        {text('comments.add')}
      </button>
    </form>
  )
}

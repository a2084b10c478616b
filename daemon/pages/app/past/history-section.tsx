import type { RJSFSchema } from '@rjsf/utils'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { HistoryEntryBody } from '../../../../core/contract/history.ts'
import { writeScope } from '../../../../core/contract/scopes.ts'
import { past } from '../../text/past.ts'
import { addTexts, formatTime, text } from '../../text/text.ts'
import type { DepositApi } from '../api/deposits.ts'
import { hasScope } from '../api/session.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { isChangeable, nameOfUser, type Standing } from '../people/standing.ts'
import { say, sayFailure } from '../ui/messages.tsx'
import { placesOf, summaryOf } from './change-words.ts'

addTexts(past)

/** Milliseconds for which an undo can be taken back where it is said. */
const undoMs = 20_000

interface HistorySectionProps {
  readonly api: DepositApi
  readonly editor: DraftEditor
  readonly standing: Standing
  readonly labels: RJSFSchema
}

/** The saved changes of the metadata: who, when and what; each can be undone. */
export function HistorySection({ api, editor, standing, labels }: HistorySectionProps) {
  const { id, revision } = editor.view.deposit
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const { changes, hasMore, showMore } = useHistory(api, id, isOpen ? revision : undefined)
  const canUndo = isChangeable(editor.view.deposit, standing) && hasScope(writeScope)
  const undo = async (step: { readonly to?: number }, done: string) => {
    setBusy(true)
    try {
      const before = changes?.[0]?.n
      if (await editor.undoTo(step)) {
        const undoing = async () => {
          dismiss()
          if (await editor.undoTo({ ...(before !== undefined && { to: before }) }))
            say(text('history.back.undone'))
        }
        const dismiss = say(done, { undo: () => void undoing().catch(sayFailure), forMs: undoMs })
      } else say(text('history.unsaved'), { kind: 'bad' })
      // The button goes with its row.
      heading.current?.focus()
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  return (
    <details class="card history" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2 ref={heading} tabIndex={-1}>
          {text('history.title')}
        </h2>
      </summary>
      <p class="hint">{text('history.explain')}</p>
      {isOpen && !changes && <p class="quiet">{text('history.loading')}</p>}
      {changes?.length === 0 && <p class="quiet">{text('history.none')}</p>}
      {changes && changes.length > 0 && (
        <ol class="history-list" aria-label={text('history.list')}>
          {changes.map((change, at) => (
            <ChangeRow
              key={change.n}
              change={change}
              name={nameOfUser(change.by, standing, change.email)}
              labels={labels}
              isBusy={isBusy}
              undo={canUndo ? { isLast: at === 0, run: undo } : undefined}
            />
          ))}
        </ol>
      )}
      {hasMore && (
        <p>
          <button type="button" onClick={() => void showMore()}>
            {text('history.older')}
          </button>
        </p>
      )}
    </details>
  )
}

interface ChangeRowProps {
  readonly change: HistoryEntryBody
  readonly name: string
  readonly labels: RJSFSchema
  readonly isBusy: boolean
  /** Absent for those who may not undo. */
  readonly undo:
    | {
        readonly isLast: boolean
        readonly run: (step: { readonly to?: number }, done: string) => Promise<void>
      }
    | undefined
}

function ChangeRow({ change, name, labels, isBusy, undo }: ChangeRowProps) {
  const { n, at } = change
  const what = `change-${n}`
  const run = () => {
    if (!undo || isBusy) return
    if (undo.isLast) void undo.run({}, text('history.undone'))
    else void undo.run({ to: n - 1 }, text('history.wentBack'))
  }
  return (
    <li class="change">
      <div>
        <p id={what}>{summaryOf(change, labels)}</p>
        <p class="quiet">
          <time dateTime={at}>{text('history.when', { time: formatTime(at), name })}</time>
        </p>
        <details>
          <summary class="quiet">
            {text('history.details')}
            <span class="visually-hidden"> {formatTime(at)}</span>
          </summary>
          <ChangeTable change={change} labels={labels} />
        </details>
      </div>
      {undo && (
        <button type="button" aria-disabled={isBusy} aria-describedby={what} onClick={run}>
          {text(undo.isLast ? 'history.undo' : 'history.back')}
        </button>
      )}
    </li>
  )
}

function ChangeTable({ change, labels }: Pick<ChangeRowProps, 'change' | 'labels'>) {
  return (
    <dl class="change-places">
      {placesOf(change, labels).map(({ label, before, after }, at) => (
        <div key={at}>
          <dt>{label}</dt>
          {before !== undefined && (
            <dd dir="auto">
              <span class="quiet">{text('history.before')}: </span>
              <del>{before}</del>
            </dd>
          )}
          {after !== undefined && (
            <dd dir="auto">
              <span class="quiet">{text('history.after')}: </span>
              <ins>{after}</ins>
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

interface History {
  readonly changes?: readonly HistoryEntryBody[]
  readonly hasMore: boolean
  readonly showMore: () => Promise<void>
}

/** @param revision of the deposit, at each of which the list is asked for; undefined while it is not shown */
function useHistory(api: DepositApi, id: string, revision: number | undefined): History {
  const [changes, setChanges] = useState<readonly HistoryEntryBody[]>()
  const [next, setNext] = useState<string>()
  useEffect(() => {
    if (revision === undefined) return undefined
    let isCurrent = true
    api.historyPage(id).then((page) => {
      if (!isCurrent) return
      setChanges(page.changes)
      setNext(page.next)
    }, sayFailure)
    return () => {
      isCurrent = false
    }
  }, [id, revision])
  const showMore = async () => {
    try {
      const page = await api.historyPage(id, next)
      setChanges([...(changes ?? []), ...page.changes])
      setNext(page.next)
    } catch (error) {
      sayFailure(error)
    }
  }
  return { ...(changes && { changes }), hasMore: next !== undefined, showMore }
}

import { useState } from 'preact/hooks'
import { listSelection } from '../../text/list-selection.ts'
import { addTexts, counted, text } from '../../text/text.ts'
import type { Deposit, DepositApi } from '../api/deposits.ts'
import { ApiProblem } from '../api/http.ts'
import { Confirm } from '../ui/dialog.tsx'
import { say, sayFailure } from '../ui/messages.tsx'
import { titleOf } from './deposit-row.tsx'

addTexts(listSelection)

/** Drafts that the question names. */
const mostNamed = 8

interface DraftSelectionProps {
  readonly api: DepositApi
  readonly drafts: readonly Deposit[]
  /** Told which stay selected; the list is asked for again. */
  readonly onDone: (left: readonly Deposit[]) => void
}

/** What can be done with several drafts at once. */
export function DraftSelection({ api, drafts, onDone }: DraftSelectionProps) {
  const [isAsking, setAsking] = useState(false)
  const [done, setDone] = useState<number>()
  const isBusy = done !== undefined
  const remove = async () => {
    setAsking(false)
    let count = 0
    setDone(count)
    try {
      for (const { id } of drafts) {
        await removeOne(api, id)
        setDone((count += 1))
      }
    } catch (error) {
      sayFailure(error)
    }
    setDone(undefined)
    if (count > 0) say(counted('list.deleted', count))
    onDone(drafts.slice(count))
  }
  return (
    <div class="file-selection" role="group" aria-label={text('list.selection')}>
      <span role="status">
        {isBusy
          ? text('list.deleting', { done, total: drafts.length })
          : counted('list.selected', drafts.length)}
      </span>
      <span class="file-actions">
        <button type="button" class="danger" disabled={isBusy} onClick={() => setAsking(true)}>
          {text('list.deleteDrafts')}
        </button>
        <button type="button" class="quiet-button" disabled={isBusy} onClick={() => onDone([])}>
          {text('list.unselect')}
        </button>
      </span>
      {isAsking && (
        <Confirm
          title={counted('list.askDelete', drafts.length)}
          confirm={text('list.confirmDelete')}
          danger
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        >
          <p>{text('list.explainDelete')}</p>
          <ul>
            {drafts.slice(0, mostNamed).map((draft) => (
              <li key={draft.id} dir="auto">
                {titleOf(draft)}
              </li>
            ))}
            {drafts.length > mostNamed && (
              <li>{counted('list.moreDrafts', drafts.length - mostNamed)}</li>
            )}
          </ul>
        </Confirm>
      )}
    </div>
  )
}

/** Another tab or program may have deleted it. */
async function removeOne(api: DepositApi, id: string): Promise<void> {
  try {
    await api.remove(id)
  } catch (error) {
    if (!(error instanceof ApiProblem) || (error.status !== 404 && error.status !== 410))
      throw error
  }
}

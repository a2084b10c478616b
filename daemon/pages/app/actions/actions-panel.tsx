import type { RJSFSchema } from '@rjsf/utils'
import { useState } from 'preact/hooks'
import { actionsScope, writeScope } from '../../../../core/contract/scopes.ts'
import { text } from '../../text/text.ts'
import type { DepositApi, Rehearsal } from '../api/deposits.ts'
import type { Fault } from '../api/http.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { settle } from '../../text/field-merge.ts'
import { reasonToRead, type Standing } from '../people/standing.ts'
import type { Page } from '../api/page.ts'
import { hasScope } from '../api/session.ts'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { later } from '../ui/later.tsx'
import { sayFailure } from '../ui/messages.tsx'
import { actionsFor, toIdentifiers } from './action-list.ts'
import type { ActionChoice, ActionName, ReviewAction } from './action-list.ts'
import type * as PublishParts from './publish-parts.ts'
import { rehearse } from './rehearse.ts'
import { runAction, settleConflict } from './run-action.ts'
import type { Outcome, PublishConflict } from './run-action.ts'
import { WherePublished } from './where-published.tsx'
import type { JsonObject } from '../api/json.ts'

const ConflictPanel = later(async () => (await import('../draft/conflict-panel.tsx')).ConflictPanel)
const ReviewDialog = later(async () => (await import('./review-dialog.tsx')).ReviewDialog)
const WithdrawDialog = later(async () => (await import('./withdraw-dialog.tsx')).WithdrawDialog)

interface ActionsPanelProps {
  readonly page: Page
  readonly api: DepositApi
  readonly editor: DraftEditor
  readonly standing: Standing
  readonly labels: RJSFSchema
  /** True while an action runs: what is typed now would not be part of it. */
  readonly isBusy: boolean
  readonly onBusy: (isBusy: boolean) => void
  /** Called with the faults that prevent publishing, which may be none. */
  readonly onFaults: (faults: readonly Fault[]) => void
}

/** An action that waits for a person to confirm it. */
interface Question {
  readonly name: ActionName
  readonly rehearsal?: Rehearsal
  /** Of the draft as it is shown: no other is published or submitted. */
  readonly revision?: number
  /** Set where it was asked before, of a draft that somebody has changed since. */
  readonly isChanged?: boolean
  /** What was written to it then. */
  readonly message?: string
}

/** The actions possible now, each with a description. */
export function ActionsPanel(props: ActionsPanelProps) {
  const { page, api, editor, standing, labels, isBusy, onBusy, onFaults } = props
  const [asking, setAsking] = useState<Question>()
  const [conflict, setConflict] = useState<PublishConflict>()
  const [isAway, setAway] = useState(false)
  const [isJustPublished, setJustPublished] = useState(false)
  const [parts, setParts] = useState<typeof PublishParts>()
  const place = { page, api, editor, standing, onAway: () => setAway(true) }
  const { deposit } = editor.view
  const actions = actionsFor(deposit, standing, page)
  const identifiers = toIdentifiers(deposit.pids)
  const reason = reasonToRead(deposit, standing)

  const whileBusy = async (task: () => Promise<void>) => {
    onBusy(true)
    await task().catch(sayFailure)
    setAway(false)
    onBusy(false)
  }
  const show = (outcome: Outcome) => {
    if (outcome === 'stale') return
    onFaults(outcome && 'faults' in outcome ? outcome.faults : [])
    if (outcome && 'conflict' in outcome) setConflict(outcome.conflict)
  }
  const run = (name: ActionName, body?: JsonObject) =>
    whileBusy(async () => {
      setAsking(undefined)
      setJustPublished(false)
      const outcome = await runAction(place, name, body, asking?.revision)
      if (outcome === 'stale' && (name === 'publish' || name === 'submit')) {
        const { message } = body ?? {}
        await askWhenReady(name, { isChanged: true, ...(isText(message) && { message }) })
        return
      }
      show(outcome)
      const { metadata } = editor.view.deposit
      const isPublished = metadata._deposit.status === 'published'
      setJustPublished(name === 'publish' && outcome === undefined && isPublished)
    })
  const askWhenReady = async (name: 'publish' | 'submit', again: Partial<Question> = {}) => {
    const rehearsal = await rehearse(place)
    if (!rehearsal) return
    const { answer, faults, conflict: found } = rehearsal
    onFaults(faults)
    if (found) setConflict(found)
    else if (faults.length === 0) {
      const loaded = await import('./publish-parts.ts')
      setParts(loaded)
      const { revision } = editor.view.deposit
      setAsking({ ...again, name, rehearsal: answer, revision })
    }
  }
  /** With a warning where it opens closed files; the rest was told to those who submitted. */
  const askToAccept = async () => {
    const answer = await api.rehearse(deposit.id).catch(() => undefined)
    const warnings = answer?.warnings.filter(({ field }) => field === '/access')
    setAsking({ name: 'accept', ...(answer && warnings && { rehearsal: { ...answer, warnings } }) })
  }
  /** An acceptance is bound to the revision that is shown. */
  const toRequest = (name: ActionName, message: string): JsonObject => ({
    ...(name === 'accept' && { revision: deposit.revision }),
    ...(message !== '' && { message }),
  })
  const begin = ({ name, asks }: ActionChoice) => {
    if (name === 'publish' || name === 'submit') void whileBusy(() => askWhenReady(name))
    else if (name === 'accept') void whileBusy(askToAccept)
    else if (asks) setAsking({ name })
    else void run(name)
  }

  const becoming = { deposit, document: editor.view.document, identifiers, labels }
  const changeDate = (name: 'publish' | 'submit', day: string) => {
    setAsking(undefined)
    editor.replace({ ...editor.view.document, publication_date: day })
    void whileBusy(() => askWhenReady(name))
  }

  return (
    <aside class="edit-side" aria-label={text('actions.label')}>
      {parts && isJustPublished && (
        <parts.JustPublished
          page={page}
          deposit={deposit}
          hasDoi={identifiers.some(({ kind }) => kind === 'DOI')}
        />
      )}
      <WherePublished page={page} api={api} deposit={deposit} />
      {reason !== undefined && <p class="card quiet">{text(reason)}</p>}
      {actions.length > 0 && (
        <div class="card actions">
          <div class="working" role="status">
            {isBusy && (
              <>
                <progress aria-label={text('actions.working')} />
                {text(isAway ? 'actions.away' : 'actions.working')}
              </>
            )}
          </div>
          {actions.map((action) => (
            <ActionButton
              key={action.name}
              action={action}
              isAgain={typeof deposit.metadata._deposit.value === 'string'}
              isBusy={isBusy}
              onRun={() => begin(action)}
            />
          ))}
        </div>
      )}
      {asking?.name === 'withdraw' && (
        <WithdrawDialog
          onConfirm={(request) => void run('withdraw', request)}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking && isReview(asking.name) && (
        <ReviewDialog
          name={asking.name}
          becoming={{
            ...becoming,
            onDate: asking.name === 'submit' ? (day) => changeDate('submit', day) : undefined,
          }}
          rehearsal={asking.rehearsal}
          isChanged={asking.isChanged}
          written={asking.message}
          onConfirm={(message) => void run(asking.name, toRequest(asking.name, message))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {parts && asking?.name === 'publish' && (
        <parts.PublishDialog
          {...becoming}
          onDate={(day) => changeDate('publish', day)}
          rehearsal={asking.rehearsal}
          isChanged={asking.isChanged}
          onConfirm={() => void run('publish')}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking && !hasOwnDialog(asking.name) && (
        <AskFirst
          name={asking.name}
          onConfirm={() => void run(asking.name)}
          onClose={() => setAsking(undefined)}
        />
      )}
      {conflict && (
        <Dialog title={text('conflict.published')} wide onClose={() => setConflict(undefined)}>
          <div class="dialog-body">
            <ConflictPanel
              of="published"
              merge={conflict}
              labels={labels}
              onSettle={(choices) => {
                setConflict(undefined)
                void whileBusy(async () =>
                  show(await settleConflict(place, conflict, settle(conflict, choices))),
                )
              }}
            />
          </div>
        </Dialog>
      )}
    </aside>
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function hasOwnDialog(name: ActionName): name is 'withdraw' | 'publish' | ReviewAction {
  return name === 'withdraw' || name === 'publish' || isReview(name)
}

function isReview(name: ActionName): name is ReviewAction {
  return name === 'submit' || name === 'return' || name === 'accept'
}

interface ActionButtonProps {
  readonly action: ActionChoice
  /** True where there is a record already. */
  readonly isAgain: boolean
  readonly isBusy: boolean
  readonly onRun: () => void
}

function ActionButton({ action, isAgain, isBusy, onRun }: ActionButtonProps) {
  const { name, isPrimary, isDanger } = action
  const said = name === 'publish' && isAgain ? 'publishAgain' : name
  const isOwners = name === 'submit' || name === 'take-back'
  const mayRun =
    hasScope(name === 'delete' ? writeScope : actionsScope) || (isOwners && hasScope(writeScope))
  const refusal = mayRun ? action.refusal : 'actions.noScope'
  const kind = isPrimary ? 'primary' : isDanger ? 'danger' : ''
  return (
    <div class="action">
      <button
        type="button"
        class={kind}
        disabled={refusal !== undefined}
        aria-disabled={isBusy}
        aria-describedby={`does-${name}`}
        onClick={() => {
          // It keeps the focus while it is at work.
          if (!isBusy) onRun()
        }}
      >
        {text(`action.${said}`)}
      </button>
      <p id={`does-${name}`} class="quiet">
        {text(refusal ?? `does.${said}`)}
      </p>
    </div>
  )
}

interface AskFirstProps {
  readonly name: Exclude<ActionName, 'publish'>
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Says what an action will do before it is done. */
function AskFirst({ name, onConfirm, onClose }: AskFirstProps) {
  return (
    <Confirm
      title={text(`ask.${name}`)}
      confirm={text(`confirm.${name}`)}
      danger={name !== 'take-back'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{text(`explain.${name}`)}</p>
    </Confirm>
  )
}

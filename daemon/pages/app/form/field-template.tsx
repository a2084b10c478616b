import type { FieldPathId, FieldTemplateProps, Registry } from '@rjsf/utils'
import { text } from '../../text/text.ts'

/** A field: its label, its purpose, the widget, and its faults. */
export function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, hidden, displayLabel, schema, rawErrors = [], fieldPathId } = props
  if (hidden) return <div hidden>{props.children}</div>
  const faults = <Faults id={id} messages={displayLabel ? rawErrors : []} />
  if (!displayLabel) {
    return (
      <div class="field-group">
        {props.children}
        {faults}
      </div>
    )
  }
  const inList = typeof fieldPathId.path.at(-1) === 'number'
  const hint = props.rawDescription ?? schema.description
  const value: unknown = props.formData
  return (
    <div class={`field ${rawErrors.length > 0 ? 'faulty' : ''}`}>
      <label for={id} class={inList ? 'visually-hidden' : 'label'}>
        {label}
        <Wanted required={props.required === true} recommended={isRecommended(props)} />
      </label>
      {hint && !inList && (
        <p class="hint" id={`${id}__description`}>
          {hint}
        </p>
      )}
      {props.children}
      {schema.format === 'orcid' && rawErrors.length === 0 && <Orcid value={value} />}
      {faults}
    </div>
  )
}

/** Leads to the person of an ORCID iD: its digits say nothing of whose it is. */
function Orcid({ value }: { readonly value: unknown }) {
  const id = typeof value === 'string' && /\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.exec(value)?.[0]
  if (!id) return null
  return (
    <a class="hint" href={`https://orcid.org/${id}`} target="_blank" rel="external noreferrer">
      {text('form.orcid', { id })}
    </a>
  )
}

interface WantedProps {
  readonly required: boolean
  readonly recommended: boolean
}

/** Whether a record has to have the field, or should. */
export function Wanted({ required, recommended }: WantedProps) {
  if (required) return <span class="wanted required">{text('form.required')}</span>
  if (recommended) return <span class="wanted">{text('form.recommended')}</span>
  return null
}

/** The faults of a field. The element is always there, so that screen readers announce changes. */
export function Faults({ id, messages }: { readonly id: string; readonly messages: string[] }) {
  return (
    <div id={`${id}__error`} class="faults" aria-live="polite">
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

/** Data of the form for its templates. */
export interface FormContext {
  readonly recommended: ReadonlySet<string>
  /** Adds the person who is signed in to the creators; absent where their name is not known. */
  readonly addMe?: (() => void) | undefined
}

interface Placed {
  readonly fieldPathId: FieldPathId
  readonly registry: Registry
}

/** True for a field of the document itself that a record should have. */
export function isRecommended({ fieldPathId, registry }: Placed): boolean {
  const [name, ...inside] = fieldPathId.path
  const { recommended } = registry.formContext as FormContext
  return inside.length === 0 && typeof name === 'string' && recommended.has(name)
}

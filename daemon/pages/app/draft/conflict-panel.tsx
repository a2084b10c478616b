import type { RJSFSchema } from '@rjsf/utils'
import { useState } from 'preact/hooks'
import { conflict as texts } from '../../text/conflict.ts'
import { addTexts, text } from '../../text/text.ts'
import type { Choices, FieldConflict, FieldMerge } from '../../text/field-merge.ts'
import { labelAt } from '../form/faults.ts'
import { isArray, isObject } from '../api/json.ts'
import type { Json } from '../api/json.ts'

addTexts(texts)

interface ConflictPanelProps {
  /** What was changed by two: a draft that is saved, or the record it is of. */
  readonly of: 'saved' | 'published'
  readonly merge: FieldMerge
  readonly labels: RJSFSchema
  readonly onSettle: (choices: Choices) => void
}

/** Two versions side by side, field by field; nothing goes on until each field is decided. */
export function ConflictPanel({ of, merge, labels, onSettle }: ConflictPanelProps) {
  const [choices, setChoices] = useState<Choices>({})
  const { conflicts } = merge
  const isOpen = conflicts.some(({ field }) => choices[field] === undefined)
  const chooseAll = (side: Side) =>
    setChoices(Object.fromEntries(conflicts.map(({ field }) => [field, side] as const)))
  return (
    <section class="card conflict" aria-labelledby="conflict-heading">
      <h2 id="conflict-heading">
        {text(of === 'saved' ? 'conflict.saved' : 'conflict.publishedTitle')}
      </h2>
      <p>{text(`conflict.${of}Explain`)}</p>
      <p class="conflict-all">
        <button type="button" onClick={() => chooseAll('mine')}>
          {text('conflict.allMine')}
        </button>
        <button type="button" onClick={() => chooseAll('theirs')}>
          {text('conflict.allTheirs')}
        </button>
      </p>
      {conflicts.map((conflict) => (
        <ConflictField
          key={conflict.field}
          conflict={conflict}
          label={labelAt(labels, `/${conflict.field}`)}
          chosen={choices[conflict.field]}
          onChoose={(side) => setChoices({ ...choices, [conflict.field]: side })}
        />
      ))}
      <p class="form-foot">
        <button type="button" class="primary" disabled={isOpen} onClick={() => onSettle(choices)}>
          {text('conflict.settle')}
        </button>
      </p>
    </section>
  )
}

type Side = 'mine' | 'theirs'

const sides: readonly Side[] = ['mine', 'theirs']

interface ConflictFieldProps {
  readonly conflict: FieldConflict
  readonly label: string
  readonly chosen: Side | undefined
  readonly onChoose: (side: Side) => void
}

/** One field that both sides changed, with what it was before. */
function ConflictField({ conflict, label, chosen, onChoose }: ConflictFieldProps) {
  return (
    <fieldset class="conflict-field">
      <legend class="label">{label}</legend>
      <div class="conflict-sides">
        {sides.map((side) => (
          <label key={side} class="choice">
            <input
              type="radio"
              name={`conflict-${conflict.field}`}
              checked={chosen === side}
              onChange={() => onChoose(side)}
            />
            <span class="choice-title">{text(`conflict.${side}`)}</span>
            <span class="conflict-value">{inWords(conflict[side])}</span>
          </label>
        ))}
      </div>
      <details>
        <summary class="quiet">{text('conflict.before')}</summary>
        <p class="conflict-value">{inWords(conflict.base)}</p>
      </details>
    </fieldset>
  )
}

/** A list line by line; the fields of an element on one of them. */
export function inWords(value: Json | undefined): string {
  if (value === undefined || (isArray(value) && value.length === 0)) return text('conflict.nothing')
  return isArray(value) ? value.map(inLine).join('\n') : inLine(value)
}

function inLine(value: Json): string {
  if (isArray(value)) return value.map(inLine).join('; ')
  if (isObject(value)) return Object.values(value).map(inLine).join(text('record.between'))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

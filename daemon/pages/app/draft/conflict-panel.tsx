import type { RJSFSchema } from '@rjsf/utils'
import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Choices, FieldMerge } from './field-merge.ts'
import { labelAt } from '../form/labels.ts'
import { ConflictField, type Side } from './conflict-field.tsx'

interface ConflictPanelProps {
  readonly title: string
  readonly explain: string
  readonly merge: FieldMerge
  readonly labels: RJSFSchema
  readonly onSettle: (choices: Choices) => void
}

/** Two versions side by side, field by field; nothing goes on until each field is decided. */
export function ConflictPanel({ title, explain, merge, labels, onSettle }: ConflictPanelProps) {
  const [choices, setChoices] = useState<Choices>({})
  const { conflicts } = merge
  const isOpen = conflicts.some(({ field }) => choices[field] === undefined)
  const chooseAll = (side: Side) =>
    setChoices(Object.fromEntries(conflicts.map(({ field }) => [field, side] as const)))
  return (
    <section class="card conflict" aria-labelledby="conflict-heading">
      <h2 id="conflict-heading">{title}</h2>
      <p>{explain}</p>
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

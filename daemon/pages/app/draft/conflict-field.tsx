import { text } from '../../text/text.ts'
import type { FieldConflict } from './field-merge.ts'
import { isArray, isObject, type Json } from '../api/json.ts'

export type Side = 'mine' | 'theirs'

const sides: readonly Side[] = ['mine', 'theirs']

interface ConflictFieldProps {
  readonly conflict: FieldConflict
  readonly label: string
  readonly chosen: Side | undefined
  readonly onChoose: (side: Side) => void
}

/** One field that both sides changed, with what it was before. */
export function ConflictField({ conflict, label, chosen, onChoose }: ConflictFieldProps) {
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
function inWords(value: Json | undefined): string {
  if (value === undefined || (isArray(value) && value.length === 0)) return text('conflict.nothing')
  return isArray(value) ? value.map(inLine).join('\n') : inLine(value)
}

function inLine(value: Json): string {
  if (isArray(value)) return value.map(inLine).join('; ')
  if (isObject(value)) return Object.values(value).map(inLine).join(text('record.between'))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

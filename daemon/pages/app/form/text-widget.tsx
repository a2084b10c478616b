import { text } from '../../text/text.ts'
import type { Widget } from './widget.ts'

/** A line of text, with the schema's examples to choose from. */
export function TextInput(props: Widget) {
  const { id, value, required, disabled, readonly, schema, rawErrors = [], onChange } = props
  const { examples } = schema
  const listed = Array.isArray(examples) ? examples.map(String) : []
  const list = listed.length > 0 ? `${id}__examples` : undefined
  return (
    <>
      <input
        id={id}
        type={inputType(schema.type)}
        value={toText(value)}
        placeholder={listed[0] && text('form.example', { example: listed[0] })}
        list={list}
        disabled={disabled === true || readonly === true}
        autocomplete="off"
        aria-required={required === true}
        aria-invalid={rawErrors.length > 0}
        aria-describedby={`${id}__description ${id}__error`}
        onInput={({ currentTarget }) => onChange(fromText(currentTarget.value, schema.type))}
      />
      {list && (
        <datalist id={list}>
          {listed.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** Several lines of text. */
export function TextArea(props: Widget) {
  const { id, value, required, disabled, readonly, rawErrors = [], onChange } = props
  return (
    <textarea
      id={id}
      value={toText(value)}
      disabled={disabled === true || readonly === true}
      aria-required={required === true}
      aria-invalid={rawErrors.length > 0}
      aria-describedby={`${id}__description ${id}__error`}
      onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  )
}

function inputType(type: unknown): 'number' | 'text' {
  return type === 'number' || type === 'integer' ? 'number' : 'text'
}

/** Nothing is no value; a number is one once it can be read. */
function fromText(typed: string, type: unknown): string | number | undefined {
  if (typed === '') return undefined
  return inputType(type) === 'number' && Number.isFinite(Number(typed)) ? Number(typed) : typed
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

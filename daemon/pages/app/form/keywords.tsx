import type { ArrayFieldTemplateProps, FieldProps } from '@rjsf/utils'
import { useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Faults, isRecommended, Wanted } from './field-template.tsx'

/** Parts of what is typed or pasted: a keyword has no semicolon, tab or line break, and a comma ends one. */
export function toKeywords(typed: string): readonly string[] {
  return typed
    .split(/[;,\t\r\n]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** The list with more words at its end, none of them twice. */
export function withKeywords(words: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...words, ...more])]
}

type Placed = Pick<ArrayFieldTemplateProps, 'required'> &
  Parameters<typeof isRecommended>[0] & { readonly rawErrors?: string[] }

/** Keywords in a row; Enter or a comma adds what is typed, and several pasted at once become several. */
export function Keywords(props: FieldProps) {
  const { schema, fieldPathId, disabled, readonly, onChange, name } = props
  const words = wordsIn(props.formData)
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const id = fieldPathId.$id
  const isFixed = disabled === true || readonly === true
  const change = (next: readonly string[]): void => onChange(next, fieldPathId.path)
  const add = (more: readonly string[]): void => {
    setTyped('')
    if (more.length > 0) change(withKeywords(words, more))
  }
  const placed = props as unknown as Placed
  return (
    <fieldset class="list-field" id={id} tabIndex={-1} aria-describedby={`${id}__description`}>
      <legend class="label">
        {schema.title ?? name}
        <Wanted required={props.required === true} recommended={isRecommended(placed)} />
      </legend>
      <p class="hint" id={`${id}__description`}>
        {schema.description}
      </p>
      <Faults id={id} messages={props.rawErrors ?? []} />
      {words.length > 0 && (
        <ul class="keywords">
          {words.map((word, index) => (
            <li key={word}>
              {word}
              {!isFixed && (
                <button
                  type="button"
                  aria-label={text('form.removeKeyword', { word })}
                  onClick={() => {
                    change(words.filter((_, at) => at !== index))
                    input.current?.focus()
                  }}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!isFixed && (
        <input
          ref={input}
          type="text"
          value={typed}
          autocomplete="off"
          aria-label={text('form.addKeyword')}
          placeholder={text('form.addKeyword')}
          onInput={({ currentTarget }) => {
            const parts = toKeywords(currentTarget.value)
            const isEnded = /[;,\t\r\n]/.test(currentTarget.value)
            if (isEnded) add(parts)
            else setTyped(currentTarget.value)
          }}
          onPaste={(event) => {
            const parts = toKeywords(event.clipboardData?.getData('text') ?? '')
            if (parts.length < 2) return
            event.preventDefault()
            add(parts)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              add(toKeywords(typed))
            } else if (event.key === 'Backspace' && typed === '' && words.length > 0) {
              change(words.slice(0, -1))
            }
          }}
          onBlur={() => add(toKeywords(typed))}
        />
      )}
    </fieldset>
  )
}

function wordsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

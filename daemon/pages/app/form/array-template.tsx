import type { ArrayFieldTemplateProps } from '@rjsf/utils'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Faults, Wanted } from './field-template.tsx'
import { isRecommended } from './form-context.ts'

/** A list: its elements in their order, and a way to add one. */
export function ArrayTemplate(props: ArrayFieldTemplateProps) {
  const { fieldPathId, schema, items, canAdd, disabled, readonly, rawErrors = [] } = props
  const id = fieldPathId.$id
  const name = schema.title ?? props.title
  const add = useFocusOnAdded(id, items.length, props.onAddClick)
  return (
    <fieldset
      class="list-field"
      id={id}
      tabIndex={-1}
      aria-describedby={`${id}__description ${id}__error`}
    >
      <legend class="label">
        {name}
        <Wanted required={props.required === true} recommended={isRecommended(props)} />
      </legend>
      <p class="hint" id={`${id}__description`}>
        {schema.description}
      </p>
      <Faults id={id} messages={rawErrors} />
      {items.length > 0 && <ol class="list-items">{items}</ol>}
      {canAdd && !disabled && !readonly && (
        <button type="button" class="add" onClick={add}>
          {text('form.add', { name: itemName(schema.items) ?? name })}
        </button>
      )}
    </fieldset>
  )
}

/** Adds an element; the focus goes to it as soon as it is there. */
function useFocusOnAdded(id: string, length: number, addElement: () => void): () => void {
  const wanted = useRef<number | undefined>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined || length <= wanted.current) return
    const added = document.getElementById(`${id}_${wanted.current}`)
    wanted.current = undefined
    const first = added?.querySelector<HTMLElement>('input, select, textarea')
    ;(first ?? added)?.focus()
  }, [length])
  return () => {
    wanted.current = length
    addElement()
  }
}

function itemName(items: unknown): string | undefined {
  const isNamed = typeof items === 'object' && items !== null && 'title' in items
  return isNamed && typeof items.title === 'string' ? items.title.toLowerCase() : undefined
}

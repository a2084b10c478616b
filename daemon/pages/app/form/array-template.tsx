import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps } from '@rjsf/utils'
import { text } from '../../text/text.ts'
import { Faults, Wanted } from './field-template.tsx'
import { isRecommended } from './form-context.ts'

/** A list: its elements in their order, and a way to add one. */
export function ArrayTemplate(props: ArrayFieldTemplateProps) {
  const { fieldPathId, schema, items, canAdd, disabled, readonly, rawErrors = [] } = props
  const id = fieldPathId.$id
  const name = schema.title ?? props.title
  const add = () => {
    props.onAddClick()
    requestAnimationFrame(() => focusInside(`${id}_${items.length}`))
  }
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

type ItemTemplateProps = ArrayFieldItemTemplateProps & { readonly itemKey: string }

/** An element of a list, with what moves and removes it. */
export function ArrayItemTemplate({ children, buttonsProps, index, ...props }: ItemTemplateProps) {
  const { fieldPathId, hasMoveUp, hasMoveDown, totalItems, disabled, readonly } = buttonsProps
  const list = fieldPathId.$id.replace(/_\d+$/, '')
  const name = { name: props.schema.title ?? text('form.element'), number: index + 1 }
  const move = (by: -1 | 1) => {
    if (by < 0) buttonsProps.onMoveUpItem()
    else buttonsProps.onMoveDownItem()
    requestAnimationFrame(() => focusMover(list, index + by, by, totalItems))
  }
  const remove = () => {
    buttonsProps.onRemoveItem()
    requestAnimationFrame(() => document.getElementById(list)?.focus())
  }
  return (
    <li class="list-item" id={`${list}_item_${index}`}>
      <div class="list-item-body">{children}</div>
      {!disabled && !readonly && (
        <div class="list-item-tools">
          <button
            type="button"
            class="icon-button"
            data-move="-1"
            disabled={!hasMoveUp}
            aria-label={text('form.moveUp', name)}
            onClick={() => move(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            class="icon-button"
            data-move="1"
            disabled={!hasMoveDown}
            aria-label={text('form.moveDown', name)}
            onClick={() => move(1)}
          >
            ↓
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={text('form.remove', name)}
            onClick={remove}
          >
            ✕
          </button>
        </div>
      )}
    </li>
  )
}

/** Keeps the focus on the button that moved an element, or on its twin at an end of the list. */
function focusMover(list: string, index: number, by: -1 | 1, total: number): void {
  const isAtEnd = by < 0 ? index === 0 : index === total - 1
  const wanted = isAtEnd ? -by : by
  const item = document.getElementById(`${list}_item_${index}`)
  item?.querySelector<HTMLElement>(`[data-move="${wanted}"]`)?.focus()
}

function focusInside(id: string): void {
  const element = document.getElementById(id)
  const first = element?.querySelector<HTMLElement>('input, select, textarea')
  ;(first ?? element)?.focus()
}

function itemName(items: unknown): string | undefined {
  const isNamed = typeof items === 'object' && items !== null && 'title' in items
  return isNamed && typeof items.title === 'string' ? items.title.toLowerCase() : undefined
}

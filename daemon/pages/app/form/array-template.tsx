import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps } from '@rjsf/utils'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { language, text } from '../../text/text.ts'
import { Faults, isRecommended, Wanted, type FormContext } from './field-template.tsx'
import { focusMover, Movers, type Step } from '../ui/movers.tsx'

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
        <p class="adders">
          <button type="button" class="add" onClick={add}>
            {text('form.add', { name: itemName(schema.items) ?? name })}
          </button>
          <AddMe {...props} />
        </p>
      )}
    </fieldset>
  )
}

/** For the creators of the document, of whom the person who describes it is often one. */
function AddMe({ fieldPathId, registry }: ArrayFieldTemplateProps) {
  const { addMe } = registry.formContext as FormContext
  if (addMe === undefined || fieldPathId.path.join() !== 'creators') return null
  return (
    <button type="button" class="add" onClick={addMe}>
      {text('form.addMe')}
    </button>
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
  if (!isNamed || typeof items.title !== 'string') return undefined
  // Nouns are lower case in a sentence, but in German.
  return language() === 'de' ? items.title : items.title.toLowerCase()
}

type ItemTemplateProps = ArrayFieldItemTemplateProps & { readonly itemKey: string }

/** An element of a list, with what moves and removes it. */
export function ArrayItemTemplate({ children, buttonsProps, index, ...props }: ItemTemplateProps) {
  const { fieldPathId, hasMoveUp, hasMoveDown, disabled, readonly } = buttonsProps
  const list = fieldPathId.$id.replace(/_\d+$/, '')
  const name = { name: props.schema.title ?? text('form.element'), number: index + 1 }
  const item = useRef<HTMLLIElement>(null)
  const moved = useRef<Step | undefined>(undefined)
  // It is drawn in its new place before the focus follows it there.
  useLayoutEffect(() => {
    if (moved.current !== undefined) focusMover(item.current, moved.current)
    moved.current = undefined
  }, [index])
  const move = (by: Step) => {
    moved.current = by
    if (by < 0) buttonsProps.onMoveUpItem()
    else buttonsProps.onMoveDownItem()
  }
  const remove = () => {
    buttonsProps.onRemoveItem()
    document.getElementById(list)?.focus()
  }
  return (
    <li class="list-item" ref={item}>
      <div class="list-item-body">{children}</div>
      {!disabled && !readonly && (
        <div class="list-item-tools">
          <Movers
            isFirst={!hasMoveUp}
            isLast={!hasMoveDown}
            nameOf={(by) => text(by < 0 ? 'form.moveUp' : 'form.moveDown', name)}
            onMove={move}
          />
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

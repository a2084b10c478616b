import type { ArrayFieldItemTemplateProps } from '@rjsf/utils'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { focusMover, type Step } from '../ui/movers.ts'

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

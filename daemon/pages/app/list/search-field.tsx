import { useEffect, useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'

interface SearchFieldProps {
  readonly value: string
  readonly isBusy: boolean
  readonly onChange: (value: string) => void
  /** The arrow key that leads into the list. */
  readonly onDown: () => void
}

/** Looks for deposits as one types; Ctrl+K (⌘K) leads here from anywhere on the page. */
export function SearchField({ value, isBusy, onChange, onDown }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      field.current?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  return (
    <div class="search-field" aria-busy={isBusy}>
      <label class="visually-hidden" for="search">
        {text('list.search')}
      </label>
      <input
        ref={field}
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={text('list.searchHint')}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          onDown()
        }}
      />
      <kbd aria-hidden="true">{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
    </div>
  )
}

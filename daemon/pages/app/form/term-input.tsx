import { useEffect, useRef, useState } from 'preact/hooks'
import type { Term, VocabularyName } from '../../../../core/contract/vocabularies.ts'
import { text } from '../../text/text.ts'
import { chosenValue, heldId, shownText, termFormOf, typedValue } from './term-value.ts'
import { findTerms, termTitle, useTerm } from './vocabulary.ts'

interface TermInputProps {
  readonly id: string
  readonly value: unknown
  readonly schema: object
  readonly vocabulary: VocabularyName
  readonly placeholder?: string
  readonly isDisabled: boolean
  readonly isRequired: boolean
  readonly isWrong: boolean
  readonly onChange: (value: unknown) => void
}

/** Time after the last key until terms are asked for. Milliseconds. */
const pauseMs = 150

/**
 * A line of text with terms of a vocabulary to choose from. Other text can be typed as well.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function TermInput(props: TermInputProps) {
  const { id, value, schema, vocabulary, onChange } = props
  const form = termFormOf(schema)
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [active, setActive] = useState(-1)
  const terms = useOffers(vocabulary, typed)
  const isOpen = typed !== undefined && terms.length > 0
  const list = `${id}__terms`
  const close = () => {
    setTyped(undefined)
    setActive(-1)
  }
  const choose = (term: Term) => {
    onChange(chosenValue(form, term))
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = terms[active]
    if (event.key === 'Escape' && isOpen) close()
    else if (event.key === 'Enter' && isOpen && chosen) choose(chosen)
    else if (event.key === 'ArrowDown' && typed === undefined) setTyped(shownText(form, value))
    else if (event.key === 'ArrowDown' && isOpen) setActive((active + 1) % terms.length)
    else if (event.key === 'ArrowUp' && isOpen)
      setActive(active <= 0 ? terms.length - 1 : active - 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="term-input">
      <input
        id={id}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-activedescendant={isOpen && active >= 0 ? `${list}_${active}` : undefined}
        aria-required={props.isRequired}
        aria-invalid={props.isWrong}
        aria-describedby={`${id}__description ${id}__name ${id}__error`}
        autocomplete="off"
        value={shownText(form, value)}
        placeholder={props.placeholder}
        disabled={props.isDisabled}
        onKeyDown={onKeyDown}
        onBlur={close}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setActive(-1)
          onChange(typedValue(form, currentTarget.value, value))
        }}
      />
      <ul id={list} role="listbox" aria-label={text('form.terms')} class="terms" hidden={!isOpen}>
        {isOpen &&
          terms.map((term, index) => (
            <li
              key={term.id}
              id={`${list}_${index}`}
              role="option"
              aria-selected={index === active}
              // The input keeps the focus, or the list would be gone before the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(term)}
            >
              <span>{termTitle(vocabulary, term)}</span>
              <span class="quiet">{term.note ?? (term.id === term.title ? '' : term.id)}</span>
            </li>
          ))}
      </ul>
      <TermName
        id={id}
        vocabulary={vocabulary}
        held={heldId(form, value)}
        isObject={!!form.id}
        isTyped={typed !== undefined}
      />
    </div>
  )
}

/** Several licenses, or one of one's own, as SPDX writes them. */
const expression = /\s(?:AND|OR|WITH)\s|^LicenseRef-/

interface TermNameProps {
  readonly id: string
  readonly vocabulary: VocabularyName
  readonly held: string
  readonly isObject: boolean
  /** True while somebody types. */
  readonly isTyped: boolean
}

/** The name of the term whose identifier a field has, or the identifier that its text has. */
function TermName({ id, vocabulary, held, isObject, isTyped }: TermNameProps) {
  const term = useTerm(vocabulary, isObject ? '' : held)
  const isUnknown = vocabulary === 'licenses' && term === null && !expression.test(held)
  if (isUnknown && !isTyped)
    return (
      <p class="term-name" id={`${id}__name`} aria-live="polite">
        {text('form.notSpdx')}
      </p>
    )
  const name = isObject || !term ? held : termTitle(vocabulary, term)
  return (
    <p class="term-name quiet" id={`${id}__name`} aria-live="polite">
      {name !== held || isObject ? name : ''}
    </p>
  )
}

/** The terms for what was typed, a moment after the last key. */
function useOffers(vocabulary: VocabularyName, typed: string | undefined): readonly Term[] {
  const [terms, setTerms] = useState<readonly Term[]>([])
  const asking = useRef<AbortController | undefined>(undefined)
  useEffect(() => {
    asking.current?.abort()
    if (typed === undefined || typed.trim() === '') {
      setTerms([])
      return
    }
    const own = new AbortController()
    asking.current = own
    const timer = setTimeout(() => {
      // Without terms it is a line of text.
      findTerms(vocabulary, typed, own.signal).then(setTerms, () => {})
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      own.abort()
    }
  }, [vocabulary, typed])
  return terms
}

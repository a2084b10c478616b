import type { VocabularyName } from '../../../../core/contract/vocabularies.ts'
import { locales } from '../../text/languages.ts'
import { language, text } from '../../text/text.ts'
import { termTitle, useTerms } from './vocabulary.ts'

interface TermChoiceProps {
  readonly id: string
  readonly value: string
  readonly vocabulary: VocabularyName
  /** The values that the schema allows; undefined for all terms. */
  readonly allowed: readonly string[] | undefined
  readonly isDisabled: boolean
  readonly isRequired: boolean
  readonly isWrong: boolean
  readonly onChange: (value: string | undefined) => void
}

/** A choice among the terms of a closed vocabulary, by their names; any case of a value is read. */
export function TermChoice(props: TermChoiceProps) {
  const { id, value, vocabulary, allowed } = props
  const terms = useTerms(vocabulary)
  const listed = allowed?.map(
    (each) => terms.find((term) => term.id === each) ?? { id: each, title: each },
  )
  // In the order of what is read.
  const offered = (listed ?? terms)
    .map((term) => ({ id: term.id, name: termTitle(vocabulary, term) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, locales[language()]))
  const chosen = offered.find((term) => term.id.toLowerCase() === value.toLowerCase())
  const isOther = value !== '' && chosen === undefined
  return (
    <select
      id={id}
      value={chosen?.id ?? value}
      disabled={props.isDisabled}
      aria-required={props.isRequired}
      aria-invalid={props.isWrong}
      aria-describedby={`${id}__description ${id}__error`}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value || undefined)}
    >
      <option value="">{text('form.choose')}</option>
      {isOther && <option value={value}>{value}</option>}
      {offered.map((term) => (
        <option key={term.id} value={term.id}>
          {term.name}
        </option>
      ))}
    </select>
  )
}

import { text, translated } from '../../text/text.ts'
import type { WidgetProps } from '@rjsf/utils'
import { TermChoice } from './term-choice.tsx'
import { TermInput } from './term-input.tsx'
import { isClosed, vocabularyOf } from './vocabulary.ts'

/** A line of text, with the schema's examples to choose from. */
export function TextInput(props: Widget) {
  const { id, value, required, disabled, readonly, schema, rawErrors = [], onChange } = props
  const vocabulary = vocabularyOf(schema)
  const { examples } = schema
  const listed = Array.isArray(examples) ? examples.map(String) : []
  const list = listed.length > 0 ? `${id}__examples` : undefined
  if (vocabulary !== undefined) {
    const shared = { id, schema, vocabulary, onChange, ...stateOf(props) }
    if (isClosed(vocabulary))
      return <TermChoice {...shared} value={toText(value)} allowed={undefined} />
    const placeholder = listed[0] && text('form.example', { example: listed[0] })
    return <TermInput {...shared} value={value} {...(placeholder && { placeholder })} />
  }
  return (
    <>
      <input
        id={id}
        type={inputType(schema.type)}
        value={toText(value)}
        placeholder={listed[0] && text('form.example', { example: translated(listed[0]) })}
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
            <option key={example} value={translated(example)} />
          ))}
        </datalist>
      )}
    </>
  )
}

function stateOf({ required, disabled, readonly, rawErrors = [] }: Widget) {
  return {
    isDisabled: disabled === true || readonly === true,
    isRequired: required === true,
    isWrong: rawErrors.length > 0,
  }
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

/** Empty text is no value; text in a number field is a number once it can be read as one. */
function fromText(typed: string, type: unknown): string | number | undefined {
  if (typed === '') return undefined
  return inputType(type) === 'number' && Number.isFinite(Number(typed)) ? Number(typed) : typed
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

type Known =
  | 'id'
  | 'disabled'
  | 'label'
  | 'onChange'
  | 'options'
  | 'rawErrors'
  | 'readonly'
  | 'required'
  | 'schema'

/** The properties of a widget that ours use; the library leaves the types of values open. */
type Widget = Pick<WidgetProps, Known> & {
  readonly value?: unknown
}

/** Who may have the files, in place of the codes of the schema. */
function accessWords(value: unknown): string | undefined {
  return value === 'public' || value === 'restricted' ? text(`access.${value}`) : undefined
}

/** One of the values that the schema lists, or which of several schemas a value follows. */
export function Choice(props: Widget) {
  const { id, value, options, required, disabled, readonly, rawErrors = [], label, schema } = props
  const listed = options.enumOptions ?? []
  const vocabulary = vocabularyOf(schema)
  if (vocabulary !== undefined) {
    const allowed = listed.map((option) => String(option.value))
    const shared = { id, vocabulary, allowed, onChange: props.onChange, ...stateOf(props) }
    return <TermChoice {...shared} value={toText(value)} />
  }
  const words = id.endsWith('_access_files') ? accessWords : undefined
  const chosen = listed.findIndex((option) => option.value === value)
  const isUnion = id.endsWith('__anyof_select') || id.endsWith('__oneof_select')
  return (
    <select
      id={id}
      value={String(chosen)}
      disabled={disabled === true || readonly === true}
      aria-label={
        isUnion ? text('form.kindOf', { name: label || (schema.title ?? '') }) : undefined
      }
      aria-required={required === true}
      aria-invalid={rawErrors.length > 0}
      aria-describedby={isUnion ? undefined : `${id}__description ${id}__error`}
      onChange={({ currentTarget }) => {
        const option: { readonly value?: unknown } | undefined = listed[Number(currentTarget.value)]
        props.onChange(option?.value)
      }}
    >
      {!isUnion && (
        <option value="-1">{text(words === undefined ? 'form.choose' : 'access.unsaid')}</option>
      )}
      {listed.map((option, index) => (
        <option key={option.label} value={String(index)}>
          {words?.(option.value) ?? option.label}
        </option>
      ))}
    </select>
  )
}

import { text } from '../../text/text.ts'
import type { Widget } from './widget.ts'

/** One of the values that the schema lists, or which of several schemas a value follows. */
export function Choice(props: Widget) {
  const { id, value, options, required, disabled, readonly, rawErrors = [], label, schema } = props
  const listed = options.enumOptions ?? []
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
      {!isUnion && <option value="-1">{text('form.choose')}</option>}
      {listed.map((option, index) => (
        <option key={option.label} value={String(index)}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

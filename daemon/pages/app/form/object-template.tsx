import type { ObjectFieldTemplateProps, ObjectFieldTemplatePropertyType } from '@rjsf/utils'
import { text } from '../../text/text.ts'
import { pointerSteps } from './faults.ts'

/** A group of the document's fields under one heading. */
export interface Section {
  readonly title: string
  readonly fields: readonly string[]
  /** True where it is opened by hand, unless something in it is filled in or wrong. */
  readonly closed?: boolean
}

/** An object: the document itself in sections, one inside a list as a small table of fields. */
export function ObjectTemplate(props: ObjectFieldTemplateProps) {
  const { fieldPathId, properties, uiSchema, title, description } = props
  const { $id: id, path } = fieldPathId
  if (path.length > 0) {
    // Inside of a list, the list has the name.
    const isNamed = path.length === 1 && title !== ''
    return (
      <div class="object-field" role="group" aria-label={title} id={id} tabIndex={-1}>
        {isNamed && (
          <div class="object-head">
            <p class="label" aria-hidden="true">
              {title}
            </p>
            <p class="hint">{description}</p>
          </div>
        )}
        {properties.map(({ content }) => content)}
      </div>
    )
  }
  const sections = (uiSchema as { readonly sections?: readonly Section[] } | undefined)?.sections
  return (
    <div class="sections">
      {withRest(sections ?? [], properties).map((section) => (
        <SectionTemplate key={section.title} section={section} form={props} />
      ))}
    </div>
  )
}

interface SectionProps {
  readonly section: Section
  readonly form: ObjectFieldTemplateProps
}

function SectionTemplate({ section, form }: SectionProps) {
  const { title, fields, closed } = section
  const shown = fields.flatMap((field) => form.properties.filter(({ name }) => name === field))
  if (shown.length === 0) return null
  const content = <div class="section-fields">{shown.map((property) => property.content)}</div>
  if (!closed) {
    return (
      <section class="card form-section">
        <h2>{title}</h2>
        {content}
      </section>
    )
  }
  return (
    <details class="card form-section" open={hasContent(form, fields)}>
      <summary>
        <h2>{title}</h2>
        <span class="quiet">{shown.map(({ name }) => labelOf(form, name)).join(', ')}</span>
      </summary>
      {content}
    </details>
  )
}

/** The sections, and one more for the fields that are in none. */
function withRest(
  sections: readonly Section[],
  properties: readonly ObjectFieldTemplatePropertyType[],
): readonly Section[] {
  const placed = new Set(sections.flatMap(({ fields }) => fields))
  const rest = properties.map(({ name }) => name).filter((name) => !placed.has(name))
  const title = text(sections.length === 0 ? 'form.all' : 'form.rest')
  return rest.length === 0 ? sections : [...sections, { title, fields: rest }]
}

function hasContent(
  { formData, errorSchema }: ObjectFieldTemplateProps,
  fields: readonly string[],
) {
  const filled = new Set([
    ...Object.entries((formData ?? {}) as object)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name]) => name),
    ...Object.keys(errorSchema ?? {}),
  ])
  return fields.some((field) => filled.has(field))
}

function labelOf({ schema }: ObjectFieldTemplateProps, name: string): string {
  const property = schema.properties?.[name]
  return typeof property === 'object' ? (property.title ?? name) : name
}

/** Opens what a field is folded into, and brings the focus to it. */
export function revealField(pointer: string): void {
  const steps = pointerSteps(pointer)
  // The nearest place that the form has: a fault may lie in something that is not there yet.
  for (let length = steps.length; length > 0; length -= 1) {
    const element = document.getElementById(['metadata', ...steps.slice(0, length)].join('_'))
    if (!element) continue
    element.closest('details')?.setAttribute('open', '')
    // Of an empty list, what fills it.
    const add = element.querySelector<HTMLElement>(':scope > .adders > button.add')
    const isEmpty = element.querySelector('.list-items') === null
    ;((isEmpty ? add : undefined) ?? element).focus()
    element.scrollIntoView({ block: 'center' })
    return
  }
}

import type { RJSFSchema } from '@rjsf/utils'
import { Fragment } from 'preact'
import { Markdown } from '../ui/markdown.tsx'
import { text } from '../../text/text.ts'
import type { JsonObject } from '../api/json.ts'
import { toReadFields, type Part, type ReadField } from './field-words.ts'

interface ReadingViewProps {
  readonly schema: RJSFSchema
  readonly document: JsonObject
}

/** The metadata to read: what is filled in, with the labels of the form. */
export function ReadingView({ schema, document }: ReadingViewProps) {
  const fields = toReadFields(schema, document)
  return (
    <section class="card reading" aria-labelledby="reading-heading">
      <h2 id="reading-heading">{text('reading.label')}</h2>
      {fields.length === 0 && <p class="quiet">{text('reading.none')}</p>}
      <dl class="fields">
        {fields.map((field) => (
          <div key={field.name}>
            <dt>{field.label}</dt>
            {field.lines.map((line, at) => (
              <dd key={at} class={field.isProse ? 'prose' : ''} dir="auto">
                <Line line={line} field={field} />
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  )
}

function Line({ line, field }: { readonly line: readonly Part[]; readonly field: ReadField }) {
  if (field.isProse) {
    return <Markdown source={line.map((part) => part.text).join('')} />
  }
  return (
    <>
      {line.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && text('record.between')}
          {part.href === undefined ? (
            part.text
          ) : (
            <a href={part.href} rel="external nofollow noreferrer">
              {part.text}
            </a>
          )}
        </Fragment>
      ))}
    </>
  )
}

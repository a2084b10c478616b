import { text } from '../../text/text.ts'
import type { JsonObject } from '../api/json.ts'

/**
 * How the package's own schemas are laid out, in the form library's words (`uiSchema`), with one
 * addition: `sections` group the fields of the document. Fields that are in no section come last.
 *
 * @see https://rjsf-team.github.io/react-jsonschema-form/docs/api-reference/uiSchema
 */
export const defaultLayout: JsonObject = {
  sections: [
    {
      title: text('form.section.about'),
      fields: [
        'title',
        'creators',
        'description',
        'resource_type',
        'publication_date',
        'license',
        'keywords',
      ],
    },
    {
      title: text('form.section.more'),
      closed: true,
      fields: ['version', 'language', 'contributors', 'subjects', 'dates', 'notes'],
    },
    {
      title: text('form.section.connections'),
      closed: true,
      fields: ['related_identifiers', 'funding'],
    },
  ],
  description: { 'ui:widget': 'textarea' },
  notes: { 'ui:widget': 'textarea' },
}

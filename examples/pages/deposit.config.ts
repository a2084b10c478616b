/**
 * The pages as an institution wants them: its own head and foot around every page, its own words
 * where something was deleted, a form in its own order, and its thanks after a publication. Start
 * it with `DEPOSIT_CONFIG=examples/pages/deposit.config.ts depositd serve`.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'depositd/config'

/** A template beside this file; other paths are relative to `DEPOSIT_HOME`. */
const template = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Layout of the form of a data set: a `uiSchema` in sections. */
const dataSet = {
  sections: [
    {
      title: 'What it is',
      fields: ['title', 'description', 'resource_type', 'publication_date', 'license'],
    },
    { title: 'Who made it', fields: ['creators'] },
    {
      title: 'Who paid for it, and what it belongs to',
      fields: ['funding', 'related_identifiers'],
      closed: true,
    },
  ],
  title: { 'ui:description': 'As it should stand in a list of references.' },
  description: { 'ui:widget': 'textarea' },
  notes: { 'ui:widget': 'hidden' },
}

export default defineConfig({
  DEPOSIT_UI_LAYOUT_TEMPLATE: template('layout.html'),
  DEPOSIT_UI_TOMBSTONE_TEMPLATE: template('tombstone.html'),
  DEPOSIT_DEFAULT_JSONSCHEMA: 'deposits/dataset-v1.0.0.json',
  DEPOSIT_FORM_TEMPLATES: { 'deposits/dataset-v1.0.0.json': dataSet },
  DEPOSIT_RESPONSE_MESSAGES: { publish: 'Thank you! Our curators will have a look.' },
})

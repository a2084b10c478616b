import { toJsonText, type ExportFormat } from './format.ts'

/** Our own format, as the interface answers it. */
export const json: ExportFormat = {
  name: 'json',
  title: 'JSON',
  mediaTypes: ['application/json'],
  extension: '.json',
  write: ({ id, document, links, revision, created, updated }) =>
    toJsonText({ id, metadata: document, links, revision, created, updated }),
}

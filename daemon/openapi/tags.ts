import type { Operation } from './operation.ts'

/** What the operations of each tag are about. */
export const tags: Readonly<Record<Operation['tag'] | 'sign-in', string>> = {
  deposits: 'Drafts and published deposits, and their metadata.',
  actions: 'Changes of a deposit’s status: publish, edit, discard and others.',
  files: 'The files of a deposit: by a form, as raw bytes, in bundles.',
  uploads: 'Files that arrive in pieces and can be resumed, by the tus protocol 1.0.0.',
  records: 'Published records, for everybody.',
  tokens: 'One’s own access tokens.',
  'sign-in': 'The embedded issuer: OAuth 2.0 and OpenID Connect.',
  service: 'The service itself: its health, metrics, schemas and this document.',
}

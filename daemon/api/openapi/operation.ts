/** Descriptions of the tags. */
export const tags = {
  deposits: 'Drafts and published deposits, and their metadata.',
  actions: 'Changes of a deposit’s status: publish, edit, discard and others.',
  files: 'The files of a deposit: by a form, as raw bytes, in bundles.',
  people:
    'Who has which right on a deposit: roles, transfers, and links for people without an account.',
  uploads: 'Files that arrive in pieces and can be resumed, by the tus protocol 1.0.0.',
  records: 'Published records, for everybody.',
  tokens: 'One’s own access tokens.',
  administration: 'Users, withdrawals and the audit trail, for administrators.',
  'sign-in': 'The embedded issuer: OAuth 2.0 and OpenID Connect.',
  service: 'The service itself: its health, metrics, schemas and this document.',
} as const

export type Tag = Exclude<keyof typeof tags, 'sign-in'>

export type AnswerHeader = keyof typeof answerHeaders

/** Headers of answers, with what they say. */
export const answerHeaders = {
  ETag: 'Entity tag, for If-Match and If-None-Match.',
  'Last-Modified': 'When this was changed last.',
  Link: 'Other pages of a list, and what belongs to this (RFC 8288).',
  Location: 'URL of what was made or done.',
  'Deposit-Revision': 'Revision that the change has brought the deposit to.',
  'Deposit-Still-On':
    'Ids of drafts of the next version on which the person has a role of their own, with commas between.',
  'Upload-Offset': 'Bytes that have arrived.',
  'Upload-Length': 'Bytes of the whole file.',
  'Upload-Defer-Length': '1 as long as `Upload-Length` is not known.',
  'Upload-Expires': 'When the upload is given up, unless bytes arrive before.',
  'Tus-Resumable': 'Version of the protocol: 1.0.0.',
  'Content-Location': 'URL of the file that the last bytes have made.',
  'Content-Range': 'Which bytes these are (RFC 9110 §14.4).',
  'Accept-Ranges': '`bytes`.',
  'Repr-Digest': '`sha-256` of the whole file (RFC 9530).',
  'Cache-Control': 'What is public is kept for an hour.',
} as const

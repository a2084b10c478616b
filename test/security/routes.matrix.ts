import type { Sent } from '../support/http.ts'

/** The deposit that requests are about. */
export interface Target {
  readonly id: string
  readonly revision: number
  /** Its integer in the interfaces of other services. */
  readonly number: number
  readonly bucket: string
  /** Value of the record; empty where the deposit is a draft. */
  readonly record: string
  /** Ids of its files, in reverse order. */
  readonly fileIds: readonly string[]
  /** Id of an upload under way, a person, a link, a deleted file or the first version of one; empty where the row needs none. */
  readonly part: string
}

export interface Row {
  /** Empty by default. */
  readonly sent?: (target: Target) => Sent
  /** The state the deposit must be in; a draft by default. */
  readonly on?:
    | 'described'
    | 'emptied'
    | 'published'
    | 'edited'
    | 'withdrawn'
    | 'uploading'
    | 'shared'
    | 'offered'
    | 'linked'
    | 'changed'
    | 'trashed'
    | 'replaced'
    | 'submitted'
  /** Behind the path. */
  readonly query?: string
  /** In place of the `*` of the path; the name of a file by default. */
  readonly rest?: string
  /** A permission that the handler requires in addition to the route's. */
  readonly needs?: 'read'
}

const json = (value: unknown) => (): Sent => ({ json: value })
const bytes = (): Sent => ({
  body: 'new bytes',
  headers: { 'content-type': 'application/octet-stream' },
})
const form = (): Sent => {
  const content = new FormData()
  content.set('file', new Blob(['x']), 'c')
  return { body: content }
}
const patch = (): Sent => ({
  json: [{ op: 'add', path: '/notes', value: 'x' }],
  headers: { 'content-type': 'application/json-patch+json' },
})
const tus = { 'tus-resumable': '1.0.0', 'upload-metadata': 'filename Yw==' }

/** Below each address that clients of Zenodo know. */
const ofZenodo: Readonly<Record<string, Row>> = {
  'POST /deposit/depositions': { sent: json({}) },
  'PUT /deposit/depositions/:id': { sent: json({ metadata: { title: 'x' } }) },
  'POST /deposit/depositions/:id/actions/publish': { on: 'described' },
  'POST /deposit/depositions/:id/actions/edit': { on: 'published' },
  'POST /deposit/depositions/:id/actions/discard': { on: 'edited' },
  'POST /deposit/depositions/:id/actions/newversion': { on: 'published' },
  'POST /deposit/depositions/:id/actions/registerconceptdoi': { on: 'published' },
  'POST /deposit/depositions/:id/files': { sent: form },
  'PUT /deposit/depositions/:id/files': {
    sent: ({ fileIds }) => ({ json: fileIds.map((id) => ({ id })) }),
  },
  'PUT /deposit/depositions/:id/files/:file': { sent: json({ filename: 'z' }) },
}

const ofRdm: Readonly<Record<string, Row>> = {
  'POST /rdm/api/records': { sent: json({}) },
  'PUT /rdm/api/records/:id/draft': { sent: json({ metadata: { title: 'x' } }) },
  'POST /rdm/api/records/:id/draft': { on: 'published' },
  'POST /rdm/api/records/:id/draft/actions/publish': { on: 'described' },
  'POST /rdm/api/records/:id/versions': { on: 'published' },
  'POST /rdm/api/records/:id/draft/files': { sent: json([{ key: 'new.txt' }]) },
  'PUT /rdm/api/records/:id/draft/files/*': { sent: bytes, rest: 'a/content' },
  'POST /rdm/api/records/:id/draft/files/*': { rest: 'a/commit' },
  'POST /rdm/api/records/:id/draft/actions/files-import': { on: 'emptied' },
}

/** The same rows below another address. */
function below(prefix: string): Readonly<Record<string, Row>> {
  return Object.fromEntries(
    Object.entries(ofZenodo).map(([route, row]) => [route.replace(' ', ` ${prefix}`), row]),
  )
}

/** Requests to routes that need more than a token, and the state they need the deposit in. */
export const rows: Readonly<Record<string, Row>> = {
  'POST /api/deposits': { sent: json({}) },
  'PUT /api/deposits/:pid_value': { sent: json({ title: 'x' }) },
  'PATCH /api/deposits/:pid_value': { sent: patch },
  'POST /api/deposits/:pid_value/actions/edit': { on: 'published' },
  'POST /api/deposits/:pid_value/actions/discard': { on: 'edited' },
  'POST /api/deposits/:pid_value/actions/merge': { on: 'edited' },
  'POST /api/deposits/:pid_value/actions/register': { on: 'published' },
  'POST /api/deposits/:pid_value/actions/newversion': { on: 'published' },
  'POST /api/deposits/:pid_value/actions/withdraw': {
    sent: json({ reason: 'test' }),
    on: 'published',
  },
  'GET /api/deposits/:pid_value/actions/withdraw': { query: '?reason=test', on: 'published' },
  'POST /api/deposits/:pid_value/actions/restore-record': { on: 'withdrawn' },
  'POST /api/deposits/:pid_value/actions/undo': { on: 'changed' },
  'GET /api/deposits/:pid_value/actions/undo': { on: 'changed' },
  'POST /api/deposits/:pid_value/file-versions/:id': { on: 'replaced' },
  'POST /api/deposits/:pid_value/trash/:id': { sent: json({ filename: 'z' }), on: 'trashed' },
  'DELETE /api/deposits/:pid_value/trash/:id': { on: 'trashed' },
  'POST /api/deposits/:pid_value/actions/take-back': { on: 'submitted' },
  'POST /api/deposits/:pid_value/actions/return': {
    sent: json({ message: 'No.' }),
    on: 'submitted',
  },
  'POST /api/deposits/:pid_value/actions/accept': {
    sent: ({ revision }) => ({ json: { revision } }),
    on: 'submitted',
  },
  'POST /api/deposits/:pid_value/comments': { sent: json({ text: 'x' }) },
  'POST /api/deposits/:pid_value/files': { sent: form },
  'PUT /api/deposits/:pid_value/files': {
    sent: ({ fileIds }) => ({ json: fileIds.map((id) => ({ id })) }),
  },
  'PUT /api/deposits/:pid_value/files/*': { sent: json({ filename: 'z' }) },
  'POST /api/files/:bucket/*': { needs: 'read' },
  'PUT /api/files/:bucket/*': { sent: bytes },
  'POST /api/deposits/:pid_value/people': {
    sent: json({ user: 'eve@example.org', role: 'reader' }),
  },
  'DELETE /api/deposits/:pid_value/people/:id': { on: 'shared' },
  'GET /api/deposits/:pid_value/transfer': { on: 'offered' },
  'POST /api/deposits/:pid_value/transfer': { sent: json({ user: 'zoe@example.org' }) },
  'DELETE /api/deposits/:pid_value/transfer': { on: 'offered' },
  'POST /api/deposits/:pid_value/links': { sent: json({ role: 'reader' }) },
  'DELETE /api/deposits/:pid_value/links/:id': { on: 'linked' },
  'POST /api/deposits/:pid_value/bundles': { sent: form },
  'POST /api/deposits/:pid_value/uploads': {
    sent: () => ({ headers: { ...tus, 'upload-length': '1' } }),
  },
  'PATCH /api/deposits/:pid_value/uploads/:id': {
    sent: () => ({
      body: 'x',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
    }),
    on: 'uploading',
  },
  'DELETE /api/deposits/:pid_value/uploads/:id': {
    sent: () => ({ headers: { 'tus-resumable': '1.0.0' } }),
    on: 'uploading',
  },
  'PUT /api/records/:pid_value': { sent: json({ title: 'x' }), on: 'published' },
  'PATCH /api/records/:pid_value': { sent: patch, on: 'published' },
  'POST /api/tokens': { sent: json({ scope: '' }) },
  ...below('/api'),
  ...below('/zenodo/api'),
  'PUT /zenodo/api/files/:bucket/*': { sent: bytes },
  ...ofRdm,
}

/**
 * Tested in `tokens.test.ts` and `ended-sign-ins.test.ts`, for each user has their own, in `people.test.ts`, for one
 * alone is offered a deposit, and in `admin.test.ts`.
 */
export const elsewhere: readonly string[] = [
  'DELETE /api/tokens/:id',
  'DELETE /api/sign-ins',
  'DELETE /api/sign-ins/:id',
  'POST /api/deposits/:pid_value/transfer/accept',
  'DELETE /api/deposits/:pid_value/people/me',
  'GET /api/admin/users/:id',
  'PATCH /api/admin/users/:id',
]

/** Routes of the machine's owner, who proves it with the key. */
export const ofOwner: readonly string[] = [
  'POST /local/approve',
  'POST /local/ticket',
  'POST /local/operator',
  'POST /local/work',
  'POST /local/note',
]

/** Every route without authentication. A new one fails the test until it is listed here. */
export const open: readonly string[] = [
  'GET /api/vocabularies',
  'GET /api/vocabularies/:name',
  'GET /api/vocabularies/:name/*',
  'GET /api/records',
  'GET /api/records/:pid_value',
  'GET /api/records/:pid_value/export',
  'GET /api/records/:pid_value/export/:name',
  'GET /api/records/:pid_value/packages',
  'GET /api/records/:pid_value/packages/:name',
  'GET /api/records/:pid_value/versions',
  'GET /api/records/:pid_value/revisions',
  'GET /api/records/:pid_value/revisions/:revision',
  'GET /api/records/:id(^\\d+$)',
  'GET /zenodo/api/records',
  'GET /zenodo/api/records/:id/versions',
  'GET /zenodo/api/records/:id',
  'GET /zenodo/api/records/:id/files',
  'GET /zenodo/api/records/:id/files/*',
  'GET /rdm/api/records',
  'GET /rdm/api/records/:id',
  'GET /rdm/api/records/:id/versions',
  'GET /rdm/api/records/:id/versions/latest',
  'GET /rdm/api/records/:id/files',
  'GET /rdm/api/records/:id/files-archive',
  'GET /rdm/api/records/:id/files/*',
  'GET /rdm/api/vocabularies/:vocabulary',
  'GET /rdm/api/vocabularies/:vocabulary/:term',
  'GET /api',
  'GET /local/proof',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/openid-configuration',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/api',
  'GET /oauth/jwks',
  'GET /oauth/auth',
  'GET /oauth/auth/:uid',
  'POST /oauth/auth',
  'POST /oauth/device',
  'POST /oauth/introspection',
  'POST /oauth/revocation',
  'GET /oauth/userinfo',
  'POST /oauth/userinfo',
  'POST /oauth/ticket',
  'POST /oauth/token',
  'GET /oauth/interaction/:uid',
  'POST /oauth/interaction/:uid',
  'GET /oauth/passphrase',
  'POST /oauth/passphrase',
  'GET /oauth/passphrase/change',
  'POST /oauth/passphrase/change',
  'GET /oauth/open-link.js',
  'GET /oauth/style.css',
  'GET /device',
  'POST /device',
  'POST /device/approve',
  'GET /schemas/',
  'GET /schemas/*',
  'GET /health',
  'GET /ready',
  'GET /metrics',
  'GET /openapi.json',
  'GET /docs',
  'GET /favicon.ico',
  'GET /.well-known/security.txt',
  'GET /.well-known/api-catalog',
  'GET /ark::*',
  'GET /robots.txt',
  'GET /records.atom',
  'GET /sitemap.xml',
  'GET /sitemaps/:file',
  'GET /oai',
  'POST /oai',
  'GET /',
  'GET /records',
  'GET /deposit',
  'GET /deposit/account',
  'GET /deposit/new',
  'GET /deposit/signed-in',
  'GET /deposit/:pid_value',
  'GET /deposit/:pid_value/link',
  'GET /admin',
  'GET /admin/:view',
  'GET /records/:pid_value',
  'GET /records/:pid_value/export/:name',
]

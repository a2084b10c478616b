import type { Sent } from '../support/http.ts'

/**
 * What a route needs:
 * `read`, `write` and `actions` of a deposit, by its owner or an administrator; `create` and
 * `search` and `whoami` by anybody with a token; `own` for one's own account; `curate` for administrators with
 * the write scope; `key` for the owner of the machine; `open` for everybody.
 */
export type Need =
  | 'read'
  | 'write'
  | 'actions'
  | 'create'
  | 'search'
  | 'own'
  | 'whoami'
  | 'curate'
  | 'key'
  | 'open'

/** The deposit that requests are about. */
export interface Target {
  readonly id: string
  readonly bucket: string
  /** Value of the record; empty where the deposit is a draft. */
  readonly record: string
  /** Ids of its files, in another order than theirs. */
  readonly fileIds: readonly string[]
  /** Id of an upload under way; empty where the row needs none. */
  readonly upload: string
}

export interface Row {
  readonly needs: Need
  /** What is sent; a route without it is `open`, or tried elsewhere. */
  readonly sent?: (target: Target) => Sent
  /** What must have become of the deposit before; it is a draft otherwise. */
  readonly on?: 'published' | 'edited' | 'uploading'
}

const json = (value: unknown) => (): Sent => ({ json: value })
const bytes = (): Sent => ({
  body: 'new bytes',
  headers: { 'content-type': 'application/octet-stream' },
})
const none = (): Sent => ({})
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

const read: Row = { needs: 'read', sent: none }
const open: Row = { needs: 'open' }

/** Every route of the service. A route that is missing here fails the test. */
export const matrix: Readonly<Record<string, Row>> = {
  'GET /api/deposits': { needs: 'search', sent: none },
  'POST /api/deposits': { needs: 'create', sent: json({}) },
  'GET /api/deposits/_options': { needs: 'search', sent: none },
  'GET /api/deposits/:pid_value': read,
  'PUT /api/deposits/:pid_value': { needs: 'write', sent: json({ title: 'x' }) },
  'PATCH /api/deposits/:pid_value': { needs: 'write', sent: patch },
  'DELETE /api/deposits/:pid_value': { needs: 'write', sent: none },
  'GET /api/deposits/:pid_value/actions/publish': { needs: 'read', sent: none },
  'POST /api/deposits/:pid_value/actions/publish': { needs: 'actions', sent: none },
  'POST /api/deposits/:pid_value/actions/edit': {
    needs: 'actions',
    sent: none,
    on: 'published',
  },
  'POST /api/deposits/:pid_value/actions/discard': { needs: 'actions', sent: none, on: 'edited' },
  'POST /api/deposits/:pid_value/actions/merge': { needs: 'actions', sent: none, on: 'edited' },
  'POST /api/deposits/:pid_value/actions/register': {
    needs: 'actions',
    sent: none,
    on: 'published',
  },
  'POST /api/deposits/:pid_value/actions/newversion': {
    needs: 'actions',
    sent: none,
    on: 'published',
  },
  'GET /api/deposits/:pid_value/files': read,
  'POST /api/deposits/:pid_value/files': { needs: 'write', sent: form },
  'PUT /api/deposits/:pid_value/files': {
    needs: 'write',
    sent: ({ fileIds }) => ({ json: fileIds.map((id) => ({ id })) }),
  },
  'GET /api/deposits/:pid_value/files/*': read,
  'PUT /api/deposits/:pid_value/files/*': { needs: 'write', sent: json({ filename: 'z' }) },
  'DELETE /api/deposits/:pid_value/files/*': { needs: 'write', sent: none },
  'GET /api/files/:bucket': read,
  'GET /api/files/:bucket/*': read,
  'POST /api/files/:bucket/*': { needs: 'read', sent: none },
  'PUT /api/files/:bucket/*': { needs: 'write', sent: bytes },
  'DELETE /api/files/:bucket/*': { needs: 'write', sent: none },
  'POST /api/deposits/:pid_value/bundles': { needs: 'write', sent: form },
  'GET /api/deposits/:pid_value/uploads': read,
  'POST /api/deposits/:pid_value/uploads': {
    needs: 'write',
    sent: () => ({ headers: { ...tus, 'upload-length': '1' } }),
  },
  'OPTIONS /api/deposits/:pid_value/uploads': open,
  'PATCH /api/deposits/:pid_value/uploads/:id': {
    needs: 'write',
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
    needs: 'write',
    sent: () => ({ headers: { 'tus-resumable': '1.0.0' } }),
    on: 'uploading',
  },
  'OPTIONS /api/deposits/:pid_value/uploads/:id': open,
  'GET /api/records': open,
  'GET /api/records/:pid_value': open,
  'PUT /api/records/:pid_value': {
    needs: 'curate',
    sent: json({ title: 'x' }),
    on: 'published',
  },
  'PATCH /api/records/:pid_value': { needs: 'curate', sent: patch, on: 'published' },
  'GET /api/records/:pid_value/export/linkset': open,
  'GET /api/records/:pid_value/revisions': open,
  'GET /api/records/:pid_value/revisions/:revision': open,
  'GET /api': { needs: 'open' },
  'GET /api/me': { needs: 'whoami', sent: none },
  'GET /api/tokens': { needs: 'own', sent: none },
  'POST /api/tokens': { needs: 'own', sent: json({ scope: '' }) },
  'DELETE /api/tokens/:id': { needs: 'own' },
  'GET /local/proof': open,
  'POST /local/token': { needs: 'key' },
  'POST /local/approve': { needs: 'key' },
  'POST /local/ticket': { needs: 'key' },
  'POST /local/operator': { needs: 'key' },
  'POST /local/work': { needs: 'key' },
  'GET /.well-known/oauth-authorization-server': open,
  'GET /.well-known/openid-configuration': open,
  'GET /.well-known/oauth-protected-resource': open,
  'GET /.well-known/oauth-protected-resource/api': open,
  'GET /oauth/jwks': open,
  'GET /oauth/auth': open,
  'GET /oauth/auth/:uid': open,
  'POST /oauth/auth': open,
  'POST /oauth/device': open,
  'POST /oauth/introspection': open,
  'POST /oauth/revocation': open,
  'GET /oauth/userinfo': open,
  'POST /oauth/userinfo': open,
  'POST /oauth/ticket': open,
  'POST /oauth/token': open,
  'GET /oauth/interaction/:uid': open,
  'POST /oauth/interaction/:uid': open,
  'GET /oauth/passphrase': open,
  'POST /oauth/passphrase': open,
  'GET /oauth/open-link.js': open,
  'GET /oauth/style.css': open,
  'GET /device': open,
  'POST /device': open,
  'POST /device/approve': open,
  'GET /schemas/': open,
  'GET /schemas/*': open,
  'GET /health': open,
  'GET /ready': open,
  'GET /metrics': open,
  'GET /openapi.json': open,
  'GET /docs': open,
  'GET /favicon.ico': open,
  'GET /.well-known/security.txt': open,
  'GET /': open,
  'GET /deposit': open,
  'GET /deposit/new': open,
  'GET /deposit/signed-in': open,
  'GET /deposit/:pid_value': open,
  'GET /deposit/assets/*': open,
  'GET /records/:pid_value': open,
}

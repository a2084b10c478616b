/**
 * Default paths of the resources, in the notation of the specification: `{name}` is a path segment,
 * `{key}` the rest of the path. All but `schemas` and the service's own routes are below {@link
 * apiPrefix}.
 *
 * @see Specification, "Endpoints"
 */
export const routes = {
  depositList: '/deposits/',
  depositOptions: '/deposits/_options',
  depositItem: '/deposits/{pid_value}',
  depositAction: '/deposits/{pid_value}/actions/{action}',
  fileList: '/deposits/{pid_value}/files',
  fileItem: '/deposits/{pid_value}/files/{key}',
  depositExports: '/deposits/{pid_value}/export',
  depositExport: '/deposits/{pid_value}/export/{name}',
  depositPackages: '/deposits/{pid_value}/packages',
  depositPackage: '/deposits/{pid_value}/packages/{name}',
  commentList: '/deposits/{pid_value}/comments',
  bundleList: '/deposits/{pid_value}/bundles',
  depositHistory: '/deposits/{pid_value}/history',
  trashList: '/deposits/{pid_value}/trash',
  trashItem: '/deposits/{pid_value}/trash/{id}',
  fileVersion: '/deposits/{pid_value}/file-versions/{id}',
  uploadList: '/deposits/{pid_value}/uploads',
  uploadItem: '/deposits/{pid_value}/uploads/{id}',
  peopleList: '/deposits/{pid_value}/people',
  personItem: '/deposits/{pid_value}/people/{id}',
  personMe: '/deposits/{pid_value}/people/me',
  transfer: '/deposits/{pid_value}/transfer',
  transferAccept: '/deposits/{pid_value}/transfer/accept',
  linkList: '/deposits/{pid_value}/links',
  linkItem: '/deposits/{pid_value}/links/{id}',
  bucket: '/files/{bucket}',
  object: '/files/{bucket}/{key}',
  recordList: '/records/',
  recordItem: '/records/{pid_value}',
  recordExports: '/records/{pid_value}/export',
  recordExport: '/records/{pid_value}/export/{name}',
  recordPackages: '/records/{pid_value}/packages',
  recordPackage: '/records/{pid_value}/packages/{name}',
  versionList: '/records/{pid_value}/versions',
  revisionList: '/records/{pid_value}/revisions',
  revisionItem: '/records/{pid_value}/revisions/{revision}',
  vocabularyList: '/vocabularies/',
  vocabulary: '/vocabularies/{name}',
  term: '/vocabularies/{name}/{key}',
  tokenList: '/tokens/',
  signInList: '/sign-ins/',
  me: '/me',
  adminUsers: '/admin/users',
  adminUser: '/admin/users/{id}',
  adminWithdrawals: '/admin/withdrawals',
  adminRefusals: '/admin/refused-identifiers',
  adminAudit: '/admin/audit',
  adminInvitations: '/admin/invitations',
  adminWork: '/admin/work',
  health: '/health',
} as const

/** Names of an endpoint's routes in `GET /api`. */
export const endpointLinks = {
  list: 'depositList',
  options: 'depositOptions',
  item: 'depositItem',
  action: 'depositAction',
  files: 'fileList',
  file: 'fileItem',
  bundles: 'bundleList',
  uploads: 'uploadList',
  people: 'peopleList',
  transfer: 'transfer',
  links: 'linkList',
} as const satisfies Readonly<Record<string, keyof typeof routes>>

/** Names of routes in the links of a deposit, which has further links. */
export const depositLinks = {
  self: 'depositItem',
  files: 'fileList',
  bucket: 'bucket',
  bundles: 'bundleList',
  comments: 'commentList',
  uploads: 'uploadList',
  history: 'depositHistory',
  trash: 'trashList',
  exports: 'depositExports',
  packages: 'depositPackages',
} as const satisfies Readonly<Record<string, keyof typeof routes>>

/** First segment of every route of the REST interface. */
export const apiPrefix = '/api'

/** Path of JSON Schemas, outside {@link apiPrefix}. */
export const schemasPrefix = '/schemas/'

/**
 * Fills the placeholders of `template`. Slashes in a `key` stay slashes, everything else is
 * percent-encoded. A placeholder without a value stays as it is.
 */
export function fillRoute(template: string, values: Readonly<Record<string, string>>): string {
  let path = ''
  for (const [text, name] of piecesOf(template)) path += text + fill(name, values)
  return path
}

/** Text of a template, and the placeholder behind it. */
type Piece = readonly [text: string, placeholder: string | undefined]

/** Cache of split templates: each answer has dozens of links. */
const pieces = new Map<string, readonly Piece[]>()

function piecesOf(template: string): readonly Piece[] {
  const known = pieces.get(template)
  if (known) return known
  const made = [...template.matchAll(/([^{]*)(?:\{(\w+)\})?/g)]
    .map(([, text = '', name]): Piece => [text, name])
    .filter(([text, name]) => text !== '' || name !== undefined)
  pieces.set(template, made)
  return made
}

/** Ids need no encoding; the test is cheaper. */
const plain = /^[\w.~-]+$/

function fill(name: string | undefined, values: Readonly<Record<string, string>>): string {
  if (name === undefined) return ''
  const value = values[name]
  return value === undefined ? `{${name}}` : toSegments(value)
}

/** A value as it stands in a path: encoded, but for the `/` in it. */
export function toSegments(value: string): string {
  if (plain.test(value)) return value
  return value.includes('/')
    ? value.split('/').map(encodeURIComponent).join('/')
    : encodeURIComponent(value)
}

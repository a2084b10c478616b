/**
 * Where each resource is mounted by default, in the notation of the specification: `{name}` is a
 * path segment, `{key}` the rest of the path. Everything but `schemas` and the service's own
 * routes lies below {@link apiPrefix}.
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
  uploadList: '/deposits/{pid_value}/uploads',
  uploadItem: '/deposits/{pid_value}/uploads/{id}',
  bucket: '/files/{bucket}',
  object: '/files/{bucket}/{key}',
  recordList: '/records/',
  recordItem: '/records/{pid_value}',
  revisionList: '/records/{pid_value}/revisions',
  revisionItem: '/records/{pid_value}/revisions/{revision}',
  tokenList: '/tokens/',
  health: '/health',
} as const

/** First segment of every route of the REST interface. */
export const apiPrefix = '/api'

/** Where JSON Schemas are served, outside {@link apiPrefix}. */
export const schemasPrefix = '/schemas/'

/**
 * Fills the placeholders of `template`. Slashes in a `key` stay slashes, everything else is
 * percent-encoded.
 */
export function fillRoute(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name]
    if (value === undefined) return placeholder
    return value.split('/').map(encodeURIComponent).join('/')
  })
}

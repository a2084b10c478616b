import type { DetailedError, Upload } from 'tus-js-client'
import { fieldsOf, replacedIntoTrash } from '../../../../core/contract/uploads.ts'
import { recoverSession } from '../api/renewal.ts'
import { readSession } from '../api/session.ts'

export interface UploadOptions {
  readonly endpoint: string
  readonly key: string
  /** True where a file of this name, if there is one, goes among the deleted files. */
  readonly replaces: boolean
  /** Address of an upload that was begun for the same file and has not all of it yet. */
  readonly begun: string | undefined
  /** Told the address of the upload at the daemon. */
  readonly onPlace: (url: string) => void
  /** Told how many bytes the daemon has taken. */
  readonly onProgress: (sent: number) => void
  readonly onDone: () => void
  /** Told that the service or the network is missing: the upload retries by itself. */
  readonly onAway: () => void
  /** Told what went wrong, and the code of the problem where the daemon gave one. */
  readonly onFailure: (message: string, code: string | undefined) => void
}

/** Milliseconds before each new attempt after the connection broke; the last for more than a day. */
const retryDelays = [500, 1_000, 3_000, 8_000, ...Array.from({ length: 5_000 }, () => 20_000)]

/**
 * Prepares an upload by the tus protocol. The program for it comes when it is first needed.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export async function startUpload(file: File, options: UploadOptions): Promise<Upload> {
  const { Upload: TusUpload } = await import('tus-js-client')
  const { endpoint, key, replaces, begun, onPlace, onProgress, onDone, onAway, onFailure } = options
  const fields = {
    ...fieldsOf({ key, changed: file.lastModified, replace: replaces }),
    ...(replaces && replacedIntoTrash),
  }
  let used: string | undefined
  const upload: Upload = new TusUpload(file, {
    endpoint,
    uploadUrl: begun ?? null,
    retryDelays,
    metadata: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value ?? '']),
    ),
    // The daemon knows what was begun, whichever browser began it.
    storeFingerprintForResuming: false,
    onBeforeRequest: (request) => {
      used = readSession()?.token
      if (used !== undefined) request.setHeader('Authorization', `Bearer ${used}`)
    },
    onShouldRetry: ({ originalResponse }) => {
      const status = originalResponse?.getStatus() ?? 0
      const isRetried = status === 0 || status === 423 || status === 429 || status >= 500
      if (isRetried) onAway()
      return isRetried
    },
    onUploadUrlAvailable: () => {
      // With an endpoint, tus-js-client begins again whenever the offset is refused: once it is
      // signed out, too, and all that has arrived would be sent twice.
      upload.options.endpoint = null
      onPlace(upload.url ?? '')
    },
    onProgress,
    onSuccess: onDone,
    onError: (error) => {
      const [message, code, status] = describe(error)
      if (upload.url !== null && (status === 404 || status === 410)) {
        // It was deleted elsewhere, or has expired.
        upload.url = null
        Object.assign(upload.options, { endpoint, uploadUrl: null })
        upload.start()
      } else if (code !== 'unauthenticated') onFailure(message, code)
      else
        recoverSession(used).then(
          (next) => (next ? upload.start() : onFailure(message, code)),
          () => onFailure(message, code),
        )
    },
  })
  // Cancelled before it has started, it can be deleted by this.
  upload.url = begun ?? null
  if (begun !== undefined) upload.options.endpoint = null
  return upload
}

function describe(
  error: Error | DetailedError,
): readonly [message: string, code: string | undefined, status: number] {
  const response = 'originalResponse' in error ? error.originalResponse : undefined
  const [body, status] = [response?.getBody(), response?.getStatus() ?? 0]
  // The answer to a request for the offset has no body.
  const code = status === 401 ? 'unauthenticated' : undefined
  if (body === undefined || !body.startsWith('{')) return [error.message, code, status]
  const problem = JSON.parse(body) as Partial<Record<string, string>>
  return [problem['message'] ?? error.message, problem['code'] ?? code, status]
}
